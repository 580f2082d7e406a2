import type { Asked } from "./asked.ts";
import { policyOrigin, serverPolicies } from "./bounds.ts";
import type { Ceiling } from "./ceiling.ts";
import type { ServerCommand } from "./command.ts";
import type { Policy } from "./policy.ts";
import type { SandboxMode, ServerSpec } from "./spec.ts";

/** How strongly a server is to be confined, before the machine is looked at. */
export interface SandboxWish {
  /** Undefined where nobody says anything: then it is decided by what the server is. */
  readonly sandbox: SandboxMode | undefined;
  /** The policy that requires it, whatever the server asks for. */
  readonly requiredBy?: string;
  /** What a person must be told of a wish that was left out, one line. */
  readonly notice?: string;
}

/**
 * Whose word counts: a policy that requires, then the server's own, then a policy that does not. A
 * server whose entry nobody has accepted cannot ask for less than is decided without it.
 */
export function sandboxWish(
  spec: Pick<ServerSpec, "name" | "permissions">,
  command: ServerCommand,
  asked: Pick<Asked, "sandbox">,
  ceiling: Ceiling,
  policy: Policy | undefined,
): SandboxWish {
  const isItsOwn = spec.permissions !== undefined;
  const isIgnored = isItsOwn && ceiling.reach === "workspace" && asked.sandbox !== "require";
  const wish = isIgnored ? undefined : asked.sandbox;
  const notice = isIgnored && asked.sandbox !== undefined
    ? `Server "${spec.name}" is not granted sandbox ${asked.sandbox}: ${ceiling.reason}`
    : wish === "off"
    ? `Server "${spec.name}" asks for sandbox: off, which is the operator's alone (--sandbox off): it is taken ` +
      "for prefer, and the server is confined where something here can do that"
    : undefined;
  const told = notice === undefined ? {} : { notice };
  if (policy === undefined) return { sandbox: wish, ...told };
  const ceilings = [
    policy.sandbox.mode,
    policy.permissions.sandbox,
    ...serverPolicies(policy, spec.name, command).map(({ permissions }) => permissions?.sandbox),
  ];
  if (ceilings.includes("require")) {
    const requiredBy = policyOrigin(policy.file);
    return { sandbox: "require", requiredBy, ...(isIgnored ? told : {}) };
  }
  const sandbox = wish ?? (policy.sandbox.mode === "prefer" ? "prefer" : undefined);
  return sandbox === asked.sandbox && sandbox !== "off" ? { sandbox } : { sandbox, ...told };
}
