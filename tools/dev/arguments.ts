import { SkepError } from "../../lib/errors.ts";
import { nearest } from "../../lib/suggest.ts";

/** A plain value, in the part of JSON Schema that the tools here need. */
export type PlainSchema =
  | { readonly type: "string"; readonly description: string; readonly enum?: readonly string[] }
  | { readonly type: "boolean"; readonly description: string }
  | {
    readonly type: "integer";
    readonly description: string;
    readonly minimum: number;
    readonly default?: number;
  };

/** One argument of a tool: a plain value, or a list of texts or of objects with plain values. */
export type ArgumentSchema = PlainSchema | ListSchema;

/** A list. `maxItems` is for the host to know; the tool itself checks it. */
export interface ListSchema {
  readonly type: "array";
  readonly description: string;
  readonly maxItems?: number;
  readonly items: { readonly type: "string" } | FieldsSchema<PlainSchema>;
}

/** An object with known fields. */
export interface FieldsSchema<A extends ArgumentSchema = ArgumentSchema> {
  readonly type: "object";
  readonly properties: Readonly<Record<string, A>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

/** A JSON Schema of a tool's arguments. */
export type ArgumentsSchema = FieldsSchema;

type Value<A> = A extends { readonly type: "integer" } ? number
  : A extends { readonly type: "boolean" } ? boolean
  : A extends { readonly enum: readonly (infer E)[] } ? E
  : A extends { readonly type: "array"; readonly items: infer I }
    ? readonly (I extends FieldsSchema ? Arguments<I> : string)[]
  : string;

/** The arguments that a schema describes. Absent and `null` both read as undefined. */
export type Arguments<S extends FieldsSchema> = {
  readonly [Name in keyof S["properties"]]: Name extends S["required"][number]
    ? Value<S["properties"][Name]>
    : Value<S["properties"][Name]> | undefined;
};

/**
 * Reads a call's arguments by its tool's schema. Models write `null` for what they leave out, and now
 * and then a number or a boolean as text: all are taken, a text only when it is exactly such a value.
 *
 * @throws {SkepError} `TOOL_FAILED`, naming the argument, its value and what was wanted.
 */
export function readArguments<S extends FieldsSchema>(
  tool: string,
  schema: S,
  args: unknown,
): Arguments<S> {
  return readFields(tool, "", schema, args) as Arguments<S>;
}

/** @param at What comes before a field's name in messages, such as `edits[0].`. */
function readFields(
  tool: string,
  at: string,
  schema: FieldsSchema,
  args: unknown,
): Record<string, unknown> {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    const what = at === "" ? "its arguments" : `"${at.slice(0, -1)}"`;
    throw refused(tool, `${what} must be an object, not ${shown(args)}`);
  }
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(schema.properties, name)) throw unknown(tool, at, schema, name);
  }
  const given = args as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, argument]) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value !== undefined && value !== null) {
        return [name, read(tool, at + name, argument, value)];
      }
      if (schema.required.includes(name)) throw refused(tool, `"${at}${name}" is missing`);
      return [name, undefined];
    }),
  );
}

function read(tool: string, name: string, schema: ArgumentSchema, value: unknown): unknown {
  switch (schema.type) {
    case "string":
      return readString(tool, name, schema.enum, value);
    case "boolean":
      return readBoolean(tool, name, value);
    case "integer":
      return readInteger(tool, name, schema.minimum, value);
    case "array":
      return readList(tool, name, schema.items, value);
    default:
      return schema satisfies never;
  }
}

function readString(
  tool: string,
  name: string,
  choices: readonly string[] | undefined,
  value: unknown,
): string {
  if (typeof value !== "string") {
    throw refused(tool, `"${name}" must be a string, not ${shown(value)}`);
  }
  if (choices === undefined || choices.includes(value)) return value;
  throw refused(tool, `"${name}" must be one of ${choices.join(", ")}, not ${shown(value)}`);
}

function readBoolean(tool: string, name: string, value: unknown): boolean {
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw refused(tool, `"${name}" must be true or false, not ${shown(value)}`);
}

function readInteger(tool: string, name: string, minimum: number, value: unknown): number {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= minimum) {
    return number;
  }
  const wanted = `a whole number, at least ${minimum}`;
  throw refused(tool, `"${name}" must be ${wanted}, not ${shown(value)}`);
}

function readList(
  tool: string,
  name: string,
  items: ListSchema["items"],
  value: unknown,
): unknown[] {
  if (!Array.isArray(value)) throw refused(tool, `"${name}" must be a list, not ${shown(value)}`);
  return value.map((item, index) =>
    items.type === "string"
      ? readString(tool, `${name}[${index}]`, undefined, item)
      : readFields(tool, `${name}[${index}].`, items, item)
  );
}

function unknown(tool: string, at: string, schema: FieldsSchema, name: string): SkepError {
  const known = Object.keys(schema.properties);
  if (known.length === 0) return refused(tool, `it takes no argument, so no "${name}"`);
  const meant = nearest(name, known);
  const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
  return refused(tool, `there is no argument "${at}${name}"${hint} (it takes ${known.join(", ")})`);
}

function refused(tool: string, reason: string): SkepError {
  return new SkepError("TOOL_FAILED", `Cannot call ${tool}: ${reason}`, { tool });
}

const SHOWN_CHARACTERS = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
