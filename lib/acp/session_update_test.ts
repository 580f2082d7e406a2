import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { checkFrame } from "../../tests/acp_schema.ts";
import type { Compaction, Update } from "../turn/update.ts";
import { CallIds } from "./call_ids.ts";
import { CompactionIds } from "./compaction_update.ts";
import { toNotice, toSessionUpdates, type UpdateContext } from "./session_update.ts";

/** Maps the updates of one session, and holds what comes of each against ACP's schema. */
function map(...updates: Update[]): unknown[] {
  return mapFor({}, ...updates);
}

function mapFor(changed: Partial<UpdateContext>, ...updates: Update[]): SessionUpdate[] {
  const context = {
    cwd: "/w",
    callIds: new CallIds(),
    compactionIds: new CompactionIds(),
    takesNotices: false,
    takesCompactions: false,
    isBuzz: false,
    namedCwd: "/w",
    maxTitleBytes: 200,
    contextWindow: (model: string) => model === "known" ? 1000 : undefined,
    ...changed,
  };
  const mapped = updates.flatMap((update) => toSessionUpdates(update, context));
  for (const update of mapped) check(update);
  return mapped;
}

function check(update: unknown): void {
  const params = { sessionId: "s", update };
  checkFrame({ jsonrpc: "2.0", method: "session/update", params }, () => undefined);
}

Deno.test("toSessionUpdates() tells the text of a reply from its thoughts, by kind and by id", () => {
  const [text, thought] = map(
    { type: "text", message: "m", text: "a" },
    { type: "thought", message: "m", text: "b" },
  );
  assertEquals(text, {
    sessionUpdate: "agent_message_chunk",
    messageId: "m",
    content: { type: "text", text: "a" },
  });
  assertEquals(thought, {
    sessionUpdate: "agent_thought_chunk",
    messageId: "m-thought",
    content: { type: "text", text: "b" },
  });
});

Deno.test("toSessionUpdates() shows a call from its beginning to its end", () => {
  const content = [
    { type: "text", text: "done" },
    { type: "image", data: "QUJD", mediaType: "image/png" },
  ] as const;
  const [begun, started, ended] = map(
    { type: "call", callId: "c", tool: "dev__read_file", input: { path: "a" } },
    { type: "call_started", callId: "c" },
    { type: "call_ended", callId: "c", result: { isError: false, content } },
  );
  assertEquals(begun, {
    sessionUpdate: "tool_call",
    toolCallId: "c",
    name: "dev__read_file",
    title: "dev__read_file a",
    kind: "read",
    status: "pending",
    locations: [{ path: "/w/a" }],
    rawInput: { path: "a" },
  });
  assertEquals(started, {
    sessionUpdate: "tool_call_update",
    toolCallId: "c",
    status: "in_progress",
  });
  assertEquals(ended, {
    sessionUpdate: "tool_call_update",
    toolCallId: "c",
    status: "completed",
    content: [
      { type: "content", content: { type: "text", text: "done" } },
      { type: "content", content: { type: "image", data: "QUJD", mimeType: "image/png" } },
    ],
    rawOutput: { isError: false },
  });
});

Deno.test("toSessionUpdates() tells every call that went wrong as failed; a tool's own error has completed for buzz-acp", () => {
  const result = { isError: true, content: [{ type: "text", text: "no such file" }] } as const;
  const ends = [
    { type: "call_ended", callId: "c", result },
    { type: "call_ended", callId: "c", result: { ...result, isUndelivered: true } },
  ] as const;
  const statuses = (updates: unknown[]) =>
    (updates as { status: string }[]).map(({ status }) => status);
  assertEquals(statuses(map(...ends)), ["failed", "failed"]);
  assertEquals(statuses(mapFor({ isBuzz: true }, ...ends)), ["completed", "failed"]);
  const [own] = map(...ends) as { content: unknown; rawOutput: unknown }[];
  assertEquals(own!.content, [{ type: "content", content: result.content[0] }]);
  assertEquals(own!.rawOutput, { isError: true });
});

Deno.test("toSessionUpdates() gives an id that a model uses again a number behind it", () => {
  const call: Update = { type: "call", callId: "call_1", tool: "t", input: undefined };
  const ids = map(call, call, { type: "call_started", callId: "call_1" });
  assertEquals(
    ids.map((update) => (update as { toolCallId: string }).toolCallId),
    ["call_1", "call_1#2", "call_1#2"],
  );
});

Deno.test("toSessionUpdates() reports the tokens in context, with 0 for a window that is not known", () => {
  const round = { inputTokens: 100, outputTokens: 20 };
  assertEquals(
    map(
      { type: "usage", round, session: round, model: "known" },
      { type: "usage", round, session: round, model: "other" },
    ),
    [
      { sessionUpdate: "usage_update", used: 120, size: 1000 },
      { sessionUpdate: "usage_update", used: 120, size: 0 },
    ],
  );
});

Deno.test("toSessionUpdates() counts no failed attempt as context, and tells what the session cost", () => {
  const round = {
    inputTokens: 150,
    outputTokens: 20,
    failedInputTokens: 50,
    failedOutputTokens: 5,
  };
  const session = { ...round, costUsd: 0.25 };
  assertEquals(map({ type: "usage", round, session, model: "known" }), [{
    sessionUpdate: "usage_update",
    used: 115,
    size: 1000,
    cost: { amount: 0.25, currency: "USD" },
  }]);
});

