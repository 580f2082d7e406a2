import type { ContentBlock, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { CallResult, Progress } from "../mcp/registry.ts";
import type { Image, Text } from "../model/message.ts";
import { compactionText, type Update } from "../turn/update.ts";
import type { AskedCall, CallIds } from "./call_ids.ts";
import { callLocations } from "./call_locations.ts";
import { type CompactionIds, toCompactionUpdate } from "./compaction_update.ts";
import { describeCall } from "./describe_call.ts";
import { fileDiffs } from "./file_diffs.ts";
import { toPlan } from "./to_plan.ts";

/** What it takes to tell a client of an update. */
export interface UpdateContext {
  /** The session's folder. */
  readonly cwd: string;
  /** The same as the client knows it: files are told by their paths below that. */
  readonly namedCwd: string;
  readonly callIds: CallIds;
  /** The client shows updates of kind `notice`. */
  readonly takesNotices: boolean;
  /** The client shows compactions as such. */
  readonly takesCompactions: boolean;
  readonly compactionIds: CompactionIds;
  readonly maxTitleBytes: number;
  /** The client is buzz-acp: it knows what buzz-agent says beside ACP. */
  readonly isBuzz: boolean;
  /** Tokens that a model's context holds, when that is known. */
  readonly contextWindow: (model: string) => number | undefined;
}

/** An update in ACP's words: none when it has nothing that ACP could say, two when it changes the plan. */
export function toSessionUpdates(update: Update, context: UpdateContext): SessionUpdate[] {
  const { callIds } = context;
  switch (update.type) {
    case "turn_started":
      return context.isBuzz ? [goose({ activeRunId: update.turnId })] : [];
    case "text":
      return [chunk("agent_message_chunk", update.message, update.text)];
    case "thought":
      return [chunk("agent_thought_chunk", `${update.message}-thought`, update.text)];
    case "call":
      return [toCall(update, context)];
    case "call_started":
      return [{
        sessionUpdate: "tool_call_update",
        toolCallId: callIds.of(update.callId),
        status: "in_progress",
      }];
    case "call_progress":
      return [toProgress(callIds.of(update.callId), update.progress)];
    case "call_ended": {
      const asked = callIds.end(update.callId);
      const plan = toPlan(update.result, asked);
      const end = toCallEnd(callIds.of(update.callId), update.result, asked, context);
      return plan === undefined ? [end] : [end, plan];
    }
    case "usage":
      return toUsage(update, context.contextWindow(update.model));
    case "keepalive":
      return [context.isBuzz ? KEEPALIVE : QUIET_KEEPALIVE];
    case "notice":
      return [toNotice(update.text, context.takesNotices)];
    case "compaction": {
      const { compaction } = update;
      const id = context.compactionIds.of(compaction);
      if (context.takesCompactions) return [toCompactionUpdate(id, compaction)];
      const text = compactionText(compaction);
      return text === undefined ? [] : [toNotice(text, context.takesNotices)];
    }
    default:
      return update satisfies never;
  }
}

/** Buzz-agent's sign of life, which only its harness knows. */
const KEEPALIVE = { sessionUpdate: "keepalive" } as unknown as SessionUpdate;

/** The same for all others: an update of ACP's own that changes nothing. */
const QUIET_KEEPALIVE: SessionUpdate = {
  sessionUpdate: "session_info_update",
  _meta: { skep: { keepalive: true } },
};

/** What goose and buzz-agent say of a turn beside ACP's own updates, for whoever wants to steer it. */
export function goose(facts: Readonly<Record<string, unknown>>): SessionUpdate {
  return { sessionUpdate: "session_info_update", _meta: { goose: facts } };
}

/**
 * Something that a person should know, such as a server that failed. ACP's own update for it goes to
 * clients that said they show it. All others get it as text of the agent's: every client shows that,
 * while thoughts are often folded away, and a tool that is silently missing costs people hours.
 */
export function toNotice(text: string, takesNotices: boolean): SessionUpdate {
  if (takesNotices) return { sessionUpdate: "notice", severity: "warning", title: text };
  // The blank line keeps it apart from the answer in clients that join chunks without looking at ids.
  return chunk("agent_message_chunk", `notice-${crypto.randomUUID()}`, `${text}\n\n`);
}

function chunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string,
): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

