import type { Update } from "../turn/update.ts";

/**
 * The counts of a session so far in the shape of buzz-agent's `usage_update`. A count that no reply
 * told is left out: it is unknown, not zero; so is one that no number holds exactly. Undefined when there
 * is nothing to count yet.
 */
export function toTotals(
  { session, model }: Extract<Update, { type: "usage" }>,
): Readonly<Record<string, unknown>> | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = session;
  const { failedInputTokens, failedOutputTokens, summaryInputTokens, summaryOutputTokens } =
    session;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const counts = {
    accumulatedInputTokens: inputTokens,
    accumulatedOutputTokens: outputTokens,
    accumulatedCachedInputTokens: cachedInputTokens,
    accumulatedCacheWriteTokens: cacheWriteTokens,
    accumulatedTotalTokens: session.totalTokens,
  };
  const parts = {
    ...partOf("failedAttempts", failedInputTokens, failedOutputTokens),
    ...partOf("summaries", summaryInputTokens, summaryOutputTokens),
  };
  return {
    sessionUpdate: "usage_update",
    used: (inputTokens ?? 0) + (outputTokens ?? 0),
    contextLimit: 0,
    ...Object.fromEntries(
      Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count)),
    ),
    model,
    ...(Object.keys(parts).length === 0 ? {} : { _meta: { skep: parts } }),
  };
}

function partOf(name: string, inputTokens?: number, outputTokens?: number) {
  const isTold = inputTokens !== undefined || outputTokens !== undefined;
  return isTold ? { [name]: { inputTokens, outputTokens } } : {};
}
