import type { Effort } from "./effort.ts";

/** What a million tokens cost, in US dollars. */
export interface Prices {
  readonly input: number;
  /** Of an input token that was read from the cache; `input` when absent. */
  readonly cachedInput?: number;
  /** Of an input token that was written to the cache; `input` when absent. */
  readonly cacheWrite?: number;
  readonly output: number;
}

/** What is known of a model. */
export interface ModelFacts {
  /** Tokens that a request and its reply may have together. */
  readonly contextTokens: number;
  /** Who says so: the operator, the provider's own list, the catalog; or nobody, and it is a guess. */
  readonly source: "operator" | "provider" | "catalog" | "guess";
  readonly maxOutputTokens?: number;
  readonly prices?: Prices;
  /** False: the model refuses images. Absent: unknown. */
  readonly takesImages?: boolean;
  readonly efforts?: readonly Effort[];
}
