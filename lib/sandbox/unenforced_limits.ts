import type { BackendName } from "./backend.ts";
import type { ControlGroups } from "./control_groups.ts";
import type { Grant } from "./grant.ts";

/** A limit that does not hold here as it is meant. */
export interface UnenforcedLimit {
  /** The rest of a sentence about the server. */
  readonly text: string;
  /** True when nothing of it holds, which a person must be told at the start. */
  readonly isTold: boolean;
}

/**
 * The limits of a grant that this machine does not enforce, or not whole. A bound on processes does not
 * hold for the administrator, nor one on memory for several processes together, unless control groups can
 * be made.
 */
export function unenforcedLimits(
  { limits }: Pick<Grant, "limits">,
  backend: BackendName,
  isRoot: boolean,
  { memory, processes }: ControlGroups = { memory: false, processes: false },
): UnenforcedLimit[] {
  const unenforced: UnenforcedLimit[] = [];
  if (limits.processes === undefined) {
    unenforced.push({ text: "how many processes it starts is not limited", isTold: false });
  } else if (!processes && (isRoot || backend === "seatbelt")) {
    const text = `its limit of ${limits.processes} processes is not enforced` +
      (isRoot ? ": it takes a control group, or an ordinary user" : "");
    unenforced.push({ text, isTold: true });
  }
  if (limits.memory_mb !== undefined && !memory) {
    const text = backend === "seatbelt"
      ? `its memory of ${limits.memory_mb} MiB is limited for each of its processes alone`
      : `its memory of ${limits.memory_mb} MiB is limited for each of its processes, ` +
        "and for all of them by a look now and then";
    unenforced.push({ text, isTold: false });
  }
  return unenforced;
}