Deno.test("toSessionUpdates() shows an edit as a difference with its place, and not again as text", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -4 +4 @@\n-old\n+new\n";
  const result = {
    isError: false,
    content: [{ type: "text", text: `Edited "x": 1 occurrence\n\n${diff}` }],
    structured: { path: "/w/x", diff },
  } as const;
  const [, ended] = map(
    { type: "call", callId: "c", tool: "dev__str_replace", input: { path: "x" } },
    { type: "call_ended", callId: "c", result },
  );
  assertEquals(ended, {
    sessionUpdate: "tool_call_update",
    toolCallId: "c",
    status: "completed",
    content: [
      { type: "diff", path: "/w/x", oldText: "old\n", newText: "new\n" },
      { type: "content", content: { type: "text", text: 'Edited "x": 1 occurrence' } },
    ],
    locations: [{ path: "/w/x", line: 4 }],
    rawOutput: { isError: false, structuredContent: { path: "/w/x", diff } },
  });
});

Deno.test("toSessionUpdates() tells the plan that a call left behind, after the call's end", () => {
  const structured = { todos: [{ text: "a", status: "done" }] };
  const updates = map(
    { type: "call", callId: "c", tool: "dev__todo", input: {} },
    { type: "call_ended", callId: "c", result: { isError: false, content: [], structured } },
  ) as { sessionUpdate: string }[];
  assertEquals(updates.map(({ sessionUpdate }) => sessionUpdate), [
    "tool_call",
    "tool_call_update",
    "plan",
  ]);
});

Deno.test("toSessionUpdates() says nothing of tokens that the provider did not count", () => {
  assertEquals(
    map({ type: "usage", round: {}, session: { inputTokens: 5 }, model: "known" }),
    [],
  );
});

Deno.test("toNotice() uses ACP's notice where it is shown, and the agent's text elsewhere (T27)", () => {
  const notice = toNotice("Server x failed", true);
  check(notice);
  assertEquals(notice, {
    sessionUpdate: "notice",
    severity: "warning",
    title: "Server x failed",
  });
  const text = toNotice("Server x failed", false) as { messageId: string; content: unknown };
  check(text);
  assertEquals(text.content, { type: "text", text: "Server x failed\n\n" });
  assertMatch(text.messageId, /^notice-/);
});

Deno.test("toSessionUpdates() shows that a turn lives by what changes nothing, and tells its run to no plain client", () => {
  assertEquals(map({ type: "turn_started", turnId: "run_1" }, { type: "keepalive" }), [
    { sessionUpdate: "session_info_update", _meta: { skep: { keepalive: true } } },
  ]);
});

Deno.test("toSessionUpdates() tells how far a call is in its content, until the result takes that place (T16)", () => {
  const progress = { progress: 1, total: 4, message: "step 1" };
  const [, told, quiet] = map(
    { type: "call", callId: "1", tool: "s__t", input: {} },
    { type: "call_progress", callId: "1", progress },
    { type: "call_progress", callId: "1", progress: { progress: 2 } },
  ) as Record<string, unknown>[];
  assertEquals(told?.content, [{ type: "content", content: { type: "text", text: "step 1" } }]);
  assertEquals([told?.status, told?._meta], ["in_progress", { skep: { progress } }]);
  assertEquals([quiet?.content, quiet?._meta], [undefined, {
    skep: { progress: { progress: 2 } },
  }]);
});

const DONE = {
  state: "done",
  how: "summary",
  droppedMessages: 4,
  tokensBefore: 900,
  tokensAfter: 200,
} as const;
const SAID =
  "The context was compacted: 4 older messages became a summary (about 900 tokens before, 200 now)";

Deno.test("toSessionUpdates() tells a client of compactions as such, each under an id of its own", () => {
  const updates = ([
    { state: "started" },
    DONE,
    { state: "started" },
    { state: "failed", reason: "down" },
    DONE,
    { state: "started" },
    { state: "cancelled" },
  ] as const).map((compaction) => ({ type: "compaction", compaction }) as const);
  const told = mapFor({ takesCompactions: true }, ...updates).map((update) => {
    assert(update.sessionUpdate === "compaction_update");
    return update;
  });
  const ids = told.map(({ compactionId }) => compactionId);
  const [first, , second, , third, fourth] = ids;
  assertEquals(ids, [first, first, second, second, third, fourth, fourth]);
  assertEquals(new Set(ids).size, 4);
  assertEquals(told.map(({ status }) => status), [
    "in_progress",
    "completed",
    "in_progress",
    "failed",
    "completed",
    "in_progress",
    "cancelled",
  ]);
  assertEquals(told[1]!.summary, [{ type: "text", text: SAID }]);
  const { state: _, ...counts } = DONE;
  assertEquals(told[1]!._meta, { skep: counts });
  assertEquals(told[3]!.error, "down");
});

Deno.test("toSessionUpdates() tells all other clients in words what came of a compaction", () => {
  const compaction = (compaction: Compaction) => ({ type: "compaction", compaction }) as const;
  assertEquals(
    mapFor(
      { takesNotices: true },
      compaction({ state: "started" }),
      compaction(DONE),
      compaction({ state: "cancelled" }),
    ),
    [{ sessionUpdate: "notice", severity: "warning", title: SAID }],
  );
});
