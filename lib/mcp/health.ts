import type { Limits } from "../limits.ts";

/**
 * What a server is, each member with only what is true in it. Reasons are the rest of a sentence about
 * the server. `ends` counts how often it ended in a row without an answered call between.
 */
export type Health =
  /** Not started; its tools are known from an earlier start. Its next call starts it. */
  | { readonly state: "idle" }
  | { readonly state: "starting"; readonly ends: number }
  | { readonly state: "healthy"; readonly ends: number }
  /** Its next call starts it again, not before that time. */
  | {
    readonly state: "dead";
    readonly ends: number;
    readonly reason: string;
    readonly restartAtMs: number;
  }
  /** It is not started any more: it ended too often, or never came up. */
  | { readonly state: "exhausted"; readonly reason: string }
  /** Somebody switched it off. */
  | { readonly state: "disabled" }
  /** It may not be started, or cannot be. */
  | { readonly state: "refused"; readonly reason: string };

/** What can happen to a server. */
export type HealthEvent =
  /** Its child was spawned. */
  | { readonly type: "spawned" }
  /** It was initialized, and its tools were read. */
  | { readonly type: "connected" }
  /** It answered a call, be it with an error. */
  | { readonly type: "answered" }
  /**
   * It ended, or could not be started. `isKnown`: its tools are known, so that somebody can call it.
   * `isForCancel`: skep ended it, since nobody waits any more for what it does: that is no fault of its.
   * `random` is at least 0 and below 1.
   */
  | {
    readonly type: "ended";
    readonly reason: string;
    readonly isKnown: boolean;
    readonly isForCancel: boolean;
    readonly nowMs: number;
    readonly random: number;
  }
  /** It was stopped since nobody needs it now. */
  | { readonly type: "rested" };

/** The bounds of restarts. */
export type RestartLimits = Pick<Limits, "restartAttempts" | "restartBaseMs" | "restartMaxMs">;

/** What a server is after an event. One that is disabled, refused or exhausted stays so. */
export function stepHealth(health: Health, event: HealthEvent, limits: RestartLimits): Health {
  if (!isLive(health)) return health;
  const ends = health.state === "idle" ? 0 : health.ends;
  switch (event.type) {
    case "spawned":
      return { state: "starting", ends };
    case "connected":
      return { state: "healthy", ends };
    case "answered":
      return health.state === "healthy" ? { state: "healthy", ends: 0 } : health;
    case "rested":
      return { state: "idle" };
    case "ended": {
      const { reason, isKnown, isForCancel, nowMs, random } = event;
      if (isKnown && isForCancel) return { state: "dead", ends, reason, restartAtMs: nowMs };
      if (!isKnown || ends + 1 >= limits.restartAttempts) return { state: "exhausted", reason };
      const restartAtMs = nowMs + restartWaitMs(ends + 1, limits, random);
      return { state: "dead", ends: ends + 1, reason, restartAtMs };
    }
    default:
      return event satisfies never;
  }
}

/** True while the server runs, or can be started by a call. */
export function isLive(
  health: Health,
): health is Extract<Health, { state: "idle" | "starting" | "healthy" | "dead" }> {
  return !["exhausted", "disabled", "refused"].includes(health.state);
}

/** A server's state for people. @param fault Why it has no tools though it runs. */
export function statusOf(
  health: Health,
  fault: string | undefined,
): { readonly state: Health["state"]; readonly reason?: string } {
  const { state } = health;
  if (!("reason" in health)) return { state, ...(fault !== undefined && { reason: fault }) };
  const more = state === "dead" ? " (its next call starts it again)" : "";
  return { state, reason: health.reason + more };
}

/**
 * How long a server that ended waits before it is started again. The first restart comes at once, the
 * waits after it double up to their bound; each is up to a fifth shorter or longer, so that servers that
 * ended together do not come back together.
 *
 * @param ends How often it ended in a row, from 1.
 * @param random At least 0 and below 1.
 */
export function restartWaitMs(
  ends: number,
  { restartBaseMs, restartMaxMs }: Omit<RestartLimits, "restartAttempts">,
  random: number,
): number {
  if (ends <= 1) return 0;
  const wait = Math.min(restartBaseMs * 2 ** (ends - 2), restartMaxMs);
  return Math.round(wait * (0.8 + 0.4 * random));
}
