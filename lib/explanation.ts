/** One thing that was looked at on the way to the model, in the order in which skep looks. */
export interface Check {
  /** What was looked at, in a word or two. */
  readonly what: string;
  /** `noted`: it is not as its owner may think, and keeps nothing away. */
  readonly outcome: "passed" | "noted" | "failed";
  /** A clause about it. */
  readonly text: string;
}

/** Why something is, or is not, there for the model. */
export interface Explanation {
  readonly kind: "server" | "tool" | "hook" | "skill" | "built-in" | "unknown";
  /** What the model, or a person, calls it. */
  readonly name: string;
  readonly isThere: boolean;
  /** Up to the first one that failed, it included. */
  readonly checks: readonly Check[];
  /** What a person can do about it; absent where there is nothing to do. */
  readonly advice?: string;
}

/** A check, and what to do when it fails. */
export interface Look {
  readonly what: string;
  /** Undefined: it passed. */
  readonly fault?: string | undefined;
  readonly advice?: string | undefined;
  /** The clause when it passed. */
  readonly passed: string;
  readonly isNoted?: boolean;
}

/** Goes through looks in order, up to the first one that failed. */
export function explain(
  kind: Explanation["kind"],
  name: string,
  looks: readonly Look[],
): Explanation {
  const failed = looks.findIndex(({ fault }) => fault !== undefined);
  const seen = failed === -1 ? looks : looks.slice(0, failed + 1);
  const checks = seen.map(({ what, fault, passed, isNoted }): Check => {
    if (fault !== undefined) return { what, outcome: "failed", text: fault };
    return { what, outcome: isNoted ? "noted" : "passed", text: passed };
  });
  const advice = looks[failed]?.advice;
  return { kind, name, isThere: failed === -1, checks, ...(advice && { advice }) };
}
