import type { Limits } from "../limits.ts";
import { byteLength, elideEnd } from "./elide.ts";
import { compactSchema, skeleton } from "./compact_schema.ts";
import { expandsPast, inlineRefs, withoutDeadRefs } from "./inline_refs.ts";
import { isObject } from "./message.ts";
import { plainText } from "./plain_text.ts";
import { isWithinDepth, type Schema } from "./schema_parts.ts";

/** A tool as its server lists it, in a form that every provider takes. */
export interface ListedTool {
  /** The server's own name for it. */
  readonly name: string;
  readonly description: string;
  /** As the model sees it: compacted where the server's own is over its bound. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server's own schema, which arguments are checked against; absent when it is the same. */
  readonly fullSchema?: Readonly<Record<string, unknown>>;
  /** What was done to it on the way to the model, and what is not checked: clauses about the tool. */
  readonly notes: readonly string[];
  /** The server itself says that it changes something. Absent is no word for the contrary. */
  readonly isChanging?: true;
  /** The server says that a call which succeeds publishes something that people read. */
  readonly isPublishing?: true;
  /** The server says that it reads arguments itself and takes more than its schema says, so nothing is refused for it. */
  readonly readsLeniently?: true;
}

/** What a server's list came to, and what a person should know of it, each a clause about the server. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Those for the runtime alone, whose names start with `_`. */
  readonly hooks: readonly ListedTool[];
  readonly remarks: readonly string[];
  /** That the server gave something else than a list: one of the remarks. */
  readonly fault?: string;
  /** What the server said, when it was initialized, on how to use it. */
  readonly instructions?: string;
}

/** What a tool whose calls publish something says of itself, in its `_meta`. */
export const PUBLISHES = "dev.skep/publishes";
/** What a tool says of itself there that takes more than its schema says: `null` for absent, "2" for 2. */
export const READS_LENIENTLY = "dev.skep/reads-leniently";

type SchemaLimits = Pick<
  Limits,
  "maxToolSchemaBytes" | "maxFullSchemaBytes" | "maxSchemaDepth" | "maxSchemaParts"
>;

/** What arguments are checked against whose schema is too large: anything fits. */
const UNCHECKED = { type: "object", "x-skep-unchecked": true } as const;
const ANY_OBJECT = { type: "object" } as const;

/**
 * Reads the entries of a server's tool list. One that has no name, or another's, is left out; a
 * description over its bound is cut, a schema over its bound is compacted, and one that is none
 * becomes one that takes any object (T47). Hooks, whose names start with `_`, are for the runtime and stand apart.
 */
export function readToolList(
  entries: readonly unknown[],
  limits: SchemaLimits & Pick<Limits, "maxToolDescriptionBytes">,
): ToolList {
  const tools = new Map<string, ListedTool>();
  const remarks: string[] = [];
  const repeated = new Set<string>();
  let nameless = 0;
  for (const entry of entries) {
    const name = isObject(entry) ? entry.name : undefined;
    if (!isObject(entry) || typeof name !== "string" || name === "") {
      nameless++;
    } else if (tools.has(name)) {
      repeated.add(plainText(name));
    } else {
      const description = typeof entry.description === "string" ? entry.description : "";
      const { schema, full, notes, remark } = readSchema(entry.inputSchema, limits);
      if (remark !== undefined) remarks.push(`the tool "${plainText(name)}" ${remark}`);
      const text = elideEnd(
        description.toWellFormed(),
        limits.maxToolDescriptionBytes,
        "\n[truncated]",
      );
      const isCut = text.endsWith("\n[truncated]") && !description.endsWith("\n[truncated]");
      tools.set(name, {
        name,
        description: text,
        inputSchema: schema,
        ...(full === undefined ? {} : { fullSchema: full }),
        notes: [
          ...(isCut ? [`its description of ${byteLength(description)} bytes is cut`] : []),
          ...notes,
        ],
        ...(isChanging(entry.annotations) ? { isChanging: true } : {}),
        ...(says(entry._meta, PUBLISHES) ? { isPublishing: true } : {}),
        ...(says(entry._meta, READS_LENIENTLY) ? { readsLeniently: true } : {}),
      });
    }
  }
  const all = [...tools.values()];
  return {
    tools: all.filter(({ name }) => !isHook(name)),
    hooks: all.filter(({ name }) => isHook(name)),
    remarks: [
      ...(nameless === 0 ? [] : [namelessRemark(nameless)]),
      ...[...repeated].map((name) => `a second tool named "${name}" is left out`),
      ...remarks,
    ],
  };
}

