/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;
/** What ties an answer to its request. */
export type Id = string | number;

/** JSON-RPC's number for what went wrong on our side. */
export const INTERNAL_ERROR = -32603;

/** Tells whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON of a text; undefined, which JSON has none of, when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The id of a request; undefined for a notification and for an answer. */
export function requestId({ id, method }: Json): Id | undefined {
  return typeof method === "string" && isId(id) ? id : undefined;
}

/** Tells whether a message is the answer to the request of that id. */
export function answers(message: Json, id: Id): boolean {
  return message.method === undefined && String(message.id) === String(id) &&
    ("result" in message || "error" in message);
}

/** Tells whether a value can be the id of a request. */
export function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}
