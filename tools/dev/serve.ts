import { messageOf } from "../../lib/errors.ts";
import { frames } from "../../lib/host/frames.ts";
import { oversizedRequest } from "../../lib/host/oversized_request.ts";
import type { Limits } from "../../lib/limits.ts";
import { callTool } from "./call_tool.ts";
import { EDITOR_CAPABILITY, HostEditor } from "./host_editor.ts";
import type { ServerContext, Tool } from "./tool.ts";

/** What a server offers. */
export interface ServerOffer {
  readonly name: string;
  readonly version: string;
  /** Asked for at each `initialize`, so that it tells the state of that moment. */
  instructions(): Promise<string>;
  readonly tools: readonly Tool[];
  /** Tools for the host and not for the model: listed once the host asks for them. */
  readonly hooks: readonly Tool[];
  /** The host asked for the hooks by a setting. */
  readonly areHooksListed: boolean;
}

/** A host that names this experimental capability gets the hooks listed. */
export const HOOKS_CAPABILITY = "skep/hooks";
/**
 * Of a call that is cancelled the protocol wants no answer. A host that gave it a name in its `_meta` is told
 * what it had come to, by a notification with that name.
 */
const LAST_OUTPUT_CAPABILITY = "skep/last_output";
const LAST_OUTPUT_METHOD = "notifications/skep/last_output";
const CALL_META = "skep/call";
/** Tells skep that arguments are read here, and more of them taken than a schema can say: `READS_LENIENTLY`. */
const TOOL_META = { "dev.skep/reads-leniently": true };

/** The MCP versions that this server speaks, the newest first. */
const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** JSON-RPC's numbers. @see https://www.jsonrpc.org/specification */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

type Id = string | number;
type Json = Readonly<Record<string, unknown>>;
/** A request that is refused as a whole. What goes wrong inside a tool is a result instead. */
type Refusal = { readonly code: number; readonly message: string };

/**
 * Serves tools over MCP's stdio transport, until the input ends, nobody takes the output any more, or
 * `stop` is aborted. Calls run side by side; `notifications/cancelled` aborts them, as the end does after
 * a while that they get to finish in. The few requests that a
 * server of tools answers are written out here, since loading a library for them takes seven times as
 * long as all the rest of the start.
 *
 * @param write Sends one whole frame.
 * @returns When every call has settled.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export async function serve(
  offer: ServerOffer,
  context: ServerContext,
  input: AsyncIterable<Uint8Array>,
  write: (text: string) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const running = new Map<Id, { cancel: AbortController; settled: Promise<void> }>();
  let isOutputOpen = true;
  let lastWrite = Promise.resolve();
  let introducing = Promise.resolve();
  let { areHooksListed } = offer;
  const editor = new HostEditor(send);
  let isEditorLent = false;
  const listed = () => areHooksListed ? [...offer.tools, ...offer.hooks] : offer.tools;

  function send(message: Json): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n";
    lastWrite = lastWrite.then(() => isOutputOpen ? write(text) : undefined).catch(() => {
      isOutputOpen = false; // the host is gone; its end of our input follows
    });
  }

  function refuse(id: Id | null, { code, message }: Refusal): void {
    send({ id, error: { code, message } });
  }

  function take(message: Json): void {
    const { id, method } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") {
      // A response that nobody waits for is nothing.
      if (editor.settle(message) || "result" in message || "error" in message) return;
      refuse(idOrNull(id), NO_REQUEST);
    } else if (id === undefined) {
      if (method === "notifications/cancelled") {
        running.get(params["requestId"] as Id)?.cancel.abort();
      }
    } else if (!isId(id) || running.has(id)) {
      refuse(idOrNull(id), NO_REQUEST);
    } else if (method === "tools/call") {
      const cancel = new AbortController();
      const settled = call(id, params, cancel.signal).finally(() => running.delete(id));
      running.set(id, { cancel, settled });
    } else if (method === "initialize") {
      areHooksListed ||= names(HOOKS_CAPABILITY, params);
      isEditorLent = names(EDITOR_CAPABILITY, params);
      introducing = introduce(params, offer).then(
        (result) => send({ id, result }),
        (error) => refuse(id, { code: INTERNAL_ERROR, message: messageOf(error) }),
      );
    } else {
      const result = answer(method, listed());
      if (result === undefined) {
        refuse(id, { code: METHOD_NOT_FOUND, message: `There is no method "${method}"` });
      } else send({ id, result });
    }
  }

  async function call(id: Id, params: Json, signal: AbortSignal): Promise<void> {
    if (typeof params["name"] !== "string") {
      refuse(id, { code: INVALID_PARAMS, message: `tools/call needs a "name" of type string` });
      return;
    }
    let lastOutput: string | undefined;
    try {
      const progress = progressOf(params, (note) => {
        if (!signal.aborted) send({ method: "notifications/progress", params: note });
      });
      const result = await callTool(listed(), params["name"], params["arguments"], {
        ...context,
        editor: isEditorLent ? editor : undefined,
        progress,
      }, signal);
      if (!signal.aborted) send({ id, result }); // who cancelled expects no answer
      lastOutput = textOf(result);
    } catch (error) {
      if (!signal.aborted) refuse(id, { code: INTERNAL_ERROR, message: messageOf(error) });
    }
    const name = signal.aborted ? callName(params) : undefined;
    if (name === undefined) return;
    const text = lastOutput === undefined ? {} : { text: lastOutput };
    send({ method: LAST_OUTPUT_METHOD, params: { call: name, ...text } });
  }

  async function takeAll(): Promise<void> {
    for await (const frame of frames(input, context.limits.maxFrameBytes)) {
      if (!isOutputOpen || stop.aborted) return;
      if (frame.kind === "oversized") {
        const id = oversizedRequest(frame);
        const isFree = id !== undefined && !running.has(id);
        refuse(isFree ? id : null, oversized(frame.bytes, context.limits));
      } else if (frame.kind === "not_utf8") refuse(null, NO_JSON);
      else {
        const message = parse(frame.text);
        if (message === undefined) refuse(null, NO_JSON);
        else if (!isObject(message)) refuse(null, NO_REQUEST);
        else take(message);
      }
    }
  }

  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
  await Promise.race([takeAll(), stopped]);
  const settling = Promise.all([...running.values()].map(({ settled }) => settled));
  // Who sent its calls in one go, and closed, still reads what they come to.
  if (isOutputOpen) await settledWithin(context.limits.finishCallsMs, settling, stopped);
  for (const { cancel } of running.values()) cancel.abort();
  await Promise.all([introducing, settling]);
  await lastWrite;
}

/** Waits until calls have settled, or time is up, or `stopped`. */
async function settledWithin(
  ms: number,
  settling: Promise<unknown>,
  stopped: Promise<void>,
): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([settling, isLate, stopped]);
  clearTimeout(timer);
}

