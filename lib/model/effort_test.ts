import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { claudeThinking } from "./anthropic_effort.ts";
import { type Effort, EFFORTS, nearestEffort, parseEffort } from "./effort.ts";
import { fitOpenAIEffort, isOpenAIReasoner, openAIEfforts } from "./openai_effort.ts";
import { readModelSettings } from "./settings.ts";

Deno.test("parseEffort() reads each effort in any case, and nothing from a blank", () => {
  assertEquals(EFFORTS.map((effort) => parseEffort(` ${effort.toUpperCase()} `, "X")), [
    ...EFFORTS,
  ]);
  assertEquals([parseEffort("", "X"), parseEffort(undefined, "X")], [undefined, undefined]);
  const error = assertThrows(() => parseEffort("hard", "SKEP_THINKING_EFFORT"), SkepError);
  assertEquals([error.code, error.message], [
    "CONFIG_INVALID",
    'Cannot use SKEP_THINKING_EFFORT="hard": it must be one of none, minimal, low, medium, high, xhigh, max',
  ]);
});

Deno.test("nearestEffort() takes none and minimal for each other first, and of two the higher", () => {
  const cases: [Effort, Effort[], Effort][] = [
    ["high", ["low", "high"], "high"],
    ["none", ["minimal", "low"], "minimal"],
    ["minimal", ["none", "low"], "none"],
    ["minimal", ["low", "high"], "low"],
    ["medium", ["low", "high"], "high"],
    ["max", ["none", "high"], "high"],
    ["none", ["high"], "high"],
  ];
  for (const [wanted, supported, nearest] of cases) {
    assertEquals(nearestEffort(wanted, supported), nearest);
  }
  assertEquals(nearestEffort("low", []), undefined);
});

Deno.test("openAIEfforts() tells a model's efforts by its name, and no other's", () => {
  const base = ["minimal", "low", "medium", "high"];
  const one = ["none", "low", "medium", "high"];
  const four = ["none", "low", "medium", "high", "xhigh"];
  const six = ["none", "low", "medium", "high", "xhigh", "max"];
  const names: [string, string[] | undefined][] = [
    ["gpt-5", base],
    ["gpt5", base],
    ["gpt-5-mini", base],
    ["gpt-5-1106", base],
    ["gpt-5-2025-08-07", base],
    ["gpt-5-4o", base],
    ["openai/gpt-5", base],
    ["gpt-5-pro", ["high"]],
    ["gpt-5-pro-2025-10-06", ["high"]],
    ["gpt-5-professional", base],
    ["gpt-5.1", one],
    ["gpt-5-1", one],
    ["gpt5.1-codex", one],
    ["gpt-5.4", four],
    ["gpt-5.4-pro", four],
    ["databricks-gpt-5-5", four],
    ["GPT-5.6-sol", six],
    ["gpt-5-10", undefined],
    ["gpt-5.10", undefined],
    ["gpt-5.2", undefined],
    ["gpt-4.1", undefined],
    ["gpt-55", undefined],
    ["my-gpt-5o", undefined],
    ["xgpt-5", undefined],
    ["o3", ["low", "medium", "high"]],
    ["o4-mini-2025-04-16", ["low", "medium", "high"]],
    ["solo3", undefined],
    ["llama3:8b", undefined],
  ];
  for (const [name, efforts] of names) {
    assertEquals([name, openAIEfforts(name) as unknown], [name, efforts]);
  }
});

Deno.test("fitOpenAIEffort() sends what the model takes, and says what it changed", () => {
  assertEquals(fitOpenAIEffort("gpt-5.5", "max"), {
    effort: "xhigh",
    notice: 'gpt-5.5 gets the thinking effort "xhigh": it does not take "max"',
  });
  assertEquals(fitOpenAIEffort("gpt-5.6", "max"), { effort: "max" });
  assertEquals(fitOpenAIEffort("gpt-5", "none").effort, "minimal");
  assertEquals(fitOpenAIEffort("gpt-5.1", "minimal").effort, "none");
  assertEquals(fitOpenAIEffort("gpt-5-pro", "low").effort, "high");
});

