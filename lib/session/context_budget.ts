import type { Limits } from "../limits.ts";
import type { ModelFacts } from "../model/facts.ts";

/** How much of a model's context is for what, in tokens. */
export interface ContextBudget {
  /** A request and its reply together. */
  readonly window: number;
  /** A request from this size on is made smaller. */
  readonly threshold: number;
  /** What the last rounds keep, word for word. */
  readonly recent: number;
}

/** The budget of a model. Its reply's tokens are kept free, as far as that leaves half of the context. */
export function contextBudget(
  { contextTokens: window, maxOutputTokens: own }: Pick<
    ModelFacts,
    "contextTokens" | "maxOutputTokens"
  >,
  limits: Pick<Limits, "compactPercent" | "recentPercent" | "maxOutputTokens">,
): ContextBudget {
  const reply = Math.min(limits.maxOutputTokens, own ?? Infinity, Math.floor(window / 2));
  const most = Math.floor(window * Math.min(limits.compactPercent, 100) / 100);
  return {
    window,
    threshold: Math.min(most, window - reply),
    recent: Math.floor(window * Math.min(limits.recentPercent, 50) / 100),
  };
}
