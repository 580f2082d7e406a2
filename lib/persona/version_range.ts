type Version = readonly [major: number, minor: number, patch: number];

const COMPARATOR =
  /^(>=|<=|>|<|=|\^|~)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-[\w.-]+)?$/;

/**
 * Whether a version lies in a range as npm writes them: `>=1.2 <2`, `^1.2.3`, `~1.2`, `1.x`, `a || b`. What
 * comes after a hyphen in a version does not count.
 *
 * @returns undefined when the range cannot be read.
 *
 * @example
 * ```ts
 * import { isInRange } from "./version_range.ts";
 *
 * if (isInRange("0.3.1", "^0.3") !== true) throw new Error("it lies in the range");
 * ```
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/, 3).map(Number);
  const alternatives = range.split("||").map((each) => {
    const words = each.trim().replaceAll(/(>=|<=|>|<|=|\^|~)\s+/g, "$1").split(/\s+/);
    return words.map((word) => bounds(word));
  });
  if (alternatives.flat().includes(undefined)) return undefined;
  return alternatives.some((all) =>
    all.every((part) => {
      const [least, under] = part!;
      const here: Version = [major, minor, patch];
      return compare(here, least) >= 0 && (under === undefined || compare(here, under) < 0);
    })
  );
}

/** The first version of a comparator, and the first one past it. */
function bounds(word: string): [least: Version, under: Version | undefined] | undefined {
  if (word === "") return [[0, 0, 0], undefined];
  const match = COMPARATOR.exec(word);
  if (match === null) return undefined;
  const [, operator = "", ...texts] = match;
  const parts = texts.map((text) => text === undefined || /[xX*]/.test(text) ? undefined : +text);
  const known = parts.findIndex((part) => part === undefined);
  const given = known === -1 ? 3 : known;
  const least: Version = [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
  const all = [[0, 0, 0] as Version, undefined] as [Version, Version | undefined];
  if (given === 0) return all;
  const past = next(least, given - 1);
  switch (operator) {
    case ">=":
      return [least, undefined];
    case ">":
      return [past, undefined];
    case "<":
      return [[0, 0, 0], least];
    case "<=":
      return [[0, 0, 0], past];
    case "~":
      return [least, next(least, Math.min(given - 1, 1))];
    case "^": {
      const first = least.findIndex((part) => part !== 0);
      return [least, next(least, first === -1 ? given - 1 : Math.min(first, given - 1))];
    }
    default:
      return [least, past];
  }
}

/** The version with that part raised and all after it zero. */
function next(version: Version, index: number): Version {
  const [major, minor, patch] = version.map((part, at) =>
    at < index ? part : at === index ? part + 1 : 0
  );
  return [major!, minor!, patch!];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
