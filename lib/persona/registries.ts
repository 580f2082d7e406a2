import type { Host } from "../host/host.ts";
import type { Permissions } from "../sandbox/spec.ts";

/** The operator's list of package registries: hosts, with a port or without, between commas. */
export const REGISTRIES_VARIABLE = "SKEP_REGISTRIES";

/** What stands for them in the network of a grant. */
export const REGISTRIES = "${REGISTRIES}";
const HTTPS_PORT = 443;

/**
 * Permissions whose `${REGISTRIES}` in `net` is replaced by the registries that the operator names; by
 * nothing where none is named.
 */
export function withRegistries(permissions: Permissions, env: Host["env"]): Permissions {
  if (!permissions.net?.includes(REGISTRIES)) return permissions;
  const hosts = (env(REGISTRIES_VARIABLE) ?? "").split(",").map((host) => host.trim())
    .filter((host) => host !== "")
    .map((host) => /:\d+$/.test(host) ? host : `${host}:${HTTPS_PORT}`);
  const net = permissions.net.flatMap((entry) => entry === REGISTRIES ? hosts : [entry]);
  return { ...permissions, net };
}
