import { assertEquals, assertMatch } from "@std/assert";
import { echo, FakeSession, MemoryClient, untilCancelled } from "../../tests/acp_client.ts";
import type { Replayed, SessionRequest } from "../session/session.ts";
import type { SessionInfo } from "../session/store.ts";

const PARAMS = { sessionId: "s1", cwd: "/work", mcpServers: [] };

const SAID: readonly Replayed[] = [
  { type: "prompt", content: [{ type: "text", text: "hello" }] },
  { type: "thought", message: "m1", text: "hm" },
  { type: "text", message: "m1", text: "hi" },
  { type: "call", callId: "c1", tool: "dev__todo", input: {} },
  {
    type: "call_ended",
    callId: "c1",
    result: { isError: false, content: [], structured: { todos: [] } },
  },
];

/** How a kept session was left. */
const LEFT = {
  effort: "high",
  title: "Fix it",
  modelFacts: { contextTokens: 1000, source: "catalog", efforts: ["high", "low"] },
};

function info(id: string, facts: Partial<SessionInfo> = {}): SessionInfo {
  return {
    id,
    cwd: "/work",
    title: "",
    persona: "guide",
    model: "offline",
    createdMs: 0,
    updatedMs: 0,
    turns: 0,
    records: 0,
    usage: {},
    ...facts,
  };
}

/** A client of an agent that keeps sessions. */
function started(play = echo, folder?: (cwd: string, method: string) => Promise<string>) {
  const requests: SessionRequest[] = [];
  const sessions: FakeSession[] = [];
  const queries: unknown[] = [];
  const client = new MemoryClient({
    ...(folder && { folder }),
    open: (request) => {
      requests.push(request);
      const { resume } = request;
      const session = new FakeSession(resume?.isFork ? "s2" : resume?.id ?? "s1", play);
      if (resume !== undefined) Object.assign(session, LEFT);
      session.replay = () => ReadableStream.from(SAID);
      sessions.push(session);
      return Promise.resolve(session);
    },
    kept: () =>
      Promise.resolve({
        list: (query) => {
          queries.push(query);
          const usage = { inputTokens: 5, outputTokens: 3, costUsd: 0.25 };
          const known = { title: "Fix it", updatedMs: 1000, turns: 2, usage };
          const sessions = [info("s1", known), info("s0")];
          return Promise.resolve({ sessions, ...(query?.cursor ? {} : { cursor: "next" }) });
        },
        info: (id) => Promise.resolve(id === "s1" ? info("s1") : undefined),
        delete: (id) => Promise.resolve(id === "s1"),
      }),
  });
  return { client, requests, sessions, queries };
}

Deno.test("session/load shows what was said before its reply, which tells how the session is set", async () => {
  const { client, requests } = started();
  const reply = await client.request("session/load", PARAMS);
  assertEquals(Object.keys(reply), ["modes", "configOptions"]);
  assertEquals(requests[0]?.resume, { id: "s1" });
  const shown = client.updates().map(({ sessionUpdate, messageId }) => [sessionUpdate, messageId]);
  assertMatch(String(shown[0]![1]), /^prompt-/);
  assertEquals(shown.map(([kind]) => kind), [
    "user_message_chunk",
    "agent_thought_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
  ]);
  assertEquals("result" in client.frames.at(-1)!, true);
  assertEquals(await client.prompt("s1", "go on"), { stopReason: "end_turn" });
  await client.end();
});

Deno.test("a session that is loaded again thinks as long as it did, shows that, and keeps its title", async () => {
  const { client, sessions } = started();
  const { configOptions } = await client.request("session/load", PARAMS) as {
    configOptions: { id: string; currentValue: string }[];
  };
  const chosen = configOptions.find(({ id }) => id === "thought_level")?.currentValue;
  assertEquals([chosen, sessions[0]?.effort], ["high", "high"]);
  await client.prompt("s1", "something else");
  const told = client.updates().filter(({ sessionUpdate }) =>
    sessionUpdate === "session_info_update"
  );
  assertEquals(told, []);
  await client.end();
});

Deno.test("session/resume shows nothing again, and session/fork gives an id of its own", async () => {
  const { client, requests } = started();
  await client.request("session/resume", PARAMS);
  const { sessionId } = await client.request("session/fork", PARAMS);
  assertEquals([client.updates(), sessionId], [[], "s2"]);
  assertEquals(requests.map(({ resume }) => resume), [{ id: "s1" }, { id: "s1", isFork: true }]);
  await client.end();
});

