import { assertEquals } from "@std/assert";
import { addUsage } from "./add_usage.ts";
import { costOf } from "./cost.ts";
import { zooModel, zooModels } from "./zoo.ts";

Deno.test("zooModel() knows a model by its maker's name, OpenRouter's, with a date and behind a cloud's words", () => {
  const names: [string, string | undefined][] = [
    ["claude-sonnet-4-5", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1-20250805"],
    ["databricks-claude-opus-4-7", "claude-opus-4-7"],
    ["claude-opus-4-1", "claude-opus-4-1-20250805"],
    ["gpt-5.5", "gpt-5.5-2026-04-23"],
    ["databricks-gpt-5-5", "gpt-5.5-2026-04-23"],
    ["GPT-4o", "gpt-4o-2024-11-20"],
    ["gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
    ["gemini-2.5-flash", "gemini-2.5-flash"],
    ["llama3:8b", undefined],
    ["claude", undefined],
    ["", undefined],
  ];
  for (const [name, id] of names) assertEquals([name, zooModel(name)?.id], [name, id]);
});

Deno.test("zooModel() takes the plain model where a variant has its name", () => {
  assertEquals(zooModel("claude-sonnet-4-20250514")?.prices.input, 3);
  assertEquals(zooModel("claude-sonnet-4-5")?.prices, {
    input: 3,
    output: 15,
    cachedInput: 0.3,
    cacheWrite: 3.75,
  });
});

Deno.test("zooModels() lists a maker's models that are served, each once", () => {
  const ids = zooModels("anthropic").map(({ id }) => id);
  assertEquals(new Set(ids).size, ids.length);
  assertEquals([ids.includes("claude-sonnet-5"), ids.includes("claude-3-opus-20240229")], [
    true,
    false,
  ]);
});

Deno.test("costOf() takes what was cached out of the input, and is unknown without both counts", () => {
  const prices = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 };
  const usage = { inputTokens: 240, cachedInputTokens: 200, cacheWriteTokens: 30, outputTokens: 5 };
  assertEquals(costOf(usage, prices), 0.0002775);
  assertEquals(costOf({ inputTokens: 1_000_000, outputTokens: 0 }, { input: 2, output: 9 }), 2);
  assertEquals(costOf({ inputTokens: 1 }, prices), undefined);
  assertEquals(costOf({ outputTokens: 1 }, prices), undefined);
});

Deno.test("addUsage() adds costs as it adds tokens, and leaves out what nobody told", () => {
  assertEquals(addUsage({ inputTokens: 1, costUsd: 0.5 }, { inputTokens: 2, outputTokens: 3 }), {
    inputTokens: 3,
    outputTokens: 3,
    costUsd: 0.5,
  });
});
