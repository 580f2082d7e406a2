import { parse } from "@std/yaml";
import { type ErrorCode, messageOf } from "../errors.ts";
import { isRecord } from "./is_record.ts";
import type { Usage } from "./message.ts";
import type { ModelPart, StopReason } from "./model.ts";
import { invalidScript, type Place, ScriptFields, shown } from "./script_fields.ts";

/** One step of a scripted reply. */
export type ScriptStep =
  | Exclude<ModelPart, { type: "call" }>
  /** Without an `id` the call gets the next free one. */
  | Omit<Extract<ModelPart, { type: "call" }>, "id"> & { readonly id?: string }
  | { readonly type: "delay"; readonly ms: number }
  /** The stream ends without a stop. */
  | { readonly type: "cut" }
  | {
    readonly type: "error";
    readonly code: ScriptErrorCode;
    readonly message: string;
    readonly status?: number;
  };

const ERROR_CODES = [
  "PROVIDER_FAILED",
  "PROVIDER_AUTH_FAILED",
  "PROVIDER_MODEL_NOT_FOUND",
  "CONTEXT_TOO_LONG",
] as const satisfies readonly ErrorCode[];

/** The errors that a model may throw. */
export type ScriptErrorCode = (typeof ERROR_CODES)[number];

/** One scripted reply. Its last step is a stop, an error or the cut. */
export interface ScriptReply {
  /** The request's last message must contain this. */
  readonly expect?: string;
  readonly steps: readonly ScriptStep[];
}

/** A model written down. */
export interface Script {
  readonly replies: readonly ScriptReply[];
  /** What follows the last reply: it again, or an error. */
  readonly repeat: "last" | "none";
}

const STOP_REASONS = [
  "end",
  "calls",
  "max_tokens",
  "refusal",
  "pause",
  "error",
  "other",
] as const satisfies readonly StopReason[];

const USAGE_COUNTS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof Usage)[];

/** The kinds of parts, each with the fields that may go with it. */
const KINDS = {
  text: [],
  reasoning: ["block", "metadata"],
  call: ["input", "id", "metadata"],
  usage: [],
  warning: [],
  delay: [],
  stop: ["raw"],
  error: [],
} as const satisfies Record<string, readonly string[]>;

type Kind = keyof typeof KINDS;

/**
 * Reads a scripted model. `source` names the file in errors.
 *
 * ```yaml
 * repeat: last            # after the last reply: the same again. Without it: an error
 * replies:                # one for each request, in order
 *   - Hello.              # a text alone is a reply
 *   - expect: README      # optional: the request's last message must contain this
 *     parts:
 *       - reasoning: I should look.       # optional: block, metadata
 *       - text: Looking.                  # one increment; several are joined
 *       - delay: 50                       # milliseconds
 *       - call: dev__read_file            # optional: id, metadata
 *         input: { path: README.md }      # or a string: the arguments as the model wrote them; else {}
 *       - usage: { inputTokens: 10, outputTokens: 4 }
 *       - stop: calls                     # optional: raw. Left out, it is calls or end, as fits
 *   - parts:
 *       - error: { status: 429, message: slow down }   # optional: code
 *   - parts:
 *       - text: Half an
 *       - error: { break: true }          # the stream ends without a stop
 * ```
 *
 * @throws {SkepError} `CONFIG_INVALID` with the reply, the part, the field, its value and what was wanted.
 */
export function parseScript(text: string, source: string): Script {
  const place = { source, where: "the file" };
  let value: unknown;
  try {
    value = parse(text, { schema: "core" });
  } catch (error) {
    throw invalidScript(place, `it is not YAML: ${messageOf(error)}`);
  }
  const file = new ScriptFields(value, place, ["replies", "repeat"]);
  const replies = file.list("replies").map((reply, index) =>
    readReply(reply, { source, where: `reply ${index + 1}` })
  );
  if (replies.length === 0) throw invalidScript(place, "replies must hold at least one reply");
  return { replies, repeat: file.has("repeat") ? file.oneOf("repeat", ["last", "none"]) : "none" };
}

