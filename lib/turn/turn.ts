import { answerCalls, cancelledText } from "./answer_calls.ts";
import { finish, nextRound } from "./next_round.ts";
import { onFailure } from "./on_failure.ts";
import { onReply } from "./on_reply.ts";
import type { ToolResult } from "../model/message.ts";
import type { Effect, Turn, TurnEvent, TurnIn, TurnLimits } from "./state.ts";
import { stopEarly } from "./stop_early.ts";

/** A turn at its start, its prompt already in the history. */
export function startTurn(): [Turn, Effect[]] {
  const progress = { round: 1, cutOffs: 0, recoveries: 0, rejections: 0, steers: [] };
  return [{ state: "asking", ...progress }, [{ type: "ask" }]];
}

/**
 * The turn's whole logic: where it stands after `event`, and what is to be done. Keeps three promises
 * on every path: each call of a message in the history is answered once, by the message after it,
 * in call order; what was said to a turn that was not over is in the history, once; and the turn ends
 * in exactly one stop or error. Events that come too late (a result after a cancel) change nothing.
 */
export function step(turn: Turn, event: TurnEvent, limits: TurnLimits): [Turn, Effect[]] {
  if (turn.state === "ended" || turn.state === "failed") return [turn, []];
  switch (event.type) {
    case "replied":
      return turn.state === "asking" ? onReply(turn, event.reply, limits) : [turn, []];
    case "call_ran":
      return turn.state === "acting"
        ? [{ ...turn, ran: added(turn.ran, event.result) }, []]
        : [turn, []];
    case "call_ended":
      return turn.state === "acting" ? onResult(turn, event, limits) : [turn, []];
    case "recovered":
      return turn.state === "recovering" ? onRecovered(turn, event) : [turn, []];
    case "checked":
      return turn.state === "checking" ? onChecked(turn, event, limits) : [turn, []];
    case "steered":
      return [{ ...turn, steers: [...turn.steers, event.steer] }, []];
    case "cancelled":
      return stopEarly(
        turn,
        { state: "ended", stop: "cancelled" },
        ({ id }) => cancelledText(event.told?.get(id)),
        event.said,
      );
    case "failed":
      return onFailure(turn, event, limits);
    default:
      return event satisfies never;
  }
}

function onResult(
  turn: TurnIn<"acting">,
  { result }: Extract<TurnEvent, { type: "call_ended" }>,
  limits: TurnLimits,
): [Turn, Effect[]] {
  const isWaitedFor = turn.calls.some((call) => call.id === result.callId);
  if (!isWaitedFor || turn.results.has(result.callId)) return [turn, []];
  const results = added(turn.results, result);
  if (results.size < turn.calls.length) return [{ ...turn, results }, []];
  return nextRound(turn, [answerCalls(turn.calls, results, () => "no result")], limits);
}

function added(
  results: ReadonlyMap<string, ToolResult>,
  result: ToolResult,
): ReadonlyMap<string, ToolResult> {
  return new Map(results).set(result.callId, result);
}

/** The request goes out once more, as the same round: the provider took no work for the first one. */
function onRecovered(
  { error, ...progress }: TurnIn<"recovering">,
  { isShorter }: Extract<TurnEvent, { type: "recovered" }>,
): [Turn, Effect[]] {
  if (!isShorter) return finish(progress, { state: "failed", error }, []);
  return [{ ...progress, state: "asking" }, [{ type: "ask" }]];
}

function onChecked(
  turn: TurnIn<"checking">,
  { objections }: Extract<TurnEvent, { type: "checked" }>,
  limits: TurnLimits,
): [Turn, Effect[]] {
  if (objections.length === 0) {
    if (turn.steers.length > 0) return nextRound(turn, [], limits);
    return finish(turn, { state: "ended", stop: "end_turn" }, []);
  }
  const injected = objections.map((message): Effect => ({ type: "inject", message }));
  return nextRound({ ...turn, rejections: turn.rejections + 1 }, injected, limits);
}
