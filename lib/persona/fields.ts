import { nearest } from "../suggest.ts";
import type { At, Place, Problems } from "./problems.ts";

/** Where a mapping was written, and who is told what is wrong with it. */
export interface Source {
  readonly file: string;
  /** The place of a key by its path, such as `defaults.model`, or of the whole, ""; undefined when unknown. */
  readonly placeOf: (path: string) => Place | undefined;
  readonly problems: Problems;
  /** What a name that nobody knows is: a mistake, or nothing of ours. */
  readonly unknownKeys: "error" | "warning";
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * A mapping of a persona or manifest file, read field by field. An absent field and a null one both
 * read as undefined. So does a field of another type than asked for, after the source's `problems` were told
 * of file, place and value: a reader goes on and finds what else is wrong.
 *
 * It holds each value twice, as YAML types it and as it was written, because a text field takes any
 * plain scalar as written (`version: 1.0` is "1.0") while a number or a boolean must be one. From JSON
 * both are the same.
 */
export class Fields {
  private constructor(
    private readonly typed: Mapping,
    private readonly verbatim: Mapping,
    private readonly source: Source,
    /** Where this mapping is inside the file: `` at the top, else ending in a dot. */
    private readonly path: string,
  ) {}

  /** The top of a file; undefined, and told, when the value is no mapping. */
  static of(typed: unknown, verbatim: unknown, source: Source): Fields | undefined {
    return Fields.at("", typed, verbatim, source);
  }

  private static at(
    path: string,
    typed: unknown,
    verbatim: unknown,
    source: Source,
  ): Fields | undefined {
    if (isMapping(typed) && isMapping(verbatim)) return new Fields(typed, verbatim, source, path);
    const what = path === "" ? "it" : `"${path.slice(0, -1)}"`;
    const reason = `${what} must be a mapping of names to values, not ${shown(typed)}`;
    const place = nearestPlace(source, path.slice(0, -1));
    source.problems.error(source.file, reason, place && { place });
    return undefined;
  }

  /** The same fields, whose problems are told to another. */
  toldTo(problems: Problems): Fields {
    return new Fields(this.typed, this.verbatim, { ...this.source, problems }, this.path);
  }

  /** A text; undefined when absent or blank. */
  text(key: string): string | undefined {
    if (this.isAbsent(key)) return undefined;
    const value = this.verbatim[key];
    if (typeof value !== "string") return this.mismatch(key, "a text");
    return value.trim() === "" ? undefined : value;
  }

  /** A text that must be there and not blank; empty, and told, when it is not. */
  requiredText(key: string): string {
    const before = this.source.problems.all.length;
    const value = this.text(key);
    if (value !== undefined) return value;
    if (this.source.problems.all.length === before) {
      const found = this.isAbsent(key) ? "is missing" : "is empty";
      this.error(key, `the required field "${this.path}${key}" ${found}`);
    }
    return "";
  }

  /** One of a few words. */
  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.text(key);
    const known = words.find((each) => each === value);
    if (known !== undefined || value === undefined) return known;
    const near = nearest(value, words);
    const hint = near === undefined ? "" : `, did you mean "${near}"?`;
    const reason = `"${this.path}${key}" must be one of ${words.join(", ")}, not ${shown(value)}`;
    this.error(key, reason + hint);
    return undefined;
  }

  /** A list of texts; a key with nothing after it is an empty one. */
  texts(key: string): readonly string[] | undefined {
    return this.items(key, "a list of texts")?.flatMap(([typed, verbatim]) => {
      if (typeof verbatim === "string" && typed !== null) return [verbatim];
      this.mismatch(key, "a list of texts");
      return [];
    });
  }

  /** A finite number. */
  number(key: string): number | undefined {
    if (this.isAbsent(key)) return undefined;
    const value = this.typed[key];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    return this.mismatch(key, "a number");
  }

  /** A whole number, at least 0. */
  count(key: string): number | undefined {
    const value = this.number(key);
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
    return this.mismatch(key, "a whole number, at least 0");
  }

