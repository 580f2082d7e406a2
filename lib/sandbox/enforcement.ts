import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import type { LaunchContext } from "./context.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { networkOf } from "./network.ts";
import type { SandboxWish } from "./sandbox_wish.ts";
import type { SandboxMode, ServerSpec } from "./spec.ts";

/** What holds a server to its grant on this machine. */
export interface Enforcement {
  /** The mode in force. */
  readonly mode: SandboxMode;
  /** What confines it; undefined where Deno's flags are all there is. */
  readonly backend: BackendName | undefined;
  /** True when what a granted program does is held to the grant, or the operator said it need not be. */
  readonly mayRunPrograms: boolean;
}

/** What the machine offers. */
export interface Offer {
  readonly sandbox: LaunchContext["sandbox"];
  /** The backend that works here; undefined when none does. */
  readonly backend: BackendName | undefined;
  /** Why none does, and what would help. */
  readonly problem: string;
  /** True when the runtime is the administrator, whom Landlock alone does not hold. */
  readonly isRoot: boolean;
}

/**
 * Decides how a server's grant is held. Unless it says otherwise a server that runs programs, one
 * that does not run in Deno and code of others require the operating system's confinement.
 *
 * @throws {SkepError} `GRANT_REFUSED` when it requires more than the machine can do, or than the operator
 * left on.
 */
export function enforcement(
  spec: Pick<ServerSpec, "name">,
  kind: Launch["kind"],
  asked: SandboxWish & { readonly run: readonly unknown[] },
  { sandbox, backend, problem, isRoot }: Offer,
): Enforcement {
  const refuse = (why: string) => {
    const who = asked.requiredBy ?? "it";
    const hint = asked.requiredBy === undefined
      ? ". To start it under Deno's flags alone, write sandbox: prefer under its permissions:, " +
        "or mode: prefer under sandbox: of the policy"
      : "";
    const message =
      `Cannot start server "${spec.name}": ${who} requires the operating system's confinement, and ${why}${hint}`;
    return new SkepError("GRANT_REFUSED", message, { server: spec.name });
  };
  if (sandbox === "off") {
    if (asked.requiredBy !== undefined) throw refuse("the sandbox is off");
    return { mode: "off", backend: undefined, mayRunPrograms: true };
  }
  // A server cannot switch its own confinement off: that is the operator's.
  const wish = asked.sandbox === "off" ? "prefer" : asked.sandbox;
  const mode = wish ?? (kind === "bundled" && asked.run.length === 0 ? "prefer" : "require");
  if (mode === "prefer") return { mode, backend, mayRunPrograms: backend !== undefined };
  if (backend === undefined) throw refuse(problem);
  if (backend === "landlock" && isRoot) {
    throw refuse(
      "Landlock alone does not keep the administrator from changing modes and owners of files " +
        "outside the grant; run skep as an ordinary user, or allow user namespaces",
    );
  }
  return { mode, backend, mayRunPrograms: true };
}

/** What the grant does not hold, a few words each: for notices and the audit. */
export function leaks(
  kind: Launch["kind"],
  grant: Pick<Grant, "run" | "limits" | "write" | "workspace" | "addedFolders" | "net">,
  backend: BackendName | undefined,
): string[] {
  const hasWorkspace = grant.write.some(({ value }) =>
    value === grant.workspace || grant.addedFolders?.includes(value)
  );
  const unprotected = hasWorkspace ? ["protected files of the workspace can be written"] : [];
  if (backend === "landlock") {
    return [
      "whether files outside its grant are there, and their sizes and times, can be seen",
      "modes, owners and times of files outside its grant can be changed",
      "other processes and their command lines can be seen",
      "what it leaves running in a session of its own outlives it",
      ...unprotected,
    ];
  }
  if (backend === "seatbelt") {
    return [
      "other processes and their command lines can be seen",
      "what it leaves running in a session of its own outlives it",
    ];
  }
  if (backend !== undefined) {
    return networkOf(grant, kind, backend) === "proxied"
      ? [
        "it may open unix sockets that lie in its granted folders, since a socket is its way to the proxy",
      ]
      : [];
  }
  if (kind === "native") return ["it runs natively: nothing confines it"];
  return [
    "links that lead out of a granted folder are followed",
    ...unprotected,
    ...(kind === "npm" ? ["what it imports statically is not checked"] : []),
    ...(grant.run.length > 0 ? ["the programs it starts are not confined"] : []),
    ...(Object.keys(grant.limits).length > 0 ? ["its resource limits are not enforced"] : []),
  ];
}
