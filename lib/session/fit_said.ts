import { textTokens } from "./estimate_tokens.ts";

/** What of a text is worth keeping, in tokens: with less of each, older ones are left out. */
const LEAST_TOKENS = 32;

/**
 * The first text, which says what all is about, and the newest others, in `maxTokens` as JSON texts: long
 * ones are cut to a share that all have, with a mark that counts what is missing. The first and the newest
 * are always there.
 */
export function fitSaid(said: readonly string[], maxTokens: number): string[] {
  const [first, ...others] = said;
  if (first === undefined) return [];
  let least = Math.min(cost(first), LEAST_TOKENS);
  const kept: string[] = [];
  for (const text of others.toReversed()) {
    least += Math.min(cost(text), LEAST_TOKENS);
    if (least > maxTokens && kept.length > 0) break;
    kept.unshift(text);
  }
  const all = [first, ...kept];
  const share = shareOf(all.map(cost), maxTokens);
  return all.map((text) => cut(text, share));
}

function cost(text: string): number {
  return textTokens(JSON.stringify(text)) + 1;
}

/** What each may take at most so that all fit: what short ones leave is the long ones'. */
function shareOf(costs: readonly number[], maxTokens: number): number {
  let left = maxTokens;
  const ascending = costs.toSorted((a, b) => a - b);
  for (const [index, each] of ascending.entries()) {
    const share = Math.floor(left / (costs.length - index));
    if (each > share) return share;
    left -= each;
  }
  return Infinity;
}

function cut(text: string, maxTokens: number): string {
  if (cost(text) <= maxTokens) return text;
  const first = (length: number) => {
    const head = text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
    return `${head}… [${text.length - head.length} of ${text.length} characters are cut here]`;
  };
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (cost(first(middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return first(low);
}
