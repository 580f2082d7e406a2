import type { Usage } from "./message.ts";

/** Counts of which a sum is what was told. */
const COUNTS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
  "failedInputTokens",
  "failedOutputTokens",
  "summaryInputTokens",
  "summaryOutputTokens",
  "costUsd",
] as const satisfies readonly (keyof Usage)[];

/**
 * The sum of two usages, count by count. One that is unknown adds nothing: the sum is of what was told.
 * The providers' own total is another matter: with one that is unknown, that of all is.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  const known = COUNTS.filter((count) => a[count] !== undefined || b[count] !== undefined);
  const sum = Object.fromEntries(known.map((count) => [count, (a[count] ?? 0) + (b[count] ?? 0)]));
  const totals = [a, b].filter(isCounting).map(({ totalTokens }) => totalTokens);
  const total = totals.reduce<number | undefined>(
    (all, each) => all === undefined || each === undefined ? undefined : all + each,
    0,
  );
  return total === undefined || totals.length === 0 ? sum : { ...sum, totalTokens: total };
}

/** The usage of requests that came to nothing, marked so. */
export function asFailed(usage: Usage): Usage {
  return marked(usage, "failedInputTokens", "failedOutputTokens");
}

/** The usage of a summary, marked so. */
export function asSummary(usage: Usage): Usage {
  return marked(usage, "summaryInputTokens", "summaryOutputTokens");
}

/** Tells whether any tokens were told. */
function isCounting({ inputTokens, outputTokens }: Usage): boolean {
  return inputTokens !== undefined || outputTokens !== undefined;
}

function marked(usage: Usage, input: keyof Usage, output: keyof Usage): Usage {
  const { inputTokens, outputTokens } = usage;
  return {
    ...usage,
    ...(inputTokens === undefined ? {} : { [input]: inputTokens }),
    ...(outputTokens === undefined ? {} : { [output]: outputTokens }),
  };
}