function toCall(
  { callId, tool, input }: Extract<Update, { type: "call" }>,
  context: UpdateContext,
): SessionUpdate {
  const { callIds, namedCwd, maxTitleBytes } = context;
  const described = describeCall(tool, input, maxTitleBytes);
  const locations = callLocations(described.kind, input, namedCwd)
    .map((location) => ({ ...location, path: asNamed(location.path, context) }));
  return {
    sessionUpdate: "tool_call",
    toolCallId: callIds.begin(callId, { tool, input }),
    name: tool,
    ...described,
    status: "pending",
    ...(locations.length === 0 ? {} : { locations }),
    rawInput: input,
  };
}

/** ACP has no progress of calls: its words stand in the call until the result does, its numbers in `_meta`. */
function toProgress(toolCallId: string, progress: Progress): SessionUpdate {
  const { message } = progress;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: "in_progress",
    ...(message === undefined
      ? {}
      : { content: [{ type: "content", content: { type: "text", text: message } }] }),
    _meta: { skep: { progress } },
  };
}

/**
 * A call is `failed` when it was not run, its server gave no answer, or answered with an error. To clients
 * of buzz-agent the last of these has completed; `rawOutput` tells them.
 */
function toCallEnd(
  toolCallId: string,
  result: CallResult,
  asked: AskedCall | undefined,
  context: UpdateContext,
): SessionUpdate {
  const { structured, isError, isUndelivered } = result;
  const diffs = fileDiffs(result, asked)
    .map((diff) => ({ ...diff, path: asNamed(diff.path, context) }));
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: isUndelivered || (isError && !context.isBuzz) ? "failed" : "completed",
    content: [
      ...diffs.map(({ line: _, ...diff }) => ({ type: "diff" as const, ...diff })),
      ...said(result),
    ],
    ...(diffs.length === 0 ? {} : { locations: diffs.map(({ path, line }) => ({ path, line })) }),
    rawOutput: { isError, ...(structured && { structuredContent: structured }) },
  };
}

/** A path in the session's folder, as the client knows it. */
function asNamed(path: string, { cwd, namedCwd }: UpdateContext): string {
  const isInside = path === cwd || path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`);
  return isInside ? namedCwd + path.slice(cwd.length) : path;
}

/** What the model reads of a result, without a difference that is shown as such. */
function said({ content, structured }: CallResult): ToolCallContent[] {
  const diff = structured?.diff;
  const shown = typeof diff === "string" && diff !== "" ? `\n\n${diff}` : undefined;
  return content.map((part): ToolCallContent => {
    const isShown = shown !== undefined && part.type === "text";
    const content = toBlock(isShown ? { ...part, text: part.text.replace(shown, () => "") } : part);
    return { type: "content", content };
  });
}

/** A piece of what was said, as ACP has it. */
export function toBlock(part: Text | Image): ContentBlock {
  return part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", data: part.data, mimeType: part.mediaType };
}

/**
 * The round's tokens are what its context holds, without those of attempts that failed. A `size` of 0
 * says that the window is not known.
 */
function toUsage(
  { round, session }: Extract<Update, { type: "usage" }>,
  window: number | undefined,
): SessionUpdate[] {
  const { inputTokens, outputTokens, failedInputTokens = 0, failedOutputTokens = 0 } = round;
  if (inputTokens === undefined && outputTokens === undefined) return [];
  const failed = failedInputTokens + failedOutputTokens;
  const used = Math.max(0, (inputTokens ?? 0) + (outputTokens ?? 0) - failed);
  const { costUsd } = session;
  const cost = costUsd === undefined ? {} : { cost: { amount: costUsd, currency: "USD" } };
  return [{ sessionUpdate: "usage_update", used, size: window ?? 0, ...cost }];
}
