import { assertEquals } from "@std/assert";
import { callIds, newCallIds } from "./call_ids.ts";
import type { Message } from "./message.ts";

const HISTORY: Message[] = [
  { role: "user", content: [{ type: "text", text: "go" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "ok" },
      { type: "call", id: "call_3", name: "t", input: "{}" },
      { type: "call", id: "toolu_9", name: "t", input: "{}" },
    ],
  },
  { role: "tool", results: [] },
];

Deno.test("callIds() gives the ids of all calls in order", () => {
  assertEquals(callIds(HISTORY), ["call_3", "toolu_9"]);
});

Deno.test("newCallIds() goes on after the highest number, so that no id comes twice", () => {
  const next = newCallIds(HISTORY);
  assertEquals([next(), next()], ["call_4", "call_5"]);
  assertEquals(newCallIds([])(), "call_1");
});
