import { isSkepError } from "../errors.ts";
import type { Effect, OpenTurn, Turn, TurnEvent, TurnLimits } from "./state.ts";
import { stopEarly } from "./stop_early.ts";

/** What follows a failure: for a history that is too long a shorter one, for all else the end. */
export function onFailure(
  turn: OpenTurn,
  { error, said = "" }: Extract<TurnEvent, { type: "failed" }>,
  limits: TurnLimits,
): [Turn, Effect[]] {
  const isTooLong = turn.state === "asking" && isSkepError(error, "CONTEXT_TOO_LONG");
  if (!isTooLong || turn.recoveries >= limits.maxContextRecoveries) {
    return stopEarly(turn, { state: "failed", error }, () => "not finished", said);
  }
  const attempt = turn.recoveries + 1;
  return [
    { ...turn, state: "recovering", recoveries: attempt, error },
    [{ type: "recover", attempt }],
  ];
}
