/** One row of the table. */
export interface Measurement {
  readonly what: string;
  /** The median of its runs. */
  readonly value: number;
  readonly unit: "ms" | "MB";
  /** What it is compared with; then `reach` is a ratio. */
  readonly base?: { readonly what: string; readonly value: number };
  /** What it is to stay within. */
  readonly reach?: number;
}

const RUNS = 15;

/** The median of numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/**
 * Runs several things in turn, over and over, so that whatever else the machine does meets them all
 * alike; gives the times of each. The first run of each warms caches and is not counted.
 */
export async function timesOf(
  things: readonly (() => Promise<number>)[],
  runs = RUNS,
): Promise<number[][]> {
  const times = things.map((): number[] => []);
  for (let run = 0; run <= runs; run++) {
    for (const [index, thing] of things.entries()) {
      const time = await thing();
      if (run > 0) times[index]!.push(time);
    }
  }
  return times;
}

/** The median of each, run as {@linkcode timesOf} does. */
export async function medians(...args: Parameters<typeof timesOf>): Promise<number[]> {
  return (await timesOf(...args)).map(median);
}
