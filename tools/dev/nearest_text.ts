/** The lines of a text that come nearest to one that was looked for. */
export interface NearestText {
  /** Lines counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The lines as they stand, without line ends. */
  readonly lines: readonly string[];
  /** Nothing but whitespace differs. */
  readonly isWhitespaceOnly: boolean;
  /**
   * The first line that differs: how it stands in the text, and how it was looked for. With their line ends
   * where nothing but those, or the lines around, differs.
   */
  readonly difference: { readonly line: number; readonly found: string; readonly wanted: string };
}

/** Less alike than this, a hint misleads. 1 is equal. */
const LEAST_SIMILARITY = 0.6;
/** Places looked at as a whole, once their line that tells most is alike. */
const MAX_CANDIDATES = 20;
/** Of longer lines only the start is compared. */
const MAX_LINE = 400;
/** A hint is worth that much of everybody's time; what was looked at until then decides. */
const MAX_MS = 300;
const LOOKS_BETWEEN_CLOCKS = 256;

/**
 * Finds what was probably meant by a text that is not there: the same lines with other whitespace,
 * else the lines that are most alike. Undefined when nothing is near.
 */
export function nearestText(text: string, wanted: string): NearestText | undefined {
  const lines = text.split(/\r?\n/);
  const looked = trimmedBlank(wanted.split(/\r?\n/));
  if (looked.length === 0 || looked.length > lines.length) return undefined;
  const all = lines.map(squeezed);
  const squeezedLooked = looked.map(squeezed);
  const start = sameLines(all, squeezedLooked) ?? mostAlike(all, squeezedLooked);
  if (start === undefined) return undefined;
  const found = lines.slice(start, start + looked.length);
  const at = found.findIndex((line, index) => line !== looked[index]);
  const difference = at === -1
    ? differenceInEnds(text, wanted, start)
    : { line: start + at + 1, found: found[at]!, wanted: looked[at]! };
  if (difference === undefined) return undefined;
  return {
    first: start + 1,
    last: start + found.length,
    lines: found,
    isWhitespaceOnly: found.every((line, index) => squeezed(line) === squeezed(looked[index]!)),
    difference,
  };
}

/** Where lines that are the same at `start`, without the blank ones around, differ all the same. */
function differenceInEnds(
  text: string,
  wanted: string,
  start: number,
): NearestText["difference"] | undefined {
  const lines = withEnds(text);
  const looked = withEnds(wanted);
  const first = start - looked.findIndex((line) => line.trim() !== "");
  for (const [index, line] of looked.entries()) {
    const found = lines[first + index] ?? "";
    // A text begins and ends in the middle of a line.
    const isSame = index === looked.length - 1
      ? found.startsWith(line)
      : index === 0
      ? found.endsWith(line)
      : found === line;
    if (!isSame) return { line: Math.max(first + index, 0) + 1, found, wanted: line };
  }
  return undefined;
}

function withEnds(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** Without the blank lines around. */
function trimmedBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

function squeezed(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

/** Where lines stand among others. */
function sameLines(all: readonly string[], looked: readonly string[]): number | undefined {
  for (let start = 0; start + looked.length <= all.length; start++) {
    if (looked.every((line, index) => all[start + index] === line)) return start;
  }
  return undefined;
}

function mostAlike(all: readonly string[], looked: readonly string[]): number | undefined {
  // The longest line tells most.
  const key = looked.reduce((best, line, at) => line.length > looked[best]!.length ? at : best, 0);
  const keyPairs = pairsOf(looked[key]!);
  const candidates: Candidate[] = [];
  const endMs = performance.now() + MAX_MS;
  for (let at = key; at + looked.length - key <= all.length; at++) {
    if (at % LOOKS_BETWEEN_CLOCKS === 0 && performance.now() > endMs) break;
    const similarity = alike(all[at]!, keyPairs);
    if (similarity < LEAST_SIMILARITY) continue;
    candidates.push({ start: at - key, similarity });
    if (candidates.length > 10 * MAX_CANDIDATES) keepBest(candidates);
  }
  keepBest(candidates);
  const wanted = looked.map(pairsOf);
  const scored = candidates.map(({ start }) => {
    const sum = wanted.reduce((sum, pairs, at) => sum + alike(all[start + at]!, pairs), 0);
    return { start, similarity: sum / wanted.length };
  });
  keepBest(scored);
  const best = scored[0];
  return best === undefined || best.similarity < LEAST_SIMILARITY ? undefined : best.start;
}

interface Candidate {
  readonly start: number;
  readonly similarity: number;
}

function keepBest(candidates: Candidate[]): void {
  candidates.sort((a, b) => b.similarity - a.similarity || a.start - b.start);
  candidates.length = Math.min(candidates.length, MAX_CANDIDATES);
}

/** A line as its pairs of neighbouring characters. */
interface Pairs {
  readonly counts: ReadonlyMap<number, number>;
  readonly size: number;
}

function pairsOf(line: string): Pairs {
  const size = Math.min(line.length, MAX_LINE);
  const counts = new Map<number, number>();
  for (let at = 0; at < size; at++) {
    const pair = pairAt(line, at);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, size };
}

/** The last character makes a pair with nothing. */
function pairAt(line: string, at: number): number {
  return line.charCodeAt(at) * 0x10000 + (at + 1 < line.length ? line.charCodeAt(at + 1) : 0);
}

/** Dice's coefficient: twice the pairs in common over all pairs. */
function alike(line: string, pairs: Pairs): number {
  const size = Math.min(line.length, MAX_LINE);
  if (size + pairs.size === 0) return 1;
  // What differs this much in length cannot be alike enough.
  if (2 * Math.min(size, pairs.size) < LEAST_SIMILARITY * (size + pairs.size)) return 0;
  const left = new Map<number, number>();
  let common = 0;
  for (let at = 0; at < size; at++) {
    const pair = pairAt(line, at);
    const count = left.get(pair) ?? pairs.counts.get(pair) ?? 0;
    if (count === 0) continue;
    common++;
    left.set(pair, count - 1);
  }
  return 2 * common / (size + pairs.size);
}
