import type { ToolCall } from "../model/message.ts";
import { answerCalls } from "./answer_calls.ts";
import { finish } from "./next_round.ts";
import type { Effect, OpenTurn, Turn } from "./state.ts";

/**
 * Ends a turn in the middle: keeps what was said, and answers the calls that have no result. One that ran
 * has its own, whoever still looked at it.
 */
export function stopEarly(
  turn: OpenTurn,
  end: Turn,
  missing: (call: ToolCall) => string,
  said: string,
): [Turn, Effect[]] {
  switch (turn.state) {
    case "asking": {
      const content = [{ type: "text", text: said }] as const;
      const append: Effect = { type: "append", message: { role: "assistant", content } };
      return finish(turn, end, said === "" ? [] : [append]);
    }
    case "acting": {
      const results = new Map([...turn.ran, ...turn.results]);
      return finish(turn, end, [answerCalls(turn.calls, results, missing)]);
    }
    case "recovering":
    case "checking":
      return finish(turn, end, []);
    default:
      return turn satisfies never;
  }
}
