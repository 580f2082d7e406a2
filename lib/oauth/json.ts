/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Tells whether a value is a JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text in a field; undefined when there is none. */
export function textIn(fields: Json, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
