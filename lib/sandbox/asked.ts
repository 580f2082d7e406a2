import { policyOrigin, serverPolicies } from "./bounds.ts";
import type { ServerCommand } from "./command.ts";
import { originText } from "./ceiling.ts";
import type { Entry } from "./grant.ts";
import type { Os } from "./paths.ts";
import type { Policy } from "./policy.ts";
import { type Profile, profileOf } from "./profiles.ts";
import type { ResourceLimits, SandboxMode, ServerSpec } from "./spec.ts";

/** What a server asks for, each entry as written and with its origin; nothing is checked yet. */
export interface Asked {
  /** Who asks: shown for what the spec says outside `permissions`. */
  readonly origin: string;
  readonly read: readonly Entry[];
  readonly write: readonly Entry[];
  readonly net: readonly Entry[];
  readonly run: readonly Entry[];
  readonly env: readonly Entry[];
  readonly sys: readonly Entry[];
  /** `name` is the variable, `value` its source. */
  readonly secrets: readonly (Entry & { readonly name: string })[];
  readonly limits: ResourceLimits;
  /** Who says so: the origin of the lists and limits. */
  readonly permissionsOrigin: string;
  readonly sandbox?: SandboxMode;
}

/**
 * What a spec asks for: its own `permissions`, else what the policy says for a server that declares
 * nothing, else the profile of a known server, else the default grant.
 */
export function askedBy(
  spec: Pick<ServerSpec, "name" | "args" | "env" | "origin" | "permissions" | "secrets">,
  command: ServerCommand,
  os: Os,
  policy?: Policy,
): Asked {
  const owner = originText(spec.origin);
  const { origin, permissions } = spec.permissions === undefined
    ? policyProfile(policy, spec.name, command) ?? profileOf(command, spec, os)
    : { origin: owner, permissions: spec.permissions };
  const entries = (values: readonly string[] = []): Entry[] =>
    values.map((value) => ({ value, origin }));
  return {
    origin: owner,
    read: entries(permissions.read),
    write: entries(permissions.write),
    net: entries(permissions.net),
    run: entries(permissions.run),
    env: entries(permissions.env),
    sys: entries(permissions.sys),
    secrets: [
      ...Object.entries(spec.secrets ?? {}).map(([name, value]) => ({
        name,
        value,
        origin: owner,
      })),
      ...Object.entries(permissions.secrets ?? {}).map(([name, value]) => ({
        name,
        value,
        origin,
      })),
    ],
    limits: permissions.limits ?? {},
    permissionsOrigin: origin,
    ...(permissions.sandbox === undefined ? {} : { sandbox: permissions.sandbox }),
  };
}

function policyProfile(
  policy: Policy | undefined,
  name: string,
  command: ServerCommand,
): Profile | undefined {
  const permissions = serverPolicies(policy, name, command)
    .find(({ profile }) => profile !== undefined)?.profile;
  if (policy === undefined || permissions === undefined) return undefined;
  return { origin: policyOrigin(policy.file), permissions };
}
