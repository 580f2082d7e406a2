import { SkepError } from "../errors.ts";

/** How hard a model is to think, from not at all to all it can. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** One of {@linkcode EFFORTS}. */
export type Effort = (typeof EFFORTS)[number];

/** An effort as a model takes it: undefined when the model takes none. */
export interface FittedEffort {
  readonly effort: Effort | undefined;
  /** One line for people when it is not the one that was asked for. */
  readonly notice?: string;
}

/**
 * Reads an effort that somebody wrote, in any case. Blank: undefined.
 *
 * @param source The variable, flag or file at fault, for the message.
 * @throws {SkepError} `CONFIG_INVALID`.
 */
export function parseEffort(text: string | undefined, source: string): Effort | undefined {
  const word = text?.trim().toLowerCase() ?? "";
  if (word === "") return undefined;
  const effort = EFFORTS.find((each) => each === word);
  if (effort !== undefined) return effort;
  throw new SkepError(
    "CONFIG_INVALID",
    `Cannot use ${source}="${text}": it must be one of ${EFFORTS.join(", ")}`,
    { source },
  );
}

/**
 * The effort nearest to the one wanted that a model takes: `none` and `minimal` stand in for each
 * other first, then the nearest one counts, of two as near the higher.
 */
export function nearestEffort(wanted: Effort, supported: readonly Effort[]): Effort | undefined {
  if (supported.includes(wanted)) return wanted;
  const other = wanted === "none" ? "minimal" : wanted === "minimal" ? "none" : undefined;
  if (other !== undefined && supported.includes(other)) return other;
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  return EFFORTS.toReversed().filter((effort) => supported.includes(effort))
    .toSorted((a, b) => distance(a) - distance(b))[0]; // sorting keeps the higher one first
}

/** A {@linkcode FittedEffort} with the notice that fits. `wanted` is what a person asked for. */
export function fitted(model: string, wanted: Effort, effort: Effort | undefined): FittedEffort {
  if (effort === wanted) return { effort };
  const did = effort === undefined
    ? `thinking effort is not sent to ${model}`
    : `${model} gets the thinking effort "${effort}"`;
  return { effort, notice: `${did}: it does not take "${wanted}"` };
}