const NO_JSON: Refusal = { code: PARSE_ERROR, message: "The line is not JSON in UTF-8" };
const NO_REQUEST: Refusal = {
  code: INVALID_REQUEST,
  message: "The line is not one JSON-RPC request with an id that is not in use",
};

function oversized(bytes: number, { maxFrameBytes }: Limits): Refusal {
  const message = `Cannot read a frame of ${bytes} bytes: the limit is ${maxFrameBytes}`;
  return { code: INVALID_REQUEST, message };
}

function names(capability: string, { capabilities }: Json): boolean {
  const { experimental } = isObject(capabilities) ? capabilities : {};
  return isObject(experimental) && experimental[capability] !== undefined;
}

async function introduce({ protocolVersion }: Json, offer: ServerOffer): Promise<Json> {
  return {
    protocolVersion: PROTOCOL_VERSIONS.find((version) => version === protocolVersion) ??
      PROTOCOL_VERSIONS[0],
    capabilities: { tools: {}, experimental: { [LAST_OUTPUT_CAPABILITY]: {} } },
    serverInfo: { name: offer.name, version: offer.version },
    instructions: await offer.instructions(),
  };
}

function answer(method: string, tools: readonly Tool[]): Json | undefined {
  switch (method) {
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: tools.map(({ name, description, schema, annotations }) => ({
          name,
          description,
          inputSchema: schema,
          annotations,
          _meta: TOOL_META,
        })),
      };
    default:
      return undefined;
  }
}

/** What a tool tells of its progress, as notifications with the token that the host gave; they count up. */
function progressOf({ _meta }: Json, notify: (params: Json) => void): (message: string) => void {
  const progressToken = isObject(_meta) ? _meta["progressToken"] : undefined;
  if (!isId(progressToken)) return () => {};
  let progress = 0;
  return (message) => notify({ progressToken, progress: ++progress, message });
}

function callName({ _meta }: Json): Id | undefined {
  const name = isObject(_meta) ? _meta[CALL_META] : undefined;
  return isId(name) ? name : undefined;
}

function textOf({ content }: Json): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) =>
    isObject(block) && block["type"] === "text" ? [block["text"]] : []
  )
    .join("\n");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // JSON has no undefined: the caller can tell
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}

function idOrNull(id: unknown): Id | null {
  return isId(id) ? id : null;
}
