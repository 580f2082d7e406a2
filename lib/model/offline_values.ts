import { nearest } from "../suggest.ts";
import { isRecord } from "./is_record.ts";
import type { ToolDefinition } from "./message.ts";

/** A command that cannot be run, with the reason for the person who wrote it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** One parameter of a tool, as its schema declares it. */
export interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  /** What may stand there, for people: `STRING`, `INTEGER or NULL`, `"a" or "b"`. */
  readonly type: string;
}

/** The parameters of a tool, required ones first. */
export function parametersOf(tool: ToolDefinition): Parameter[] {
  const { properties, required } = tool.inputSchema;
  const all = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    return { name, isRequired, type: describe(schema) };
  });
  return [...all.filter((one) => one.isRequired), ...all.filter((one) => !one.isRequired)];
}

/**
 * A value as the tool's schema types it: what is quoted stays text where text is allowed, what is not
 * is text last. Without a type in the schema a bare number, `true`, `false`, `null`, list or object is
 * what it looks like.
 *
 * @throws {Refusal} when no type of the schema fits, or the schema has no such parameter.
 */
export function readValue(
  key: string,
  text: string,
  isQuoted: boolean,
  tool: ToolDefinition,
): unknown {
  const schema = schemaOf(key, tool);
  const literals = isRecord(schema) && Array.isArray(schema.enum) ? schema.enum : undefined;
  if (literals !== undefined) {
    const literal = literals.find((literal) => literal === text || String(literal) === text);
    if (literal !== undefined) return literal;
  } else {
    const types = typesOf(schema);
    const value = types.length === 0 ? guess(text, isQuoted) : fit(text, isQuoted, types);
    if (value !== undefined) return value;
  }
  throw new Refusal(`${key} must be ${describe(schema)}, it is ${JSON.stringify(text)}`);
}

function schemaOf(key: string, tool: ToolDefinition): unknown {
  const { properties, additionalProperties } = tool.inputSchema;
  const known = isRecord(properties) ? properties : {};
  if (Object.hasOwn(known, key)) return known[key];
  const isOpen = !isRecord(properties) || additionalProperties === true ||
    isRecord(additionalProperties);
  if (isOpen) return additionalProperties;
  const near = nearest(key, Object.keys(known));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new Refusal(`/${tool.name} has no parameter "${key}"${hint}`);
}

/** The JSON types that a schema allows, alternatives included. */
function typesOf(schema: unknown): string[] {
  if (!isRecord(schema)) return [];
  const { type } = schema;
  const own = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
  const nested = [schema.anyOf, schema.oneOf].flatMap((list) => Array.isArray(list) ? list : []);
  return [...new Set([...own, ...nested.flatMap(typesOf)])];
}

function fit(text: string, isQuoted: boolean, types: readonly string[]): unknown {
  if (isQuoted && types.includes("string")) return text;
  const value = parse(text);
  if (types.some((type) => isOfType(value, type))) return value;
  return types.includes("string") ? text : undefined;
}

/** What a text looks like: a JSON value, else text. */
function guess(text: string, isQuoted: boolean): unknown {
  const value = isQuoted ? undefined : parse(text);
  return value === undefined ? text : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is text
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return false; // text is what fits last, whatever it looks like
  }
}

function describe(schema: unknown): string {
  if (isRecord(schema) && Array.isArray(schema.enum)) {
    return schema.enum.map((literal) => JSON.stringify(literal)).join(" or ");
  }
  const types = typesOf(schema);
  return types.length === 0 ? "ANY" : types.map((type) => type.toUpperCase()).join(" or ");
}
