import type { ToolCall } from "../model/message.ts";
import { afterStop } from "./after_stop.ts";
import { answerCalls, failedResult } from "./answer_calls.ts";
import { finish, nextRound } from "./next_round.ts";
import type { Effect, Reply, Turn, TurnIn, TurnLimits } from "./state.ts";

/** What follows a reply: its calls, a next round, the question whether the turn may end, or its end. */
export function onReply(
  turn: TurnIn<"asking">,
  reply: Reply,
  limits: TurnLimits,
): [Turn, Effect[]] {
  if (reply.stop === "context_full") return onFull(turn, reply, limits);
  if (reply.stop === "max_tokens") return onCutOff(turn, reply, limits);
  const calls = callsOf(reply);
  const append = appended(reply.content);
  if (calls.length > 0) return onCalls(turn, reply, calls, append, limits);
  if (reply.stop === "pause") return nextRound(turn, append, limits);
  if (reply.stop === "end") {
    if (turn.steers.length > 0) return nextRound(turn, append, limits);
    if (turn.rejections < limits.maxStopRejections) {
      return [{ ...turn, state: "checking" }, [...append, { type: "check" }]];
    }
  }
  return finish(turn, afterStop(reply), append);
}

function onCalls(
  turn: TurnIn<"asking">,
  reply: Reply,
  calls: readonly ToolCall[],
  append: readonly Effect[],
  limits: TurnLimits,
): [Turn, Effect[]] {
  if (reply.stop !== "calls" && reply.stop !== "end") {
    const answer = answerCalls(calls, new Map(), () => `not run: the reply ended as ${reply.stop}`);
    return finish(turn, afterStop(reply), [...append, answer]);
  }
  const within = calls.slice(0, limits.maxCallsPerRound);
  const past = calls.slice(limits.maxCallsPerRound);
  const notRun = `not run: a reply may ask for ${limits.maxCallsPerRound} calls, this is one more`;
  const results = new Map(past.map((call) => [call.id, failedResult(call, notRun)]));
  return [{ ...turn, state: "acting", calls, ran: new Map(), results }, [...append, {
    type: "act",
    calls: within,
  }]];
}

/**
 * A reply that reached the output limit: its text stays, its calls do not, since the last one may be
 * half of what it was to be; the model is told and goes on, a bounded number of times.
 */
function onCutOff(
  turn: TurnIn<"asking">,
  reply: Reply,
  limits: TurnLimits,
): [Turn, Effect[]] {
  const append = appended(reply.content.filter((part) => part.type === "text"));
  if (turn.cutOffs >= limits.maxTokenRecoveries) return finish(turn, afterStop(reply), append);
  const text = cutOffText(callsOf(reply));
  const told: Effect = {
    type: "inject",
    message: { role: "user", content: [{ type: "text", text }] },
  };
  return nextRound({ ...turn, cutOffs: turn.cutOffs + 1 }, [...append, told], limits);
}

/** A reply that filled the model's context: as one that was cut off, behind a shorter history. */
function onFull(
  turn: TurnIn<"asking">,
  reply: Reply,
  limits: TurnLimits,
): [Turn, Effect[]] {
  const append = appended(reply.content.filter((part) => part.type === "text"));
  const attempt = turn.recoveries + 1;
  const end = afterStop(reply);
  if (attempt > limits.maxContextRecoveries || end.state !== "failed") {
    return finish(turn, end, append);
  }
  const text = cutOffText(callsOf(reply), "filled the model's context, which was made shorter");
  const told: Effect = {
    type: "inject",
    message: { role: "user", content: [{ type: "text", text }] },
  };
  const { error } = end;
  return [
    { ...turn, state: "recovering", recoveries: attempt, error },
    [...append, told, { type: "recover", attempt }],
  ];
}

function cutOffText(calls: readonly ToolCall[], why = "reached the output limit"): string {
  const lost = calls.length === 0
    ? "Go on where it stopped; do not repeat what is there."
    : `None of its calls was run (${calls.map(({ name }) => name).join(", ")}). ` +
      "Ask for them again, with less in each.";
  return `[Your reply was cut off: it ${why}. ${lost} Think briefly.]`;
}

function appended(content: Reply["content"]): Effect[] {
  if (content.length === 0) return [];
  return [{ type: "append", message: { role: "assistant", content } }];
}

function callsOf({ content }: Reply): ToolCall[] {
  return content.filter((part) => part.type === "call");
}
