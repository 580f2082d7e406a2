import type { ToolCall, ToolResult } from "../model/message.ts";
import type { Effect } from "./state.ts";

/** Follows each failed result, for the model alone. */
export const REFLECTION = "[Reflect] Find out why this failed and change your approach before " +
  "you try again; the same call will most likely fail the same way.";

/** The message that answers every call, in call order; those without a result get `missing`. */
export function answerCalls(
  calls: readonly ToolCall[],
  results: ReadonlyMap<string, ToolResult>,
  missing: (call: ToolCall) => string,
): Effect {
  const all = calls.map((call) => results.get(call.id) ?? failedResult(call, missing(call)))
    .map((result) => result.isError ? { ...result, note: REFLECTION } : result);
  return { type: "append", message: { role: "tool", results: all } };
}

/** The result of a call that was not run. */
export function failedResult(call: ToolCall, text: string): ToolResult {
  const { id: callId, name } = call;
  return { callId, name, isError: true, content: [{ type: "text", text }], isUndelivered: true };
}

/** The result of a call that was cancelled, with what its server told of it last: an answer never comes. */
export function cancelledText(told: string | undefined): string {
  return told === undefined ? "cancelled" : `cancelled; what it told last: ${told}`;
}
