import type { Frame } from "../host/frames.ts";
import { oversizedRequest } from "../host/oversized_request.ts";
import { withExactIds } from "./exact_ids.ts";
import { isRecord } from "./is_record.ts";
import type { Answered } from "./requests.ts";
import {
  RPC_CODES,
  type RpcError,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
} from "./rpc.ts";

/** What one line of the client's comes to. */
export type Incoming =
  | { readonly kind: "request"; readonly message: RpcRequest }
  | { readonly kind: "notification"; readonly message: RpcNotification }
  /** An answer to something that we asked. */
  | { readonly kind: "response"; readonly id: RpcId; readonly answered: Answered }
  /** Answered with this error; the connection lives on. */
  | { readonly kind: "invalid"; readonly id: RpcId; readonly error: RpcError };

/**
 * Reads one line as a JSON-RPC message. `"id": null` makes a request. Batches are not part of ACP.
 *
 * @param limit The bound on a line in bytes that `frame` was read with, for the message.
 */
export function readIncoming(frame: Frame, limit: number): Incoming {
  switch (frame.kind) {
    case "oversized":
      return invalidRequest(
        oversizedRequest(frame) ?? null,
        `a line of ${frame.bytes} bytes: the limit is ${limit}`,
      );
    case "not_utf8":
      return parseError(`a line of ${frame.bytes} bytes: it is not UTF-8 text`);
    case "text":
      return readText(frame.text);
    default:
      return frame satisfies never;
  }
}

function readText(text: string): Incoming {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return parseError("a line: it is not JSON"); // the parser's own words would quote the line
  }
  if (!isRecord(parsed)) {
    const what = Array.isArray(parsed) ? "a batch: send one message a line" : "a line: no object";
    return invalidRequest(null, what);
  }
  const value = withExactIds(parsed, text);
  const { jsonrpc, method, params } = value;
  const hasId = "id" in value;
  const id = isId(value.id) ? value.id : null;
  if (hasId && !isId(value.id)) {
    return invalidRequest(null, "an id that is no text, number or null");
  }
  if (jsonrpc !== "2.0") return invalidRequest(id, 'a message whose jsonrpc is not "2.0"');
  if (typeof method === "string") {
    const message = { jsonrpc: "2.0" as const, method, ...("params" in value ? { params } : {}) };
    return hasId
      ? { kind: "request", message: { ...message, id } }
      : { kind: "notification", message };
  }
  if ("method" in value) return invalidRequest(id, "a method that is no text");
  // An error is never answered with an error, or two peers could go on for ever.
  if (hasId || "result" in value || "error" in value) {
    return { kind: "response", id, answered: readAnswer(value) };
  }
  return invalidRequest(null, "a message with neither a method nor an id");
}

function readAnswer({ result, error }: Readonly<Record<string, unknown>>): Answered {
  if (error === undefined || error === null) return { result };
  const { code, message } = isRecord(error) ? error : {};
  return {
    error: {
      code: typeof code === "number" ? code : RPC_CODES.internalError,
      message: typeof message === "string" ? message : "",
    },
  };
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === "string" || typeof value === "number";
}

function parseError(what: string): Incoming {
  return invalid(null, RPC_CODES.parseError, what);
}

function invalidRequest(id: RpcId, what: string): Incoming {
  return invalid(id, RPC_CODES.invalidRequest, what);
}

function invalid(id: RpcId, code: number, what: string): Incoming {
  return { kind: "invalid", id, error: { code, message: `Cannot read ${what}` } };
}
