import { assertEquals } from "@std/assert";
import { replayMessage } from "./replay_history.ts";

Deno.test("replayMessage() gives a reply's parts in order, its calls with their arguments", () => {
  const replayed = replayMessage({
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "I look." },
      { type: "call", id: "c1", name: "s__t", input: '{"a":1}' },
      { type: "call", id: "c2", name: "s__t", input: "{" },
    ],
  }, "m1");
  assertEquals(replayed, [
    { type: "thought", message: "m1", text: "Hm." },
    { type: "text", message: "m1", text: "I look." },
    { type: "call", callId: "c1", tool: "s__t", input: { a: 1 } },
    { type: "call", callId: "c2", tool: "s__t", input: undefined },
  ]);
});

Deno.test("replayMessage() gives prompts, and the results of calls", () => {
  const content = [{ type: "text", text: "hi" }] as const;
  assertEquals(replayMessage({ role: "user", content }, "m1"), [{ type: "prompt", content }]);
  assertEquals(
    replayMessage({
      role: "tool",
      results: [{ callId: "c1", name: "s__t", isError: true, content }],
    }, "m2"),
    [{ type: "call_ended", callId: "c1", result: { isError: true, content } }],
  );
});

Deno.test("a call that was refused, cancelled or interrupted was shown again as one that was answered", () => {
  const content = [{ type: "text", text: "There is no tool s__t" }] as const;
  const result = { callId: "c1", name: "s__t", isError: true, content, isUndelivered: true };
  assertEquals(replayMessage({ role: "tool", results: [result] }, "m1"), [{
    type: "call_ended",
    callId: "c1",
    result: { isError: true, content, isUndelivered: true },
  }]);
});