Deno.test("a session that is open is closed before it is loaded again, but not while its turn runs", async () => {
  const { client, sessions } = started(untilCancelled);
  await client.request("session/load", PARAMS);
  await client.request("session/load", PARAMS);
  assertEquals(sessions[0]!.log, ["close"]);
  const turn = client.prompt("s1", "go");
  await client.frame(({ params }) => JSON.stringify(params)?.includes("working") === true);
  const { code, message } = await client.request("session/load", PARAMS);
  assertEquals([code, message], [-32602, 'session/load: session "s1" is open, and its turn runs']);
  await client.notify("session/cancel", { sessionId: "s1" });
  assertEquals(await turn, { stopReason: "cancelled" });
  await client.end();
});

Deno.test("a session is opened in its own folder, by whatever path, and in another one only when that is gone", async () => {
  const folders: Record<string, string> = {
    "/work": "/work",
    "/link": "/work",
    "/other": "/other",
  };
  const { client, requests, queries } = started(echo, (cwd) => {
    const real = folders[cwd];
    return real === undefined ? Promise.reject(new Error("gone")) : Promise.resolve(real);
  });
  for (const method of ["session/load", "session/resume", "session/fork"]) {
    assertEquals(await client.request(method, { ...PARAMS, cwd: "/other" }), {
      code: -32602,
      message:
        `${method}: session "s1" works in "/work", not in "/other": open it with its own cwd`,
    });
  }
  assertEquals(requests, []);
  await client.request("session/load", { ...PARAMS, cwd: "/link" });
  assertEquals([requests[0]!.cwd, requests[0]!.namedCwd], ["/work", "/link"]);
  await client.request("session/list", { cwd: "/link" });
  await client.request("session/list", { cwd: "/gone/sub/../" });
  assertEquals(queries, [
    { isPrompted: true, cwd: "/work" },
    { isPrompted: true, cwd: "/gone" },
  ]);
  delete folders["/work"];
  await client.request("session/load", { ...PARAMS, cwd: "/other" });
  assertEquals(requests[1]!.cwd, "/other");
  await client.end();
});

Deno.test("session/list gives a page of sessions with what they took, and refuses what is no query", async () => {
  const { client, queries } = started();
  assertEquals(await client.request("session/list", { cwd: "/work" }), {
    sessions: [
      {
        sessionId: "s1",
        cwd: "/work",
        title: "Fix it",
        updatedAt: "1970-01-01T00:00:01.000Z",
        _meta: {
          skep: {
            turns: 2,
            model: "offline",
            usage: { inputTokens: 5, outputTokens: 3 },
            cost: { amount: 0.25, currency: "USD" },
          },
        },
      },
      {
        sessionId: "s0",
        cwd: "/work",
        updatedAt: "1970-01-01T00:00:00.000Z",
        _meta: { skep: { turns: 0, model: "offline" } },
      },
    ],
    nextCursor: "next",
  });
  const last = await client.request("session/list", { cursor: "next", cwd: null });
  assertEquals("nextCursor" in last, false);
  assertEquals(queries, [
    { isPrompted: true, cwd: "/work" },
    { isPrompted: true, cursor: "next" },
  ]);
  assertEquals((await client.request("session/list", { cwd: "work" })).code, -32602);
  assertEquals((await client.request("session/list", { cursor: 3 })).code, -32602);
  await client.end();
});

Deno.test("session/close cancels and closes, after which the session is unknown", async () => {
  const { client, sessions } = started(untilCancelled);
  await client.open();
  const turn = client.prompt("s1", "go");
  await client.frame(({ params }) => JSON.stringify(params)?.includes("working") === true);
  assertEquals(await client.request("session/close", { sessionId: "s1" }), {});
  assertEquals(await turn, { stopReason: "cancelled" });
  assertEquals(sessions[0]!.log, ["prompt", "close"]);
  assertEquals((await client.prompt("s1", "more")).code, -32002);
  assertEquals((await client.request("session/close", { sessionId: "s1" })).code, -32002);
  await client.end();
});

Deno.test("session/delete closes a session that is open, removes it, and knows which there are", async () => {
  const { client, sessions } = started();
  await client.open();
  assertEquals(await client.request("session/delete", { sessionId: "s1" }), {});
  assertEquals(sessions[0]!.log, ["close"]);
  const { code, message } = await client.request("session/delete", { sessionId: "s9" });
  assertEquals([code, message], [-32002, 'session/delete: unknown session "s9"']);
  assertEquals((await client.request("session/delete", {})).code, -32602);
  await client.end();
});

Deno.test("an agent that keeps no sessions says so, and knows no method of theirs", async () => {
  await using client = new MemoryClient();
  const { agentCapabilities } = await client.request("initialize", { protocolVersion: 1 });
  const { loadSession, sessionCapabilities } = agentCapabilities as Record<string, unknown>;
  assertEquals([loadSession, sessionCapabilities], [false, {
    close: {},
    additionalDirectories: {},
  }]);
  for (const method of ["load", "resume", "fork", "list", "delete"]) {
    assertEquals((await client.request(`session/${method}`, PARAMS)).code, -32601);
  }
});
