import type { Message } from "./message.ts";

/** The ids of all calls in a history, in order. */
export function callIds(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => part.type === "call" ? [part.id] : [])
      : []
  );
}

/** Gives `call_1`, `call_2` and so on, from the first number after those in the history. */
export function newCallIds(messages: readonly Message[]): () => string {
  const numbers = callIds(messages).map((id) => Number(/^call_(\d+)$/.exec(id)?.[1] ?? 0));
  let last = Math.max(0, ...numbers);
  return () => `call_${++last}`;
}
