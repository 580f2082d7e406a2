import type { Message } from "../model/message.ts";
import { messageTokens } from "./estimate_tokens.ts";

/**
 * Where the part of a history begins that is kept word for word: the last messages up to `tokens`, from
 * one on that is no result, so that every call stays with its results. The last exchange, a call that is
 * answered and not yet read, is kept whatever its size.
 */
export function splitHistory(history: readonly Message[], tokens: number): number {
  let place = history.length;
  let kept = 0;
  for (let index = history.length - 1; index >= 0; index--) {
    const message = history[index]!;
    kept += messageTokens(message);
    if (kept > tokens && place < history.length) break;
    if (message.role !== "tool") place = index;
  }
  return place;
}
