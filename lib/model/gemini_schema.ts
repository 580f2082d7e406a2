import { isRecord } from "./is_record.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What Gemini reads of a schema; all else is left out. */
const KEPT = [
  "format",
  "title",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "required",
] as const;

/** Formats that Gemini knows; it refuses a schema with another one. */
const FORMATS = ["enum", "date-time", "float", "double", "int32", "int64"];

/** How often a definition is put into itself before it ends as any object. */
const MOST_REPEATS = 2;
/**
 * How many definitions are put in place in all; each further one is any object. Ten definitions that each
 * name the next one twice are a thousand.
 */
const MOST_RESOLVED = 1000;

/**
 * A tool's schema as Gemini takes it: references are put in place (a definition that holds itself, a few
 * times), a `type` of several becomes alternatives, an `enum` of other things than texts is said in the
 * description, and words that it does not know are left out. The tool's server still checks the whole.
 *
 * @see https://ai.google.dev/api/caching#Schema
 */
export function geminiSchema(schema: Schema): Schema {
  const converted = new Converter(schema).convert(schema, []);
  const { properties, ...rest } = converted;
  return { ...rest, type: "object", properties: isRecord(properties) ? properties : {} };
}

class Converter {
  #resolved = 0;

  constructor(readonly root: Schema) {}

  /** @param path The references on the way here, so that a definition within itself comes to an end. */
  convert(value: unknown, path: readonly string[]): Schema {
    if (!isRecord(value)) return {}; // `true`, or no schema at all: anything goes
    if (typeof value.$ref === "string") return this.#resolve(value.$ref, value, path);
    const merged = this.#withAllOf(value, path);
    const types = Array.isArray(merged.type) ? merged.type.filter((type) => type !== "null") : [];
    if (types.length > 1) {
      const { type: _, ...rest } = merged;
      const anyOf = types.map((type) => this.convert({ ...rest, type }, path));
      return { anyOf, ...describedAs(rest) };
    }
    const [only = merged.type] = types;
    return this.#fields({ ...merged, type: only }, isNullable(merged), path);
  }

  #fields(value: Schema, nullable: boolean, path: readonly string[]): Schema {
    const kept = KEPT.flatMap((word) => word in value ? [[word, value[word]]] : []);
    const schema: Record<string, unknown> = { ...Object.fromEntries(kept), ...describedAs(value) };
    if (!FORMATS.includes(String(schema.format))) delete schema.format;
    const type = typeof value.type === "string" ? value.type : typeOf(value);
    if (type !== undefined) schema.type = type;
    if (nullable) schema.nullable = true;
    this.#addEnum(schema, value);
    if (isRecord(value.properties)) {
      schema.properties = Object.fromEntries(
        Object.entries(value.properties).map(([name, each]) => [name, this.convert(each, path)]),
      );
      schema.required = names(value.required).filter((name) => name in Object(value.properties));
    }
    if (!("properties" in schema) || names(schema.required).length === 0) delete schema.required;
    // Gemini wants to be told what is in an array.
    if (type === "array") schema.items = this.convert(itemsOf(value), path);
    const some = [value.anyOf, value.oneOf].filter(Array.isArray).flat();
    const choices = some.filter((each) => !isRecord(each) || each.type !== "null");
    if (choices.length === 1) return { ...schema, ...this.convert(choices[0], path) };
    if (choices.length > 1) schema.anyOf = choices.map((each) => this.convert(each, path));
    return schema;
  }

  #addEnum(schema: Record<string, unknown>, value: Schema): void {
    const values = Array.isArray(value.enum) ? value.enum : "const" in value ? [value.const] : [];
    const told = values.filter((each) => each !== null);
    if (told.length === 0) return;
    if (told.every((each) => typeof each === "string" && each !== "")) {
      Object.assign(schema, { type: "string", enum: told });
      return;
    }
    const list = `One of ${told.map((each) => JSON.stringify(each)).join(", ")}.`;
    const said = typeof value.description === "string" ? `${value.description} ${list}` : list;
    Object.assign(schema, { description: said });
  }

  #withAllOf(value: Schema, path: readonly string[]): Schema {
    if (!Array.isArray(value.allOf)) return value;
    const parts = value.allOf.filter(isRecord).map((part) =>
      typeof part.$ref === "string" ? this.#definition(part.$ref, path) ?? {} : part
    );
    const all = [...parts, value];
    const properties = Object.assign({}, ...all.map((each) => each.properties));
    const required = all.flatMap((each) => names(each.required));
    return { ...Object.assign({}, ...all), properties, required, allOf: undefined };
  }

  #resolve(ref: string, { $ref: _, ...beside }: Schema, path: readonly string[]): Schema {
    const definition = this.#definition(ref, path);
    if (definition === undefined) return { type: "object", ...describedAs(beside) };
    return this.convert({ ...definition, ...beside }, [...path, ref]);
  }

  /** What a reference within the schema leads to; undefined past the bound, and for any other. */
  #definition(ref: string, path: readonly string[]): Schema | undefined {
    if (++this.#resolved > MOST_RESOLVED) return undefined;
    if (path.filter((each) => each === ref).length >= MOST_REPEATS || !ref.startsWith("#")) return;
    let found: unknown = this.root;
    for (const step of ref.slice(1).split("/").slice(1)) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return isRecord(found) ? found : undefined;
  }
}

function describedAs({ description }: Schema): Schema {
  return typeof description === "string" ? { description } : {};
}

function isNullable({ type, nullable, anyOf, oneOf }: Schema): boolean {
  const choices = [anyOf, oneOf].filter(Array.isArray).flat();
  return nullable === true || (Array.isArray(type) && type.includes("null")) ||
    choices.some((each) => isRecord(each) && each.type === "null");
}

/** The type that a schema does not say but shows. */
function typeOf(value: Schema): string | undefined {
  if (isRecord(value.properties)) return "object";
  if ("items" in value) return "array";
  const values = Array.isArray(value.enum) ? value.enum : "const" in value ? [value.const] : [];
  const types = new Set(values.filter((each) => each !== null).map((each) => typeof each));
  const [type] = types;
  return types.size === 1 && type !== undefined && ["boolean", "number"].includes(type)
    ? type
    : undefined;
}

function itemsOf({ items, prefixItems }: Schema): unknown {
  if (Array.isArray(items)) return { anyOf: items };
  return items ?? (Array.isArray(prefixItems) ? { anyOf: prefixItems } : { type: "string" });
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
