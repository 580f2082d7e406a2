// Holds every frame that our agent sends against the JSON schema that the ACP SDK ships.
import schema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { assertEquals } from "@std/assert";
import * as z from "zod";

/** What ACP v1 calls the replies to a client's requests. */
const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResponse",
  "authenticate": "AuthenticateResponse",
  "logout": "LogoutResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/close": "CloseSessionResponse",
  "session/delete": "DeleteSessionResponse",
  "session/prompt": "PromptResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse",
};

/** What ACP v1 calls the parameters of an agent's requests. */
const REQUESTS: Readonly<Record<string, string>> = {
  "session/request_permission": "RequestPermissionRequest",
  "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest",
  "elicitation/create": "CreateElicitationRequest",
};

/** What ACP v1 calls the parameters of an agent's notifications. */
const NOTIFICATIONS: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "elicitation/complete": "CompleteElicitationNotification",
  "$/cancel_request": "CancelRequestNotification",
};

/** A frame as it came. */
type Frame = Readonly<Record<string, unknown>>;

/**
 * Fails unless an agent's frame is JSON-RPC, and what it carries is ACP v1. A client that agreed on
 * version 2 gets beside that what buzz-agent says, and nobody else does.
 *
 * @param methodOf The method of the request with that id.
 * @param version What was agreed on.
 */
export function checkFrame(
  frame: Frame,
  methodOf: (id: unknown) => string | undefined,
  version = 1,
): void {
  assertEquals(frame.jsonrpc, "2.0");
  if ("method" in frame) return checkSent(frame, version);
  assertEquals(["id" in frame, "result" in frame !== "error" in frame], [true, true]);
  if ("error" in frame) return check("Error", frame.error);
  const definition = RESULTS[methodOf(frame.id) ?? ""];
  if (definition !== undefined) check(definition, frame.result);
}

function checkSent(frame: Frame, version: number): void {
  const method = String(frame.method);
  if (version === 1 && isBuzz(frame)) {
    throw new Error(`A client of version 1 does not know this: ${JSON.stringify(frame)}`);
  }
  if (method.startsWith("_") || isKeepalive(frame)) return; // an extension, or buzz-agent's own
  const known = "id" in frame ? REQUESTS : NOTIFICATIONS;
  const definition = known[method];
  if (definition === undefined) throw new Error(`No method of ACP v1: ${JSON.stringify(frame)}`);
  check(definition, frame.params);
}

function isBuzz(frame: Frame): boolean {
  const { _meta: meta } = updateOf(frame);
  return String(frame.method).startsWith("_goose/") || isKeepalive(frame) ||
    Object.hasOwn(Object(meta), "goose");
}

function isKeepalive(frame: Frame): boolean {
  return updateOf(frame).sessionUpdate === "keepalive";
}

function updateOf({ params }: Frame): Frame {
  return Object(Object(params).update);
}

/** The definitions without the variants that stand for a later version's, which are told by `not`: Zod has none. */
const DEFINITIONS = JSON.parse(
  JSON.stringify(
    schema.$defs,
    (_, value) =>
      Array.isArray(value) ? value.filter((each) => Object(each).not === undefined) : value,
  ),
);

const compiled = new Map<string, z.ZodType>();

function check(definition: string, value: unknown): void {
  let type = compiled.get(definition);
  if (type === undefined) {
    const root = { $schema: schema.$schema, $defs: DEFINITIONS, $ref: `#/$defs/${definition}` };
    type = z.fromJSONSchema(root as Parameters<typeof z.fromJSONSchema>[0]);
    compiled.set(definition, type);
  }
  const { success } = type.safeParse(value);
  if (!success) throw new Error(`No ${definition} of ACP v1: ${JSON.stringify(value)}`);
}
