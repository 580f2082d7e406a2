// @ts-types="@modelcontextprotocol/sdk/types"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

type Json = Readonly<Record<string, unknown>>;

const INTERNAL_ERROR = -32603;

/**
 * Reads one line as a JSON-RPC message in exactly the form that the SDK takes; undefined when it is none.
 *
 * The SDK drops a message that its strict schemas do not match, such as a result with `"error": null`
 * beside it or `"_meta": null` inside, and whoever waits for that answer waits until the timeout. So
 * only what a message needs is taken over, and an answer that nobody can use becomes an error for its id.
 */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  const value = parseJson(line);
  if (!isObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method } = value;
  if (typeof method === "string") {
    const call = { jsonrpc: "2.0" as const, method, ...params(value.params) };
    if (isId(id)) return { ...call, id };
    return id === undefined ? call : undefined;
  }
  return "result" in value || "error" in value ? answer(value) : undefined;
}

/** Tells whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a line that is no JSON is no message
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function params(value: unknown): { params?: Json } {
  return isObject(value) ? { params: withPlainMeta(value) } : {};
}

function answer({ id, result, error }: Json): JSONRPCMessage | undefined {
  // Our ids are numbers. The SDK makes a number of any id: "" would answer request 0.
  const ours = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : id;
  if (typeof ours !== "number" || !isId(ours)) return undefined;
  const head = { jsonrpc: "2.0" as const, id: ours };
  if (isObject(error)) return { ...head, error: plainError(error) };
  if (isObject(result)) return { ...head, result: withPlainMeta(result) };
  const message = "The answer has neither a result nor an error that is an object";
  return { ...head, error: { code: INTERNAL_ERROR, message } };
}

function plainError(
  { code, message, data }: Json,
): { code: number; message: string; data?: unknown } {
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : INTERNAL_ERROR,
    message: typeof message === "string" ? message : "The server gave no reason",
    ...(data === undefined ? {} : { data }),
  };
}

/** Without the parts of `_meta` that the SDK checks: nothing here asks for progress of ours, or for tasks. */
function withPlainMeta(holder: Json): Json {
  if (!("_meta" in holder)) return holder;
  const { _meta, ...rest } = holder;
  if (!isObject(_meta)) return rest;
  const { progressToken: _, "io.modelcontextprotocol/related-task": __, ...meta } = _meta;
  return { ...rest, _meta: meta };
}
