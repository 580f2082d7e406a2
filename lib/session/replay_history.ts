import type { CallResult } from "../mcp/registry.ts";
import type { Message } from "../model/message.ts";
import { parseInput } from "../turn/call_tool.ts";
import type { Replayed } from "./session.ts";

/** What calls gave for programs, each by its call's id. */
export type StructuredResults = ReadonlyMap<string, NonNullable<CallResult["structured"]>>;

/**
 * What a history shows a person, in order. A call without a result has no end.
 *
 * @param id Makes the ids of texts unique.
 * @param structured What stands beside the message's results, as far as it was kept.
 */
export function replayMessage(
  message: Message,
  id: string,
  structured: StructuredResults = new Map(),
): Replayed[] {
  switch (message.role) {
    case "user":
      return [{ type: "prompt", content: message.content }];
    case "assistant":
      return message.content.map((part): Replayed => {
        switch (part.type) {
          case "text":
            return { type: "text", message: id, text: part.text };
          case "reasoning":
            return { type: "thought", message: id, text: part.text };
          case "call":
            return {
              type: "call",
              callId: part.id,
              tool: part.name,
              input: parseInput(part.input),
            };
          default:
            return part satisfies never;
        }
      });
    case "tool":
      return message.results.map(({ callId, isError, content, isUndelivered }) => {
        const forPrograms = structured.get(callId);
        return {
          type: "call_ended",
          callId,
          result: {
            isError,
            content,
            ...(forPrograms && { structured: forPrograms }),
            ...(isUndelivered && { isUndelivered }),
          },
        };
      });
    default:
      return message satisfies never;
  }
}
