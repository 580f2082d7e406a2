import type { ErrorCode } from "../errors.ts";
import { isCacheMiss } from "../sandbox/is_cache_miss.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { HeldNotices } from "./held_notices.ts";
import type { Server } from "./server.ts";

/** A server of the session under the name that it is known by, running or not. */
export type RegistryMember = StartedMember | {
  readonly spec: ServerSpec;
  readonly off: {
    readonly state: "disabled" | "refused";
    readonly reason: string;
    /** The error's, where it was refused. */
    readonly code?: ErrorCode;
  };
};

/** One that is started, or may be. */
export interface StartedMember {
  readonly spec: ServerSpec;
  readonly server: Server;
  readonly launch: Launch;
  readonly held: HeldNotices;
}

/** A server that a person switched off. */
export function switchedOff(
  spec: ServerSpec,
  reason = "was switched off in this session",
): RegistryMember {
  return { spec, off: { state: "disabled", reason } };
}

/** True of a server that ended since it did not find what it imports. */
export function hasMissed({ status: { reason = "" } }: Pick<Server, "status">): boolean {
  return isCacheMiss(reason);
}
