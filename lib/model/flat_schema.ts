import { isRecord } from "./is_record.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What a schema may not have at its top where a provider wants a plain object. */
const COMBINATIONS = ["anyOf", "oneOf", "allOf", "not", "enum", "const"] as const;

/**
 * A tool's schema without alternatives at its top, and with `properties`: what they allow is put
 * together, and only what all of them want is required. The tool's server still checks the whole. A
 * schema that has none of it is returned as it is.
 */
export function flatSchema(schema: Schema): Schema {
  const isPlain = COMBINATIONS.every((word) => !(word in schema));
  if (isPlain) {
    return schema.type === "object" && !isRecord(schema.properties)
      ? { ...schema, properties: {} }
      : schema;
  }
  const rest = Object.entries(schema).filter(([word]) =>
    !COMBINATIONS.some((combination) => combination === word)
  );
  const own = { ...Object.fromEntries(rest), type: "object" } as Schema;
  const all = branches(schema.allOf);
  const some = [...branches(schema.anyOf), ...branches(schema.oneOf)];
  const properties = Object.assign({}, ...[...some, ...all, own].map(propertiesOf));
  const required = new Set([
    ...[own, ...all].flatMap(requiredOf),
    ...inAll(some.map(requiredOf)),
  ]);
  return { ...own, properties, ...(required.size === 0 ? {} : { required: [...required] }) };
}

function branches(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function propertiesOf({ properties }: Schema): Schema {
  return isRecord(properties) ? properties : {};
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function inAll([first = [], ...others]: readonly string[][]): string[] {
  return first.filter((name) => others.every((other) => other.includes(name)));
}
