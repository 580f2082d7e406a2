import { SkepError } from "../errors.ts";
import { nearest } from "../suggest.ts";
import { isCount } from "./dialect.ts";
import { isRecord } from "./is_record.ts";

/** Where in which file a value stands, for errors. */
export interface Place {
  /** The file, as its owner wrote its name. */
  readonly source: string;
  /** Such as `reply 2, part 1`. */
  readonly where: string;
}

/**
 * Reads the fields of one mapping in a script, each as what it must be. Every method throws
 * `CONFIG_INVALID` with the place, the field, its value and what was wanted.
 */
export class ScriptFields {
  readonly #value: Readonly<Record<string, unknown>>;

  /** @param known The fields that the mapping may have. */
  constructor(value: unknown, readonly place: Place, known: readonly string[]) {
    if (!isRecord(value)) {
      const wanted = `must be a mapping of ${known.join(", ")}`;
      throw invalidScript(place, `it ${wanted}; it is ${shown(value)}`);
    }
    const odd = Object.keys(value).find((name) => !known.includes(name));
    if (odd !== undefined) {
      const near = nearest(odd, known);
      const hint = near === undefined ? `known are ${known.join(", ")}` : `did you mean ${near}?`;
      throw invalidScript(place, `it has an unknown field "${odd}"; ${hint}`);
    }
    this.#value = value;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    return this.#value[name];
  }

  text(name: string): string {
    const value = this.#value[name];
    if (typeof value === "string") return value;
    throw this.unfit(name, "a string");
  }

  record(name: string): Readonly<Record<string, unknown>> {
    const value = this.#value[name];
    if (isRecord(value)) return value;
    throw this.unfit(name, "a mapping");
  }

  list(name: string): readonly unknown[] {
    const value = this.#value[name];
    if (Array.isArray(value)) return value;
    throw this.unfit(name, "a list");
  }

  count(name: string, unit: string): number {
    const value = this.#value[name];
    if (isCount(value)) return value;
    throw this.unfit(name, `a whole number of ${unit}`);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = allowed.find((one) => one === this.#value[name]);
    if (value !== undefined) return value;
    throw this.unfit(name, `one of ${allowed.join(", ")}`);
  }

  /** The mapping in one field. */
  nested(name: string, known: readonly string[]): ScriptFields {
    const { source, where } = this.place;
    return new ScriptFields(this.#value[name], { source, where: `${where}, ${name}` }, known);
  }

  /** The error for a field whose value is not as `wanted`. */
  unfit(name: string, wanted: string): SkepError {
    const found = this.has(name) ? shown(this.#value[name]) : "missing";
    return invalidScript(this.place, `${name} must be ${wanted}; it is ${found}`);
  }
}

/** The error for a script that cannot be used. */
export function invalidScript({ source, where }: Place, why: string): SkepError {
  return new SkepError("CONFIG_INVALID", `Cannot use the script ${source}: ${where}: ${why}`, {
    source,
  });
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
