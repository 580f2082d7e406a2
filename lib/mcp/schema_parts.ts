import { isObject } from "./message.ts";

/** A JSON Schema that is an object. */
export type Schema = Readonly<Record<string, unknown>>;

/** What the values of keywords hold: one schema, a list of them, or some under names of the server's own. */
const KINDS: ReadonlyMap<string, "one" | "list" | "one or list" | "named"> = new Map([
  ["additionalItems", "one"],
  ["additionalProperties", "one"],
  ["contains", "one"],
  ["contentSchema", "one"],
  ["else", "one"],
  ["if", "one"],
  ["not", "one"],
  ["propertyNames", "one"],
  ["then", "one"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["prefixItems", "list"],
  ["items", "one or list"],
  ["$defs", "named"],
  ["definitions", "named"],
  ["dependencies", "named"],
  ["dependentSchemas", "named"],
  ["patternProperties", "named"],
  ["properties", "named"],
]);

/**
 * The schema with each schema directly inside it replaced by what `change` gives for it; undefined
 * leaves it out. A list stays one, a boolean schema stays as it is.
 *
 * @param change Gets the schema and the keyword that it stands under.
 */
export function mapParts(
  schema: Schema,
  change: (part: Schema, keyword: string) => Schema | undefined,
): Schema {
  const mapped: [string, unknown][] = [];
  for (const keyword of Object.keys(schema)) {
    const value = mapValue(schema[keyword], keyword, change);
    if (value !== undefined) mapped.push([keyword, value]);
  }
  return Object.fromEntries(mapped); // not by assignment, which "__proto__" would turn on the object
}

function mapValue(
  value: unknown,
  keyword: string,
  change: (part: Schema, keyword: string) => Schema | undefined,
): unknown {
  const kind = KINDS.get(keyword);
  if (kind === undefined || typeof value !== "object" || value === null) return value;
  const part = (each: unknown) => isObject(each) ? change(each, keyword) : each;
  if (Array.isArray(value)) {
    return kind.endsWith("list") ? value.map(part).filter((each) => each !== undefined) : value;
  }
  if (kind === "named") {
    const parts = Object.entries(value).map(([name, each]) => [name, part(each)]);
    return Object.fromEntries(parts.filter(([, each]) => each !== undefined));
  }
  return kind === "list" ? value : part(value);
}

/** The schemas directly inside a schema. */
export function partsOf(schema: Schema): Schema[] {
  const parts: Schema[] = [];
  mapParts(schema, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** What a `$ref` inside the same document names; undefined when it names nothing, or another document. */
export function resolveRef(root: Schema, ref: unknown): Schema | undefined {
  if (ref === "#") return root;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const name = unescaped(step);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) {
      return undefined;
    }
    found = (found as Record<string, unknown>)[name];
  }
  return isObject(found) ? found : undefined;
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step; // a % that begins no escape
  }
}

/** True when a value is nested at most so deep. Its own nesting does not matter to the stack. */
export function isWithinDepth(value: unknown, most: number): boolean {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next; (next = waiting.pop()) !== undefined;) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth >= most) return false;
    for (const inner of Object.values(next.value)) {
      waiting.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return true;
}
