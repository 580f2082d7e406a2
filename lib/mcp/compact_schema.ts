import { flatSchema } from "../model/flat_schema.ts";
import { byteLength } from "./elide.ts";
import { inlineRefs } from "./inline_refs.ts";
import { isObject } from "./message.ts";
import { mapParts, partsOf, type Schema } from "./schema_parts.ts";

/** A schema that was made smaller, and what was done to it, each a few words. */
export interface Compacted {
  readonly schema: Schema;
  readonly done: readonly string[];
}

const MAX_PARTS = 2000;
const SHORT_DESCRIPTION = 100;
const SMALL_ENUM_BYTES = 200;

/**
 * Makes a schema fit into `maxBytes` of JSON, by steps that cost the model more and more: long
 * descriptions, then all; references put in place; examples and defaults; what lies deep; optional
 * arguments. It stops as soon as the schema fits. The arguments that are required are never left out,
 * so one that has very many of them may be larger even so.
 */
export function compactSchema(schema: Schema, maxBytes: number): Compacted {
  const done: string[] = [];
  let current = schema;
  let size = sizeOf(schema);
  for (const { what, run } of steps(schema)) {
    if (size <= maxBytes) break;
    const next = run(current, maxBytes);
    const nextSize = sizeOf(next);
    if (nextSize !== size) done.push(what);
    [current, size] = [next, nextSize];
  }
  return { schema: current, done };
}

interface Step {
  readonly what: string;
  readonly run: (schema: Schema, maxBytes: number) => Schema;
}

function* steps(whole: Schema): Generator<Step, void, void> {
  yield { what: "long descriptions cut", run: (schema) => described(schema, SHORT_DESCRIPTION, 0) };
  yield { what: "inner descriptions left out", run: (schema) => described(schema, 0, 1) };
  yield { what: "descriptions left out", run: (schema) => described(schema, 0, 0) };
  yield { what: "references put in place", run: (schema) => inlineRefs(schema, MAX_PARTS) };
  yield { what: "examples and defaults left out", run: withoutExamples };
  yield { what: "alternatives put together", run: flatSchema };
  yield { what: "what lies deep left out", run: shallower };
  yield { what: "optional arguments left out", run: withoutOptional };
  yield { what: "only the required arguments kept", run: () => skeleton(whole) };
}

/** The smallest form of a schema: the names of its required arguments. */
export function skeleton(schema: Schema): Schema {
  const { required } = flatSchema(schema);
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  if (names.length === 0) return { type: "object" };
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: names,
  };
}

/** Descriptions cut to so many characters, 0: left out; those of the first `kept` levels stay. */
function described(schema: Schema, characters: number, kept: number): Schema {
  const { $comment: _, title: __, markdownDescription: ___, description, ...rest } = schema;
  const text = typeof description === "string" ? description : "";
  const cut = text.length <= characters || kept > 0
    ? text
    : characters === 0
    ? ""
    : `${text.slice(0, characters - 1).toWellFormed()}…`;
  const inner = mapParts(
    rest,
    (part, keyword) => described(part, characters, keyword === "properties" ? kept : kept - 1),
  );
  return cut === "" ? inner : { ...inner, description: cut };
}

function withoutExamples(schema: Schema): Schema {
  const { default: _, example: __, examples: ___, enumDescriptions: ____, ...rest } = schema;
  return mapParts(rest, withoutExamples);
}

/** Cuts at the greatest depth that fits, at the arguments themselves when none does. */
function shallower(schema: Schema, maxBytes: number): Schema {
  let [least, most] = [1, depthOf(schema)]; // what is cut lower is smaller
  while (least + 1 < most) {
    const depth = Math.floor((least + most) / 2);
    if (sizeOf(cutBelow(schema, depth)) <= maxBytes) least = depth;
    else most = depth;
  }
  return cutBelow(schema, least);
}

function cutBelow(schema: Schema, depth: number): Schema {
  return depth === 0 ? bare(schema) : mapParts(schema, (part) => cutBelow(part, depth - 1));
}

/** What kind of value a schema takes, and nothing of what is in it. */
function bare({ type, enum: values, const: value, properties, items, $ref }: Schema): Schema {
  const all = value === undefined ? values : [value];
  if (Array.isArray(all) && byteLength(JSON.stringify(all)) <= SMALL_ENUM_BYTES) {
    return { ...(type === undefined ? {} : { type }), enum: all };
  }
  if (type !== undefined) return { type };
  if (isObject(properties)) return { type: "object" };
  if (items !== undefined) return { type: "array" };
  return typeof $ref === "string" ? { $ref } : {};
}

/** Optional arguments go, the last one first, until the rest fits. */
function withoutOptional(schema: Schema, maxBytes: number): Schema {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const required = requiredOf(schema);
  const kept = Object.entries(properties);
  const { properties: _, ...rest } = schema;
  let size = sizeOf({ ...rest, properties });
  for (let place = kept.length - 1; place >= 0 && size > maxBytes; place--) {
    const [name, value] = kept[place]!;
    if (required.includes(name)) continue;
    size -= byteLength(JSON.stringify({ [name]: value })) - 1;
    kept.splice(place, 1);
  }
  return { ...rest, properties: Object.fromEntries(kept) };
}

function requiredOf({ required }: Schema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function depthOf(schema: Schema): number {
  return 1 + Math.max(0, ...partsOf(schema).map(depthOf));
}

function sizeOf(schema: Schema): number {
  return byteLength(JSON.stringify(schema));
}
