/**
 * The candidate that a mistyped word most likely means: the one with the fewest edits between, when
 * those are few for the word's length; else undefined. Case does not count.
 *
 * @example
 * ```ts
 * import { nearest } from "./suggest.ts";
 *
 * if (nearest("adit", ["audit", "chat"]) !== "audit") throw new Error("no suggestion");
 * ```
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase(), least);
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Edits (insert, delete, replace, swap neighbours) from `a` to `b`; `bound` when there are that many or more. */
function distance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let edits = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + (isSame ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] &&
        a[row - 2] === b[column - 1];
      if (isSwap) edits = Math.min(edits, before[column - 2]! + 1);
      current.push(edits);
    }
    [before, above] = [above, current];
  }
  return Math.min(above[b.length]!, bound);
}
