import { assertEquals } from "@std/assert";
import { ANTHROPIC_DIALECT } from "./anthropic_dialect.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";

Deno.test("ANTHROPIC_DIALECT counts what was read from and written to the cache as input", () => {
  const raw = {
    input_tokens: 10,
    cache_read_input_tokens: 200,
    cache_creation_input_tokens: 30,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
    service_tier: "standard",
  };
  assertEquals(ANTHROPIC_DIALECT.readUsage(raw), {
    inputTokens: 240,
    cachedInputTokens: 200,
    cacheWriteTokens: 30,
    outputTokens: 5,
    reasoningTokens: 2,
  });
});

Deno.test("ANTHROPIC_DIALECT leaves out what it was not told, and keeps a zero that it was", () => {
  const raw = { input_tokens: 10, cache_read_input_tokens: null, output_tokens: 0 };
  assertEquals(ANTHROPIC_DIALECT.readUsage(raw), { inputTokens: 10, outputTokens: 0 });
  assertEquals(ANTHROPIC_DIALECT.readUsage({ cache_read_input_tokens: 3 }), {
    cachedInputTokens: 3,
  });
  assertEquals(ANTHROPIC_DIALECT.readUsage({}), {});
});

Deno.test("CHAT_DIALECT takes prompt_tokens as they are, cached ones included", () => {
  const raw = {
    prompt_tokens: 100,
    completion_tokens: 7,
    total_tokens: 107,
    prompt_tokens_details: { cached_tokens: 90 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  assertEquals(CHAT_DIALECT.readUsage(raw), {
    inputTokens: 100,
    cachedInputTokens: 90,
    outputTokens: 7,
    reasoningTokens: 4,
    totalTokens: 107,
  });
});

Deno.test("CHAT_DIALECT lost the tokens of a stream that broke off behind them", () => {
  const events = CHAT_DIALECT.readEvents!();
  events.take({ choices: [], usage: null });
  assertEquals(events.usage, undefined);
  events.take({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1 } });
  events.take({ choices: [] });
  assertEquals(CHAT_DIALECT.readUsage(events.usage!), { inputTokens: 9, outputTokens: 1 });
});

Deno.test("CHAT_DIALECT leaves out what it was not told, and what is no count", () => {
  const raw = {
    prompt_tokens: 3,
    completion_tokens: -1,
    prompt_tokens_details: null,
    completion_tokens_details: { reasoning_tokens: 1.5 },
  };
  assertEquals(CHAT_DIALECT.readUsage(raw), { inputTokens: 3 });
});

Deno.test("CHAT_DIALECT prefers the flat count of cached tokens that some gateways send", () => {
  const raw = { cache_read_input_tokens: 8, prompt_tokens_details: { cached_tokens: 2 } };
  assertEquals(CHAT_DIALECT.readUsage(raw), { cachedInputTokens: 8 });
});
