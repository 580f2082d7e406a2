import { isObject } from "./message.ts";
import type { Schema } from "./schema_parts.ts";

const MOST = 20;

/** The arguments of a tool on one line, for whoever got them wrong: `path: string, [depth]: integer`. */
export function wantedArguments({ properties, required }: Schema): string {
  const named = isObject(properties) ? Object.entries(properties) : [];
  const wanted = Array.isArray(required) ? required : [];
  const ordered = named.toSorted(([a], [b]) =>
    Number(wanted.includes(b)) - Number(wanted.includes(a))
  );
  const words = ordered.slice(0, MOST).map(([name, schema]) => {
    const kind = isObject(schema) ? kindOf(schema) : "any";
    return `${wanted.includes(name) ? name : `[${name}]`}: ${kind}`;
  });
  const more = ordered.length - MOST;
  if (more > 0) words.push(`and ${more} more`);
  return words.length === 0 ? "an object" : words.join(", ");
}

function kindOf({ type, enum: values, const: value }: Schema): string {
  if (value !== undefined) return short(value);
  if (Array.isArray(values)) return values.slice(0, MOST).map(short).join(" | ");
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join(" | ") : "any";
}

function short(value: unknown): string {
  return JSON.stringify(value).slice(0, 60).toWellFormed();
}
