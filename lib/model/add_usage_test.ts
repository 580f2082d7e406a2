import { assertEquals } from "@std/assert";
import { addUsage, asFailed, asSummary } from "./add_usage.ts";
import type { Usage } from "./message.ts";

Deno.test("addUsage() adds what was told, and makes nothing of what was not", () => {
  assertEquals(addUsage({}, {}), {});
  assertEquals(
    addUsage({ inputTokens: 5, cachedInputTokens: 2 }, { inputTokens: 1, outputTokens: 3 }),
    { inputTokens: 6, cachedInputTokens: 2, outputTokens: 3 },
  );
  assertEquals(addUsage({ costUsd: 0.5 }, { costUsd: 0.25 }), { costUsd: 0.75 });
});

Deno.test("addUsage() keeps the providers' total as long as each of them tells one", () => {
  const told = (totalTokens?: number): Usage => ({
    inputTokens: 1,
    ...(totalTokens === undefined ? {} : { totalTokens }),
  });
  const total = (...all: Usage[]) => all.reduce<Usage>(addUsage, {}).totalTokens;
  assertEquals([total(), total({}), total(told(7)), total(told(7), told(5))], [
    undefined,
    undefined,
    7,
    12,
  ]);
  // Once unknown it stays so, and it is not put together from input and output.
  assertEquals([total(told(), told(5)), total(told(7), told(), told(5))], [undefined, undefined]);
  // A reply that told no tokens at all says nothing against it.
  assertEquals([total(told(7), {}), total({ reasoningTokens: 1 }, told(5))], [7, 5]);
});

Deno.test("asFailed() and asSummary() mark counts that stay a part of the whole", () => {
  assertEquals(asFailed({ inputTokens: 5, outputTokens: 1, totalTokens: 6 }), {
    inputTokens: 5,
    outputTokens: 1,
    totalTokens: 6,
    failedInputTokens: 5,
    failedOutputTokens: 1,
  });
  assertEquals(asSummary({ inputTokens: 5 }), { inputTokens: 5, summaryInputTokens: 5 });
  assertEquals(asSummary({}), {});
});