function namelessRemark(count: number): string {
  return count === 1
    ? "a tool without a name is left out"
    : `${count} tools without a name are left out`;
}

/** Tells whether a tool, by its server's own name for it, is a hook. */
export function isHook(name: string): boolean {
  return name.startsWith("_");
}

function isChanging(annotations: unknown): boolean {
  return isObject(annotations) && annotations.readOnlyHint === false;
}

function says(meta: unknown, key: string): boolean {
  return isObject(meta) && meta[key] === true;
}

interface ReadSchema {
  readonly schema: ListedTool["inputSchema"];
  readonly full?: ListedTool["inputSchema"];
  readonly notes: readonly string[];
  /** Said once to the person: the model cannot know what the tool wants. */
  readonly remark?: string;
}

function readSchema(
  given: unknown,
  { maxToolSchemaBytes, maxFullSchemaBytes, maxSchemaDepth, maxSchemaParts }: SchemaLimits,
): ReadSchema {
  if (!isObject(given) || !isObjectSchema(given)) {
    const remark = "has no usable input schema: it takes any object";
    return { schema: ANY_OBJECT, notes: [`it ${remark}`], remark };
  }
  const own = { ...given, type: "object" };
  if (!isWithinDepth(own, maxSchemaDepth)) {
    const why = `its input schema is nested deeper than ${maxSchemaDepth}`;
    return {
      schema: skeleton(own),
      notes: [`${why}: only its required arguments are shown`],
      full: UNCHECKED,
    };
  }
  const bytes = sizeOf(own);
  if (bytes > maxFullSchemaBytes) {
    const why = `its input schema of ${bytes} bytes is over ${maxFullSchemaBytes}`;
    return {
      schema: skeleton(own),
      notes: [`${why}: only its required arguments are shown`],
      full: UNCHECKED,
    };
  }
  const alive = withoutDeadRefs(own);
  const isExpanding = expandsPast(alive, maxSchemaParts);
  const finite = isExpanding ? inlineRefs(alive, maxSchemaParts) : alive;
  const { schema, done } = compactSchema(finite, maxToolSchemaBytes);
  const isSame = !isExpanding && done.length === 0 && byteLength(JSON.stringify(schema)) === bytes;
  const all = [
    ...(alive === own || sizeOf(alive) === sizeOf(own) ? [] : ["references to nothing left out"]),
    ...(isExpanding ? [`references bounded to ${maxSchemaParts} parts`] : []),
    ...done,
  ];
  if (isSame) return { schema: own, notes: [] };
  const note = `its input schema of ${bytes} bytes has ${sizeOf(schema)}: ${all.join(", ")}`;
  return { schema: { ...schema, type: "object" }, full: own, notes: [note] };
}

function sizeOf(schema: Schema): number {
  return byteLength(JSON.stringify(schema));
}

/** True when the schema is one of an object, or would be with its `type` filled in. */
function isObjectSchema({ type, properties, required }: Record<string, unknown>): boolean {
  const isTyped = type === undefined || type === "object" ||
    (Array.isArray(type) && type.includes("object"));
  return isTyped && (properties === undefined || isObject(properties)) &&
    (required === undefined || (Array.isArray(required) && required.every(isString)));
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
