import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Message } from "../model/message.ts";
import { contextBudget } from "./context_budget.ts";
import { ContextGauge } from "./context_gauge.ts";
import { messageTokens, textTokens, toolTokens } from "./estimate_tokens.ts";
import { splitHistory } from "./split_history.ts";

const NONE = { system: "", tools: [] };

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function exchange(id: string, bytes: number): Message[] {
  const text = "r".repeat(bytes);
  return [
    { role: "assistant", content: [{ type: "call", id, name: "t", input: "{}" }] },
    {
      role: "tool",
      results: [{ callId: id, name: "t", isError: false, content: [{ type: "text", text }] }],
    },
  ];
}

Deno.test("textTokens() counts three bytes of UTF-8 as a token", () => {
  const counts = ["", "abc", "abcd", "é", "漢字", "🐝", "a\ud800"].map(textTokens);
  assertEquals(counts, [0, 1, 2, 1, 2, 2, 1]);
});

Deno.test("messageTokens() counts words, calls, results, what providers attach, and pictures by number", () => {
  const image = { type: "image", data: "A".repeat(90_000), mediaType: "image/png" } as const;
  assertEquals(messageTokens(user("abc")), 9);
  assertEquals(messageTokens({ role: "user", content: [image] }), 2008);
  assertEquals(exchange("c", 300).map(messageTokens), [17, 116]);
  const reasoning = { type: "reasoning", text: "abc", metadata: { k: "v" } } as const;
  assertEquals(messageTokens({ role: "assistant", content: [reasoning] }), 12);
});

Deno.test("ContextGauge counts system and tools before a provider has, and then what that counted and the tail", () => {
  const history = [user("abc")];
  const gauge = new ContextGauge(history);
  const tool = { name: "t", description: "d".repeat(100), inputSchema: {} };
  const along = { system: "s".repeat(300), tools: [tool] };
  assertEquals(gauge.measure(along), 9 + 100 + toolTokens([tool]));
  gauge.told({ inputTokens: 5000, failedInputTokens: 1000, outputTokens: 7 }, along);
  assertEquals(gauge.measure(along), 4000);
  history.push(user("abcdef"));
  assertEquals(gauge.measure(along), 4010);
  assertEquals(gauge.measure({ ...along, tools: [tool, { ...tool }] }), 4010 + toolTokens([tool]));
  gauge.told({}, along); // a provider that does not count changes nothing
  assertEquals(gauge.measure(along), 4010);
  history.splice(0, 1);
  gauge.reset();
  assertEquals(gauge.measure(NONE), 10);
});

Deno.test("ContextGauge looks at each message once, however often it measures", () => {
  let looks = 0;
  const message: Message = {
    role: "user",
    get content() {
      looks++;
      return [{ type: "text", text: "x" }] as const;
    },
  };
  const gauge = new ContextGauge(Array.from({ length: 100 }, () => message));
  for (let round = 0; round < 50; round++) gauge.measure(NONE);
  assertEquals(looks, 100);
});

Deno.test("contextBudget() keeps the reply free, and half of the context at least for the request", () => {
  const limits = {
    ...DEFAULT_LIMITS,
    maxOutputTokens: 1000,
    compactPercent: 90,
    recentPercent: 25,
  };
  const of = (contextTokens: number, more = {}) =>
    contextBudget({ contextTokens }, { ...limits, ...more });
  assertEquals(of(100_000), { window: 100_000, threshold: 90_000, recent: 25_000 });
  assertEquals(of(8000).threshold, 7000);
  assertEquals(of(1000).threshold, 500);
  assertEquals(of(100_000, { compactPercent: 50 }).threshold, 50_000);
  assertEquals(of(100_000, { compactPercent: 101 }).threshold, 99_000);
  assertEquals(of(100_000, { recentPercent: 51 }).recent, 50_000);
  assertEquals(
    contextBudget({ contextTokens: 8000, maxOutputTokens: 100 }, limits).threshold,
    7200,
  );
});

Deno.test("splitHistory() keeps the last messages that fit, never a result without its call", () => {
  const history = [user("go"), ...exchange("a", 300), ...exchange("b", 300), user("more")];
  const last = messageTokens(user("more"));
  assertEquals(splitHistory(history, 0), 5);
  assertEquals(splitHistory(history, last), 5);
  assertEquals(splitHistory(history, last + 117 + 16), 3);
  assertEquals(splitHistory(history, last + 116 + 17 - 1), 5);
  assertEquals(splitHistory(history, 100_000), 0);
  const open = [user("go"), ...exchange("a", 90_000)];
  assertEquals(splitHistory(open, 10), 1);
  assertEquals(splitHistory([], 10), 0);
});