Deno.test("fitOpenAIEffort() passes an effort on to an unknown model, max as xhigh, unless a catalog knows", () => {
  assertEquals(fitOpenAIEffort("llama3:8b", "minimal"), { effort: "minimal" });
  assertEquals(fitOpenAIEffort("llama3:8b", "max").effort, "xhigh");
  assertEquals(fitOpenAIEffort("glm-5.3", "medium", ["low", "high", "max"]).effort, "high");
  assertEquals(fitOpenAIEffort("glm-5.3", "max", ["low", "high", "max"]).effort, "max");
});

Deno.test("isOpenAIReasoner() goes by whole words of a name", () => {
  const names = [
    "gpt-5",
    "gpt-6-sol",
    "databricks-gpt-5-5",
    "o3-mini",
    "gpt-4o",
    "gpt-4.1",
    "solo1",
  ];
  assertEquals(names.map(isOpenAIReasoner), [true, true, true, true, false, false, false]);
});

Deno.test("claudeThinking() gives models up to 4.5 a budget, within what is left of the output", () => {
  const budget = (effort: Effort, most: number) => claudeThinking("claude-opus-4-5", effort, most);
  assertEquals(budget("low", 32_768), { budgetTokens: 1024 });
  assertEquals(budget("minimal", 32_768), { budgetTokens: 1024 });
  assertEquals(budget("medium", 32_768), { budgetTokens: 8192 });
  assertEquals(budget("high", 32_768), { budgetTokens: 31_744 });
  assertEquals(budget("max", 65_536), { budgetTokens: 32_768 });
  assertEquals(budget("high", 2048), { budgetTokens: 1024 });
  assertEquals(budget("high", 2047).budgetTokens, undefined);
  assertEquals(budget("none", 32_768), {});
  const names = [
    "claude-opus-4-5-20251101",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-opus-4-20250514",
    "claude-3-7-sonnet-20250219",
    "databricks-claude-opus-4-1",
    "anthropic/claude-haiku-4.5",
  ];
  assertEquals(
    names.map((name) => claudeThinking(name, "low", 9000)),
    names.map(() => (
      { budgetTokens: 1024 }
    )),
  );
});

Deno.test("claudeThinking() gives later models an effort, xhigh only to those that have it", () => {
  const effort = (model: string, wanted: Effort) => claudeThinking(model, wanted, 9000).effort;
  const xhigh = [
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-fable-5",
    "claude-mythos-5",
    "goose-claude-opus-5-5",
  ];
  assertEquals(xhigh.map((model) => effort(model, "xhigh")), Array(7).fill("xhigh"));
  const others = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-mythos-preview"];
  assertEquals(others.map((model) => effort(model, "xhigh")), ["high", "high", "high"]);
  assertEquals(others.map((model) => effort(model, "max")), ["max", "max", "max"]);
  assertEquals(effort("claude-opus-4-6", "minimal"), "low");
});

Deno.test("claudeThinking() sends nothing to what does not think, and says so", () => {
  assertEquals(claudeThinking("claude-3-haiku-20240307", "high", 9000), {
    notice: 'thinking effort is not sent to claude-3-haiku-20240307: it does not take "high"',
  });
  assertEquals(claudeThinking("my-gateway-model", "low", 9000).effort, undefined);
});

Deno.test("readModelSettings() reads skep's variables before buzz-agent's", () => {
  const read = (env: Record<string, string>) => readModelSettings((name) => env[name]);
  assertEquals(read({}), { effort: undefined, isCaching: true });
  const both = { SKEP_THINKING_EFFORT: "low", BUZZ_AGENT_THINKING_EFFORT: "high" };
  assertEquals(read({ ...both, BUZZ_AGENT_PROMPT_CACHING: "0" }), {
    effort: "low",
    isCaching: false,
  });
  assertEquals(read({ SKEP_PROMPT_CACHING: "1", BUZZ_AGENT_PROMPT_CACHING: "0" }).isCaching, true);
  assertThrows(() => read({ SKEP_PROMPT_CACHING: "yes" }), SkepError, "SKEP_PROMPT_CACHING");
});
