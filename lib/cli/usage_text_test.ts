import { assertEquals } from "@std/assert";
import { usageText } from "./usage_text.ts";

Deno.test("usageText() says tokens, what of them was cached, and the cost", () => {
  const usage = { inputTokens: 1204, cachedInputTokens: 1000, outputTokens: 88, costUsd: 0.00412 };
  assertEquals(usageText(usage), "1,204 in (1,000 cached), 88 out, $0.0041");
});

Deno.test("usageText() leaves out what nobody told", () => {
  assertEquals(usageText({ outputTokens: 5 }), "5 out");
  assertEquals(usageText({}), undefined);
});
