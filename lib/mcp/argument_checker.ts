import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import type { Limits } from "../limits.ts";
import { checkableSchema, counted } from "./checkable_schema.ts";
import { isWithinDepth, type Schema } from "./schema_parts.ts";

/** What a check of arguments came to. */
export type Checked =
  | { readonly kind: "fits" }
  /** What is wrong, a line each. */
  | { readonly kind: "wrong"; readonly problems: readonly string[] }
  /** It cannot be told. */
  | { readonly kind: "unknown"; readonly why: string };

type Bounds = Pick<Limits, "maxCheckedDepth" | "maxCheckSteps">;

const MOST_PROBLEMS = 8;
/** A check that names every problem may take so much of the steps of one that only looks for the first. */
const DETAILED_SHARE = 0.05;

/** Errors that only say that something inside is wrong, which the errors after them say better. */
const OUTER = new Set([
  ...[
    "$ref",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "dependentSchemas",
    "if",
    "items",
    "prefixItems",
  ],
  ...["properties", "propertyNames"],
]);

/** Checks the arguments of one tool. Whatever its schema, a check ends soon and never throws. */
export class ArgumentChecker {
  /** Keywords of the schema that are not checked. */
  readonly unchecked: readonly string[];
  /** Why nothing is checked; undefined when something is. */
  readonly problem: string | undefined;
  readonly #limits: Bounds;
  readonly #first: Validator | undefined;
  readonly #all: Validator | undefined;
  #steps = 0;

  constructor(schema: Schema, limits: Bounds) {
    this.#limits = limits;
    const spend = () => {
      if (--this.#steps < 0) throw new RangeError("checking them takes too long");
    };
    const checkable = checkableSchema(schema);
    this.unchecked = checkable.unchecked;
    try {
      const copy = counted(checkable.schema, spend);
      const draft = draftOf(schema);
      this.#first = new Validator(copy, draft);
      this.#all = new Validator(copy, draft, false);
    } catch (error) {
      this.problem = `their schema cannot be read: ${firstLine(error)}`;
    }
  }

  check(args: Readonly<Record<string, unknown>>): Checked {
    if (this.#first === undefined || this.#all === undefined) {
      return { kind: "unknown", why: this.problem ?? "" };
    }
    const { maxCheckedDepth, maxCheckSteps } = this.#limits;
    if (!isWithinDepth(args, maxCheckedDepth)) {
      return { kind: "unknown", why: `they are nested deeper than ${maxCheckedDepth}` };
    }
    let errors: readonly OutputUnit[];
    try {
      this.#steps = maxCheckSteps;
      const { valid, errors: some } = this.#first.validate(args);
      if (valid) return { kind: "fits" };
      errors = some;
    } catch (error) {
      return { kind: "unknown", why: firstLine(error) };
    }
    try {
      this.#steps = Math.ceil(maxCheckSteps * DETAILED_SHARE);
      errors = this.#all.validate(args).errors;
    } catch {
      // Then the first problem is all that is told.
    }
    return { kind: "wrong", problems: inWords(errors) };
  }
}

function draftOf({ $schema }: Schema): SchemaDraft {
  const text = String($schema);
  if (text.includes("draft-04")) return "4";
  if (text.includes("draft-06") || text.includes("draft-07")) return "7";
  return text.includes("2019-09") ? "2019-09" : "2020-12";
}

function inWords(errors: readonly OutputUnit[]): string[] {
  const inner = errors.filter(({ keyword }) => !OUTER.has(keyword));
  const lines = [...new Set((inner.length === 0 ? errors : inner).map(inLine))];
  const rest = lines.length - MOST_PROBLEMS;
  return rest <= 0 ? lines : [...lines.slice(0, MOST_PROBLEMS), `and ${rest} more`];
}

/** `text: it must be of type "string", not "number"`. */
function inLine({ instanceLocation, keyword, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, "").replaceAll("~1", "/").replaceAll("~0", "~");
  const what = keyword === "type"
    ? error.replace(
      /^Instance type (.*) is invalid\. Expected (.*)\.$/,
      "it must be of type $2, not $1",
    )
    : keyword === "false"
    ? "there is no such argument"
    : error.replace(/^Instance /, "it ").replace(/\.$/, "");
  const text = what.length > 300 ? `${what.slice(0, 300).toWellFormed()}…` : what;
  return place === "" ? text : `${place}: ${text}`;
}

function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  return line.slice(0, 200);
}
