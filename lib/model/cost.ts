import type { Prices } from "./facts.ts";
import type { Usage } from "./message.ts";

const MILLION = 1_000_000;
/** Digits behind the point: a hundredth of what one token of the cheapest cache costs. */
const MOST_DIGITS = 12;

/**
 * What a usage costs, in US dollars; undefined when input or output is unknown. What is said to be
 * cached is taken out of the input, of which it is a part.
 */
export function costOf(usage: Usage, prices: Prices): number | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const { input, output, cachedInput = input, cacheWrite = input } = prices;
  const total = plain * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite +
    outputTokens * output;
  return Number((total / MILLION).toFixed(MOST_DIGITS));
}
