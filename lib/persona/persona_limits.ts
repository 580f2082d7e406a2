import { LIMITS, type Limits } from "../limits.ts";
import { nearest } from "../suggest.ts";
import type { Fields } from "./fields.ts";
import type { Persona } from "./persona.ts";
import { spelled } from "./spelled.ts";

/** Bounds of which 0 means that there is none. */
const ZERO_IS_NONE: readonly (keyof Limits)[] = ["maxRounds"];

/** The bounds of a run: a persona lowers them, and never raises one. */
export function personaLimits(limits: Limits, { limits: own }: Pick<Persona, "limits">): Limits {
  const lowered = Object.entries(own).filter(([name, value]) =>
    isLower(name as keyof Limits, value, limits)
  );
  return { ...limits, ...Object.fromEntries(lowered) };
}

/** Whether a value lowers one of the bounds; the bound itself does not. */
export function isLower(name: keyof Limits, value: number, limits: Limits): boolean {
  const most = (each: number) => ZERO_IS_NONE.includes(name) && each === 0 ? Infinity : each;
  return most(value) < most(limits[name]);
}

/**
 * Reads a persona's `limits`, by their names in the files' manner: `max_rounds` is `maxRounds`.
 *
 * @param limits The bounds in force: one that the persona does not lower is told.
 */
export function readPersonaLimits(fields: Fields, limits: Limits): Partial<Limits> {
  const inner = fields.fields("limits");
  if (inner === undefined) return {};
  const names = new Map(
    (Object.keys(LIMITS) as (keyof Limits)[]).map((name) => [spelled(name), name]),
  );
  const entries: [string, number][] = [];
  for (const key of inner.keys()) {
    const name = names.get(key);
    if (name === undefined) tellUnknown(inner, key, [...names.keys()]);
    else {
      const value = readLimit(inner, key, name, limits);
      if (value !== undefined) entries.push([name, value]);
    }
  }
  return Object.fromEntries(entries);
}

/** All of their names in a message would bury it. */
function tellUnknown(inner: Fields, key: string, names: readonly string[]): void {
  const near = nearest(key, names);
  const hint = near === undefined
    ? "; docs/limits.md has those there are"
    : `, did you mean "${near}"?`;
  inner.error(key, `there is no field "limits.${key}"${hint}`);
}

function readLimit(
  inner: Fields,
  key: string,
  name: keyof Limits,
  limits: Limits,
): number | undefined {
  const value = inner.count(key);
  if (value === undefined) return undefined;
  const { least, unit } = LIMITS[name];
  if (value < least) {
    inner.error(key, `"limits.${key}" must be at least ${least} ${unit}, not ${value}`);
    return undefined;
  }
  const bound = limits[name];
  if (value !== bound && !isLower(name, value, limits)) {
    const reason = `"limits.${key}" is ${value}, and changes nothing: the bound is ${bound}`;
    inner.warn(key, `${reason}, and a persona only lowers it`);
  }
  return value;
}
