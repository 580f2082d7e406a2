import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeSession, type Frame, MemoryClient, type PlayTurn } from "../../tests/acp_client.ts";
import type { Answer, Question } from "../approval/approvals.ts";
import type { SessionRequest } from "../session/session.ts";

const STEER = "_goose/unstable/session/steer";
const MORE = [{ type: "text", text: "and also" }];

/** A client of a session whose turns last until the test ends them. */
function started(
  play?: PlayTurn,
): { client: MemoryClient; session: FakeSession; request: () => SessionRequest; end: () => void } {
  const done = Promise.withResolvers<"end_turn">();
  const session = new FakeSession("s1", play ?? (() => done.promise));
  let request: SessionRequest | undefined;
  const client = new MemoryClient({
    open: (given) => {
      request = given;
      return Promise.resolve(session);
    },
  });
  return { client, session, request: () => request!, end: () => done.resolve("end_turn") };
}

function errorOf(frame: Frame): string {
  return `${frame.code} ${frame.message}`;
}

Deno.test("serveAcp() steers the active run, and announces it after the reply", async () => {
  const { client, session, end } = started();
  await client.request("initialize", { protocolVersion: 2 });
  await client.open();
  const turn = client.prompt("s1", "go");
  const params = { sessionId: "s1", prompt: MORE, expectedRunId: "run_1" };
  const reply = await client.request(STEER, params);
  assertEquals(reply.runId, "run_1");
  assertEquals(/^steer_[0-9a-f]{16}$/.test(String(reply.messageId)), true);
  const told = await client.frame(({ params }) =>
    JSON.stringify(params ?? "").includes("queuedSteer")
  );
  assertEquals((told.params as Record<string, unknown>).update, {
    sessionUpdate: "session_info_update",
    _meta: { goose: { queuedSteer: { messageId: reply.messageId, runId: "run_1" } } },
  });
  assertEquals(session.log, ["prompt", `steer ${JSON.stringify(MORE)}`]);
  end();
  assertEquals(await turn, { stopReason: "end_turn" });
  await client.end();
});

Deno.test("serveAcp() refuses a steer that is empty, names no run, no session, another run or an idle one", async () => {
  const { client, end } = started();
  await client.open();
  const steer = async (params: object) =>
    errorOf(
      await client.request(STEER, {
        sessionId: "s1",
        prompt: MORE,
        expectedRunId: "run_1",
        ...params,
      }),
    );
  assertStringIncludes(await steer({}), "-32602 _goose/unstable/session/steer: no active run");
  const turn = client.prompt("s1", "go");
  assertStringIncludes(
    await steer({ prompt: [] }),
    "-32602 _goose/unstable/session/steer: the prompt is empty",
  );
  assertStringIncludes(await steer({ prompt: [{ type: "audio" }] }), "-32602");
  assertStringIncludes(await steer({ expectedRunId: " " }), "-32602");
  assertStringIncludes(
    await steer({ sessionId: "s2" }),
    '-32002 _goose/unstable/session/steer: unknown session "s2"',
  );
  assertEquals(
    await steer({ expectedRunId: "run_0" }),
    '-32602 _goose/unstable/session/steer: run "run_0" is not the active one, which is "run_1"',
  );
  end();
  assertEquals(await turn, { stopReason: "end_turn" });
  await client.end();
});

Deno.test("serveAcp() steers the turn that runs for a client that was told no run", async () => {
  const { client, session, end } = started();
  await client.open();
  const params = { sessionId: "s1", prompt: MORE };
  assertStringIncludes(errorOf(await client.request(STEER, params)), "-32602 ");
  const turn = client.prompt("s1", "go");
  assertEquals((await client.request(STEER, params) as { runId: string }).runId, "run_1");
  assertEquals(session.log, ["prompt", `steer ${JSON.stringify(MORE)}`]);
  end();
  assertEquals(await turn, { stopReason: "end_turn" });
  await client.end();
});

