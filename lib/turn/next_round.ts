import type { Effect, Progress, Steer, Turn, TurnLimits } from "./state.ts";

/** Asks the model again behind `effects`, what was said meanwhile added; at the round limit the turn ends. */
export function nextRound(
  { round, cutOffs, recoveries, rejections, steers }: Progress,
  effects: readonly Effect[],
  limits: TurnLimits,
): [Turn, Effect[]] {
  const progress = { round, cutOffs, recoveries, rejections, steers };
  if (limits.maxRounds > 0 && round >= limits.maxRounds) {
    return finish(progress, { state: "ended", stop: "max_turn_requests" }, effects);
  }
  return [
    { ...progress, state: "asking", round: round + 1, steers: [] },
    [...effects, ...steers.map(said), { type: "ask" }],
  ];
}

/** Ends the turn behind `effects`. What was said and not answered stays in the history for the next one. */
export function finish(
  { steers }: Pick<Progress, "steers">,
  end: Turn,
  effects: readonly Effect[],
): [Turn, Effect[]] {
  return [end, [...effects, ...steers.map(said)]];
}

function said(content: Steer): Effect {
  return { type: "append", message: { role: "user", content } };
}
