import { assertEquals } from "@std/assert";
import type { Message } from "../model/message.ts";
import { SUMMARY_HEAD } from "./own_remarks.ts";
import { shrinkHistory } from "./shrink_history.ts";

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function exchange(id: string, bytes: number): Message[] {
  const content = [{ type: "text", text: "x".repeat(bytes) }] as const;
  return [
    { role: "assistant", content: [{ type: "call", id, name: "s__t", input: "{}" }] },
    { role: "tool", results: [{ callId: id, name: "s__t", isError: false, content }] },
  ];
}

Deno.test("shrinkHistory() takes out the oldest results first, and none that the model has not seen", () => {
  const history = [user("go"), ...exchange("a", 8000), ...exchange("b", 8000)];
  assertEquals(shrinkHistory(history, 1), true);
  const [a, b] = [history[2], history[4]].map((message) =>
    message?.role === "tool" ? JSON.stringify(message).length : 0
  );
  assertEquals([history.length, a! < 400, b! > 8000], [5, true, true]);
});

Deno.test("shrinkHistory() takes out whole exchanges from the beginning, and keeps the last prompt", () => {
  const history = [user("x".repeat(9000)), user("y".repeat(4000)), user("now")];
  assertEquals(shrinkHistory(history, 1), true);
  assertEquals(history, [user("y".repeat(4000)), user("now")]);
});

Deno.test("shrinkHistory() finds nothing in a history that is little more than its prompt", () => {
  const history = [user("x".repeat(3000)), user("now")];
  assertEquals([shrinkHistory(history, 1), history.length], [false, 2]);
  assertEquals(shrinkHistory([user("x".repeat(9000))], 1), false);
});

Deno.test("shrinkHistory() drops no summary and no task before what is older or beside them", () => {
  const summary = user(`${SUMMARY_HEAD}all before`);
  const task = user("the task");
  const history = [summary, user("x".repeat(9000)), task, ...exchange("a", 2000), user("now")];
  assertEquals(shrinkHistory(history, 6, (message) => message === task), true);
  assertEquals(history, [summary, task, user("now")]);
});
