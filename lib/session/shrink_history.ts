import type { Message, ToolResult } from "../model/message.ts";
import { isSummary } from "./kept_facts.ts";

/** Below this a history is a prompt and little else: there is nothing left to take out of it. */
const LEAST_BYTES = 4096;
const GONE =
  "[Taken out: the history was longer than the model's context. Call again if you need it.]";

/**
 * Makes a history shorter that a model's context does not hold: each attempt halves what may be left
 * of it. The oldest results of calls go first, then whole exchanges from the beginning; the last
 * prompt and what follows it keep their calls. A summary stays: it is what is left of all before it.
 * Tells whether anything could be taken out.
 *
 * @param attempt Counts from 1.
 * @param isTask Tells the prompt of the turn that runs, which stays too.
 */
export function shrinkHistory(
  history: Message[],
  attempt: number,
  isTask: (message: Message) => boolean = () => false,
): boolean {
  const before = sizeOf(history);
  const target = Math.floor(before / 2 ** attempt);
  if (before <= LEAST_BYTES) return false;
  let size = emptyResults(history, before, target);
  while (size > target) {
    const first = history.findIndex((message) => !isSummary(message) && !isTask(message));
    const next = history.findIndex(({ role }, index) => index > first && role === "user");
    if (first === -1 || next === -1) break;
    size -= sizeOf(history.splice(first, next - first));
  }
  return size < before;
}

/** Empties results from the oldest on, all but those that the model has not seen yet. */
function emptyResults(history: Message[], before: number, target: number): number {
  let size = before;
  for (let index = 0; index < history.length - 1 && size > target; index++) {
    const message = history[index]!;
    if (message.role !== "tool") continue;
    const emptied: Message = { role: "tool", results: message.results.map(withoutContent) };
    const saved = sizeOf([message]) - sizeOf([emptied]);
    if (saved <= 0) continue;
    history[index] = emptied;
    size -= saved;
  }
  return size;
}

function withoutContent(result: ToolResult): ToolResult {
  return { ...result, content: [{ type: "text", text: GONE }] };
}

/** What of it counts: an image takes a model's context as a few thousand tokens, whatever its bytes. */
function sizeOf(messages: readonly Message[]): number {
  const text = JSON.stringify(
    messages,
    (key, value) => key === "data" && typeof value === "string" ? value.slice(0, 16_384) : value,
  );
  return new TextEncoder().encode(text).length;
}