Deno.test("serveAcp() queues a prompt whose _meta says so", async () => {
  const { client, session, end } = started();
  await client.open();
  end();
  const params = { sessionId: "s1", prompt: MORE, _meta: { skep: { queue: true } } };
  assertEquals(await client.request("session/prompt", params), { stopReason: "end_turn" });
  assertEquals(session.log, ["queued", "prompt"]);
  await client.end();
});

const QUESTION: Question = {
  callId: "c",
  tool: "dev__shell",
  args: { command: "git push \u202e" },
  shown: "command: git push \\u{202e}",
  reason: "ask dev__shell (policy.yaml)",
  scope: { text: "commands of dev__shell like git push *", rules: [] },
  canBeKept: false,
};

/** Asks the client within a turn; its answer, or the error's code. */
async function ask(
  respond: (client: MemoryClient, id: unknown) => Promise<void>,
): Promise<{ answer: Answer | string; request: Frame }> {
  const { client, request } = started();
  await client.open();
  const turn = new AbortController();
  const asked = request().approver!(QUESTION, turn.signal)
    .catch((error): string => error.code);
  const frame = await client.frame(({ method }) => method === "session/request_permission");
  await respond(client, frame.id);
  turn.abort();
  const answer = await asked;
  await client.end();
  return { answer, request: frame };
}

const selects = (optionId: string) => async (client: MemoryClient, id: unknown) => {
  const result = { outcome: { outcome: "selected", optionId } };
  await client.line({ jsonrpc: "2.0", id, result });
  await client.request("session/cancel", {}); // read after it
};

Deno.test("serveAcp() asks the client about a call, everything shown as it will run (T76)", async () => {
  const { answer, request } = await ask(selects("session"));
  assertEquals(answer, { kind: "session" });
  const { toolCall, options } = request.params as Record<string, Record<string, unknown>[]>;
  assertStringIncludes(JSON.stringify(toolCall), JSON.stringify(QUESTION.shown).slice(1, -1));
  assertEquals((options ?? []).map(({ optionId, kind }) => [optionId, kind]), [
    ["once", "allow_once"],
    ["session", "allow_always"],
    ["deny", "reject_once"],
  ]);
  assertEquals(options?.[1]?.name, "Allow commands of dev__shell like git push * for this session");
});

Deno.test("serveAcp() takes only the options that allow for an allow", async () => {
  assertEquals((await ask(selects("once"))).answer, { kind: "once" });
  assertEquals((await ask(selects("deny"))).answer, { kind: "deny" });
  assertEquals((await ask(selects("allow_everything"))).answer, { kind: "deny" });
  const refused = await ask(async (client, id) => {
    await client.line({ jsonrpc: "2.0", id, error: { code: -32601, message: "not found" } });
    await client.request("session/cancel", {});
  });
  assertEquals(refused.answer, { kind: "unasked" });
});

Deno.test("serveAcp() takes no answer that comes after a cancel, and a cancelled outcome for none (T11)", async () => {
  assertEquals((await ask(() => Promise.resolve())).answer, "CANCELLED");
  const cancelled = await ask(async (client, id) => {
    await client.line({ jsonrpc: "2.0", id, result: { outcome: { outcome: "cancelled" } } });
    await client.request("session/cancel", {});
  });
  assertEquals(cancelled.answer, "CANCELLED");
});

Deno.test("serveAcp() sets a session's mode, and knows which there are", async () => {
  const { client, session } = started();
  await client.open();
  assertEquals(await client.request("session/set_mode", { sessionId: "s1", modeId: "plan" }), {});
  assertEquals(session.mode, "plan");
  const refused = await client.request("session/set_mode", { sessionId: "s1", modeId: "yolo" });
  assertStringIncludes(
    errorOf(refused),
    "-32602 session/set_mode: the mode must be one of normal, plan",
  );
  await client.end();
});
