import type { Usage } from "../model/message.ts";

/**
 * Tokens and cost in a few words, such as `1,204 in (1,000 cached), 88 out, $0.0041`; undefined when
 * nothing is known. What nobody told is left out, since unknown is not zero.
 */
export function usageText(usage: Usage): string | undefined {
  const count = (value: number) => value.toLocaleString("en-US");
  const { inputTokens, cachedInputTokens, outputTokens, costUsd } = usage;
  const cached = cachedInputTokens === undefined || cachedInputTokens === 0
    ? ""
    : ` (${count(cachedInputTokens)} cached)`;
  const parts = [
    ...(inputTokens === undefined ? [] : [`${count(inputTokens)} in${cached}`]),
    ...(outputTokens === undefined ? [] : [`${count(outputTokens)} out`]),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}