  /** `true` or `false`. */
  flag(key: string): boolean | undefined {
    if (this.isAbsent(key)) return undefined;
    const value = this.typed[key];
    return typeof value === "boolean" ? value : this.mismatch(key, "true or false");
  }

  /** A mapping of names to texts. */
  textsByName(key: string): Readonly<Record<string, string>> | undefined {
    const inner = this.fields(key);
    return inner && Object.fromEntries(
      inner.keys().flatMap((name): [string, string][] => {
        const value = inner.verbatim[name];
        if (typeof value === "string" && inner.typed[name] !== null) return [[name, value]];
        inner.mismatch(name, "a text");
        return [];
      }),
    );
  }

  /** A mapping inside this one. */
  fields(key: string): Fields | undefined {
    if (this.isAbsent(key)) return undefined;
    return Fields.at(`${this.path}${key}.`, this.typed[key], this.verbatim[key], this.source);
  }

  /** A list of mappings. */
  list(key: string): readonly Fields[] | undefined {
    return this.items(key, "a list")?.flatMap(([typed, verbatim], index) =>
      Fields.at(`${this.path}${key}[${index}].`, typed, verbatim, this.source) ?? []
    );
  }

  /** A value as YAML or JSON types it, for a reader of its own. */
  raw(key: string): unknown {
    return this.isAbsent(key) ? undefined : this.typed[key];
  }

  /** The names that are there, in the order of the file. */
  keys(): string[] {
    return Object.keys(this.typed);
  }

  /** Tells of each name that is not among `known`, with the nearest of `meant`. */
  checkKeys(known: readonly string[], meant: readonly string[] = known): void {
    for (const key of this.keys()) {
      if (known.includes(key)) continue;
      const near = nearest(key, meant);
      const hint = near === undefined
        ? `; there are ${meant.join(", ")}`
        : `, did you mean "${near}"?`;
      const reason = `there is no field "${this.path}${key}"${hint}`;
      if (this.source.unknownKeys === "error") this.error(key, reason);
      else this.warn(key, reason);
    }
  }

  /** Tells that a field is wrong. */
  error(key: string, reason: string, cause?: unknown): void {
    const { file, place } = this.at(key);
    const more = cause === undefined ? {} : { cause };
    this.source.problems.error(file, reason, { ...(place && { place }), ...more });
  }

  /** Tells that a field may be wrong. */
  warn(key: string, reason: string): void {
    const { file, place } = this.at(key);
    this.source.problems.warn(file, reason, place);
  }

  /** Whether something was wrong since this count of problems. */
  get problems(): Problems {
    return this.source.problems;
  }

  /** Where a field, or an item of one, such as `personas[0]`, stands; a missing one: where its mapping begins. */
  at(key: string): At {
    const place = nearestPlace(this.source, `${this.path}${key}`);
    return { file: this.source.file, place };
  }

  private isAbsent(key: string): boolean {
    return !Object.hasOwn(this.typed, key) || this.typed[key] === null;
  }

  private items(key: string, wanted: string): (readonly [unknown, unknown])[] | undefined {
    if (!Object.hasOwn(this.typed, key)) return undefined;
    const [typed, verbatim] = [this.typed[key], this.verbatim[key]];
    if (typed === null && verbatim === "") return []; // `skills:` and nothing after it
    if (!Array.isArray(typed) || !Array.isArray(verbatim)) return this.mismatch(key, wanted);
    return typed.map((item, index) => [item, verbatim[index]]);
  }

  private mismatch(key: string, wanted: string): undefined {
    this.error(key, `"${this.path}${key}" must be ${wanted}, not ${shown(this.typed[key])}`);
  }
}

/** The place of a path, or of what it is in: inside `{…}` of YAML the places of single keys are not known. */
function nearestPlace({ placeOf }: Source, path: string): Place | undefined {
  for (let at = path;;) {
    const place = placeOf(at);
    if (place !== undefined || at === "") return place;
    at = at.slice(0, Math.max(at.lastIndexOf("."), at.lastIndexOf("["), 0));
  }
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SHOWN_CHARACTERS = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