function readReply(value: unknown, place: Place): ScriptReply {
  if (typeof value === "string") {
    return { steps: [{ type: "text", text: value }, { type: "stop", reason: "end" }] };
  }
  const reply = new ScriptFields(value, place, ["expect", "parts"]);
  const partPlace = (index: number) => ({
    ...place,
    where: `${place.where}, part ${index + 1}`,
  });
  const steps = reply.list("parts").map((part, index) => readPart(part, partPlace(index)));
  const end = steps.findIndex(({ type }) => type === "stop" || type === "error" || type === "cut");
  if (end !== -1 && end !== steps.length - 1) {
    throw invalidScript(partPlace(end + 1), "nothing can follow a stop or an error");
  }
  if (end === -1) {
    const isForCalls = steps.some((step) => step.type === "call");
    steps.push({ type: "stop", reason: isForCalls ? "calls" : "end" });
  }
  return reply.has("expect") ? { expect: reply.text("expect"), steps } : { steps };
}

function readPart(value: unknown, place: Place): ScriptStep {
  const kinds = Object.keys(KINDS) as Kind[];
  const found = isRecord(value) ? kinds.filter((kind) => Object.hasOwn(value, kind)) : [];
  const [kind, ...others] = found;
  if (kind === undefined || others.length > 0) {
    const has = kind === undefined ? `is ${shown(value)}` : `has ${found.join(" and ")}`;
    throw invalidScript(place, `it must have just one of ${kinds.join(", ")}; it ${has}`);
  }
  return readKind(kind, new ScriptFields(value, place, [kind, ...KINDS[kind]]));
}

function readKind(kind: Kind, part: ScriptFields): ScriptStep {
  switch (kind) {
    case "text":
      return { type: "text", text: part.text("text") };
    case "reasoning": {
      const block = part.has("block") ? part.text("block") : "1";
      return { type: "reasoning", text: part.text("reasoning"), block, ...metadataOf(part) };
    }
    case "call": {
      const id = part.has("id") ? { id: part.text("id") } : {};
      const call = { name: part.text("call"), input: inputOf(part) };
      return { type: "call", ...call, ...id, ...metadataOf(part) };
    }
    case "usage": {
      const usage = part.nested("usage", USAGE_COUNTS);
      const told = USAGE_COUNTS.filter((count) => usage.has(count));
      const counts = told.map((count) => [count, usage.count(count, "tokens")]);
      return { type: "usage", usage: Object.fromEntries(counts) };
    }
    case "warning":
      return { type: "warning", message: part.text("warning") };
    case "delay":
      return { type: "delay", ms: part.count("delay", "milliseconds") };
    case "stop": {
      const raw = part.has("raw") ? { raw: part.text("raw") } : {};
      return { type: "stop", reason: part.oneOf("stop", STOP_REASONS), ...raw };
    }
    case "error":
      return errorOf(part.nested("error", ["break", "code", "message", "status"]));
    default:
      return kind satisfies never;
  }
}

function metadataOf(part: ScriptFields): { metadata?: Readonly<Record<string, unknown>> } {
  return part.has("metadata") ? { metadata: part.record("metadata") } : {};
}

function inputOf(part: ScriptFields): string {
  const input = part.has("input") ? part.get("input") : {};
  if (typeof input === "string") return input;
  if (isRecord(input)) return JSON.stringify(input);
  throw part.unfit("input", "a mapping, or a string as the model wrote it");
}

function errorOf(error: ScriptFields): ScriptStep {
  if (error.has("break")) {
    if (error.get("break") === true) return { type: "cut" };
    throw error.unfit("break", "true");
  }
  const status = error.has("status") ? { status: error.count("status", "an HTTP status") } : {};
  return {
    type: "error",
    code: error.has("code") ? error.oneOf("code", ERROR_CODES) : codeOf(status.status),
    message: error.has("message") ? error.text("message") : "the script says so",
    ...status,
  };
}

function codeOf(status: number | undefined): ScriptErrorCode {
  if (status === 401 || status === 403) return "PROVIDER_AUTH_FAILED";
  return status === 404 ? "PROVIDER_MODEL_NOT_FOUND" : "PROVIDER_FAILED";
}
