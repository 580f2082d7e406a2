import type { BackendName } from "../backend.ts";

/** Where an attempt is made from: the server itself, or a program that its bash started. */
export type ProbePlace = "js" | "bash" | "deno" | "python";

/** One attempt, and what came of it. */
export interface ProbeResult {
  /** What was attempted, in a few words joined by `-`. */
  readonly probe: string;
  readonly from: ProbePlace;
  /** What held it: a backend, or Deno's flags alone. */
  readonly backend: BackendName | "flags";
  /**
   * What it should come to. Beside what must be denied stands what the grant allows, and what is `open`: the
   * audit says of it that it is not confined, so that neither outcome is news.
   */
  readonly expected: "denied" | "allowed" | "open";
  readonly outcome: "denied" | "allowed" | "skipped";
  /** What the attempt saw: an error, or what got through. */
  readonly detail: string;
}

/** True for a result that is not what it should be. What was skipped tells nothing. */
export function isSurprise({ expected, outcome }: ProbeResult): boolean {
  return outcome !== "skipped" && expected !== "open" && outcome !== expected;
}

/** One line of a probe's output; `done` is its last one. */
export type ProbeLine =
  | (Pick<ProbeResult, "probe" | "outcome" | "detail"> & {
    readonly expected: "denied" | "allowed";
  })
  | { readonly done: true };

/** Reads a line of a probe's output; undefined for anything else. */
export function parseProbeLine(text: string): ProbeLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // a program's own words
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { done, probe, expected, outcome, detail } = value as Record<string, unknown>;
  if (done === true) return { done };
  const isWhole = typeof probe === "string" && typeof detail === "string" &&
    (expected === "denied" || expected === "allowed") &&
    (outcome === "denied" || outcome === "allowed" || outcome === "skipped");
  return isWhole ? { probe, expected, outcome, detail } : undefined;
}
