import { assertEquals } from "@std/assert";
import type { Usage } from "../model/message.ts";
import { toTotals } from "./usage_totals.ts";

function totals(session: Usage) {
  return toTotals({ type: "usage", round: {}, session, model: "m" });
}

Deno.test("toTotals() says what is known of a session, and leaves out what is not", () => {
  assertEquals(totals({ inputTokens: 5, outputTokens: 2 }), {
    sessionUpdate: "usage_update",
    used: 7,
    contextLimit: 0,
    accumulatedInputTokens: 5,
    accumulatedOutputTokens: 2,
    model: "m",
  });
  assertEquals(totals({ cachedInputTokens: 5 }), undefined);
});

Deno.test("toTotals() marks what failed attempts took", () => {
  const marked = totals({ inputTokens: 5, cachedInputTokens: 1, failedInputTokens: 3 });
  assertEquals([marked?.accumulatedCachedInputTokens, marked?._meta], [1, {
    skep: { failedAttempts: { inputTokens: 3, outputTokens: undefined } },
  }]);
});

Deno.test("toTotals() tells the providers' own total when there is one, and what summaries took", () => {
  const told = totals({ inputTokens: 5, outputTokens: 2, totalTokens: 9, summaryInputTokens: 4 });
  assertEquals([told?.accumulatedTotalTokens, told?._meta], [9, {
    skep: { summaries: { inputTokens: 4, outputTokens: undefined } },
  }]);
});

Deno.test("test_anthropic_input_overflow_omits_accumulated_input_tokens", () => {
  const told = totals({ inputTokens: Number.MAX_SAFE_INTEGER + 1, outputTokens: 2 });
  assertEquals([told?.accumulatedInputTokens, told?.accumulatedOutputTokens], [undefined, 2]);
});
