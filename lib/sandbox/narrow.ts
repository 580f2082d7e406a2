import type { Cut, Entry } from "./grant.ts";

/** What a ceiling leaves of a list. */
export interface Narrowed {
  readonly entries: readonly Entry[];
  readonly cut: readonly Cut[];
}

/** What one ceiling says of a list. */
export interface ListCeiling {
  readonly origin: string;
  /** Undefined limits nothing, an empty one allows nothing (T61). */
  readonly allowed: readonly string[] | undefined;
}

/**
 * Cuts a list down to ceilings, each of which holds. An entry that lies within one stays as it is; of one
 * that reaches further the common parts stay, as entries of the ceiling's.
 *
 * @param meet What two entries have in common; undefined for nothing, the first itself when it lies within.
 */
export function narrow(
  list: Cut["list"],
  entries: readonly Entry[],
  ceilings: readonly ListCeiling[],
  meet: (asked: string, allowed: string) => string | undefined,
): Narrowed {
  let left = entries;
  const cut: Cut[] = [];
  for (const { origin, allowed } of ceilings) {
    if (allowed === undefined) continue;
    left = left.flatMap((entry) => {
      const found = allowed.map((each) => meet(entry.value, each));
      const parts = [...new Set(found)].filter((part) => part !== undefined);
      if (parts.includes(entry.value)) return [entry];
      const what = parts.length === 0 ? "does not allow it" : `allows ${parts.join(", ")} of it`;
      cut.push({ list, value: entry.value, reason: `${origin} ${what}` });
      return parts.map((value) => ({ value, origin }));
    });
  }
  return { entries: left, cut };
}

/** The common part of two names: the name when they are the same. */
export function sameName(asked: string, allowed: string): string | undefined {
  return asked === allowed ? asked : undefined;
}
