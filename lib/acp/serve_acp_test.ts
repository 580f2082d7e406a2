import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  echo,
  FakeSession,
  MemoryClient,
  type PlayTurn,
  untilCancelled,
} from "../../tests/acp_client.ts";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Model } from "../model/model.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import type { Update } from "../turn/update.ts";
import type { AcpOptions } from "./serve_acp.ts";

/** A client whose sessions, `s1`, `s2` and so on, play `play`. */
function clientOf(play: PlayTurn, options: Partial<AcpOptions> = {}): {
  client: MemoryClient;
  sessions: FakeSession[];
} {
  const sessions: FakeSession[] = [];
  const open = () => {
    sessions.push(new FakeSession(`s${sessions.length + 1}`, play));
    return Promise.resolve<Session>(sessions.at(-1)!);
  };
  return { client: new MemoryClient({ open, ...options }), sessions };
}

function limits(changed: Partial<typeof DEFAULT_LIMITS>): typeof DEFAULT_LIMITS {
  return { ...DEFAULT_LIMITS, ...changed };
}

const text = (text: string): Update => ({ type: "text", message: "m", text });

Deno.test("serveAcp() answers initialize, again and after other methods too", async () => {
  await using client = new MemoryClient();
  assertEquals(await client.open(), "s1");
  assertEquals((await client.request("initialize", { protocolVersion: 1 })).protocolVersion, 1);
  assertEquals((await client.request("initialize", { protocolVersion: 99 })).protocolVersion, 2);
  assertEquals(await client.request("initialize", { protocolVersion: "x" }), {
    code: -32602,
    message: 'initialize: protocolVersion must be a whole number, not "x"',
  });
});

Deno.test("serveAcp() opens a session and lists the models, its own first", async () => {
  const requests: SessionRequest[] = [];
  await using client = new MemoryClient({
    open: (request) => {
      requests.push(request);
      return Promise.resolve(new FakeSession("s1", echo));
    },
    models: () => Promise.resolve([{ id: "anthropic:x", name: "X" }]),
  });
  const clientCapabilities = { _meta: { skep: { unstable: true } } };
  await client.request("initialize", { protocolVersion: 1, clientCapabilities });
  const server = { name: "a", command: "/bin/a", args: ["b c"], env: [] };
  const params = { cwd: "/work", mcpServers: [server], systemPrompt: "Be kind." };
  assertEquals(await client.request("session/new", params), {
    sessionId: "s1",
    models: {
      currentModelId: "offline:plain",
      availableModels: [
        { modelId: "offline:plain", name: "offline:plain" },
        { modelId: "anthropic:x", name: "X" },
      ],
    },
    modes: {
      currentModeId: "normal",
      availableModes: [
        {
          id: "normal",
          name: "Normal",
          description: "Calls run as the rules and grants let them",
        },
        { id: "plan", name: "Plan", description: "Only calls that can change nothing are run" },
      ],
    },
    configOptions: [
      {
        type: "select",
        id: "model",
        name: "Model",
        category: "model",
        currentValue: "offline:plain",
        options: [
          { value: "offline:plain", name: "offline:plain" },
          { value: "anthropic:x", name: "X" },
        ],
      },
      {
        type: "select",
        id: "mode",
        name: "Mode",
        category: "mode",
        currentValue: "normal",
        options: [
          {
            value: "normal",
            name: "Normal",
            description: "Calls run as the rules and grants let them",
          },
          {
            value: "plan",
            name: "Plan",
            description: "Only calls that can change nothing are run",
          },
        ],
      },
    ],
  });
  const [{ cwd, servers, systemPrompt } = { cwd: "", servers: [] }] = requests;
  assertEquals([cwd, systemPrompt], ["/work", "Be kind."]);
  assertEquals(servers.map(({ name, args }) => [name, args]), [["a", ["b c"]]]);
});

Deno.test("serveAcp() tells of bad servers and of the session's notices, after its reply (T27, T28)", async () => {
  await using client = new MemoryClient({
    open: () => Promise.resolve(new FakeSession("s1", echo, ["server x failed: no such file"])),
  });
  await client.open({ mcpServers: [{ name: "bad" }, { name: "good", command: "c" }] });
  await client.prompt("s1", "hello");
  assertEquals("result" in client.frames[0]!, true);
  assertEquals(
    client.said(),
    'MCP server "bad" was left out: command must be text\n\n' +
      "server x failed: no such file\n\nhello",
  );
});

Deno.test("serveAcp() tells what comes up later, and not before the client knows the session", async () => {
  let tell = (_text: string) => {};
  await using client = new MemoryClient({
    open: ({ onNotice }) => {
      tell = onNotice ?? tell;
      tell("while it opens");
      return Promise.resolve(new FakeSession("s1", echo, ["at first"]));
    },
  });
  await client.open();
  await client.prompt("s1", "hello");
  tell("later");
  await client.prompt("s1", "bye");
  assertEquals("result" in client.frames[0]!, true);
  assertEquals(client.said(), "at first\n\nwhile it opens\n\nhellolater\n\nbye");
});

Deno.test("serveAcp() sends notices as such to a client that shows them", async () => {
  await using client = new MemoryClient({
    open: () => Promise.resolve(new FakeSession("s1", echo, ["server x failed"])),
  });
  const clientCapabilities = { session: { notices: {} } };
  await client.request("initialize", { protocolVersion: 1, clientCapabilities });
  await client.open();
  await client.prompt("s1", "hello");
  assertEquals(client.updates()[0], {
    sessionUpdate: "notice",
    severity: "warning",
    title: "server x failed",
  });
});

Deno.test("serveAcp() streams a turn's updates, then answers with its stop", async () => {
  const { client } = clientOf((_prompt, onUpdate) => {
    onUpdate({ type: "thought", message: "m", text: "hm" });
    onUpdate({ type: "call", callId: "c", tool: "dev__shell", input: { command: "ls" } });
    onUpdate({ type: "call_started", callId: "c" });
    onUpdate({ type: "call_ended", callId: "c", result: { isError: false, content: [] } });
    onUpdate(text("done"));
    const round = { inputTokens: 3, outputTokens: 4 };
    onUpdate({ type: "usage", round, session: round, model: "m" });
    return Promise.resolve("max_tokens");
  });
  await client.open();
  assertEquals(await client.prompt("s1", "go"), { stopReason: "max_tokens" });
  assertEquals(client.updates().map((update) => update.sessionUpdate), [
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "tool_call_update",
    "agent_message_chunk",
    "usage_update",
  ]);
  await client.end();
  assertEquals(client.frames.at(-1)?.result, { stopReason: "max_tokens" });
});

Deno.test("serveAcp() keeps 2,000 small updates in order, all before the response", async () => {
  const { client } = clientOf((_prompt, onUpdate) => {
    for (let n = 0; n < 2_000; n++) onUpdate(text(`${n} `));
    return Promise.resolve("end_turn");
  });
  await client.open();
  await client.prompt("s1", "go");
  assertEquals(client.frames.length, 2_002);
  assertEquals(client.said(), Array.from({ length: 2_000 }, (_, n) => `${n} `).join(""));
  await client.end();
});

Deno.test("serveAcp() sends no update of a turn after its response", async () => {
  let late: (update: Update) => void = () => {};
  const { client } = clientOf((_prompt, onUpdate) => {
    late = onUpdate;
    return Promise.resolve("end_turn");
  });
  await client.open();
  await client.prompt("s1", "go");
  late(text("too late"));
  assertEquals(await client.request("session/cancel", { sessionId: "s1" }), null);
  assertEquals(client.updates(), []);
  await client.end();
});

Deno.test("serveAcp() refuses a second prompt while one runs, which goes on", async () => {
  const { client } = clientOf(untilCancelled);
  await client.open();
  const first = client.prompt("s1", "one");
  assertEquals(await client.prompt("s1", "two"), {
    code: -32602,
    message: "session/prompt: prompt already in flight",
  });
  await client.notify("session/cancel", { sessionId: "s1" });
  assertEquals(await first, { stopReason: "cancelled" });
  await client.end();
});

Deno.test("serveAcp() takes a cancel as a notification, without a reply, and the next prompt (T12, T13)", async () => {
  const turns: PlayTurn[] = [untilCancelled, echo];
  const { client } = clientOf((...args) => turns.shift()!(...args));
  await client.open();
  const first = client.prompt("s1", "one");
  await client.notify("session/cancel", { sessionId: "s1" });
  assertEquals(await first, { stopReason: "cancelled" });
  assertEquals(await client.prompt("s1", "two"), { stopReason: "end_turn" });
  assertEquals(client.frames.filter((frame) => !("method" in frame)).length, 3);
  await client.end();
});

Deno.test("serveAcp() does not let a cancel overtake the prompt right before it", async () => {
  const { client, sessions } = clientOf(untilCancelled);
  await client.open();
  const params = { sessionId: "s1", prompt: [{ type: "text", text: "go" }] };
  const prompt = { jsonrpc: "2.0", id: "p", method: "session/prompt", params };
  const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } };
  await client.line(`${JSON.stringify(prompt)}\n${JSON.stringify(cancel)}`);
  const reply = await client.frame(({ id }) => id === "p");
  assertEquals(reply.result, { stopReason: "cancelled" });
  assertEquals(sessions[0]?.log, ["prompt", "cancel"]);
  await client.end();
});

Deno.test("serveAcp() answers the request form of cancel with null, whatever the session does", async () => {
  const { client } = clientOf(untilCancelled);
  await client.open();
  assertEquals(await client.request("session/cancel", { sessionId: "s1" }), null);
  assertEquals(await client.request("session/cancel", { sessionId: "none" }), null);
  assertEquals(await client.request("session/cancel", 3), null);
  const turn = client.prompt("s1", "go");
  assertEquals(await client.request("session/cancel", { sessionId: "s1" }), null);
  assertEquals(await turn, { stopReason: "cancelled" });
  await client.end();
});

Deno.test("serveAcp() cancels the turn of a prompt request that is cancelled", async () => {
  const { client } = clientOf(untilCancelled);
  await client.open(); // takes id 1
  const turn = client.prompt("s1", "go");
  await client.notify("$/cancel_request", { requestId: 2 });
  assertEquals(await turn, { stopReason: "cancelled" });
  await client.end();
});

Deno.test("serveAcp() answers a turn that threw CANCELLED as cancelled (T11)", async () => {
  const { client } = clientOf(() => Promise.reject(new SkepError("CANCELLED", "cancelled", {})));
  await client.open();
  assertEquals(await client.prompt("s1", "go"), { stopReason: "cancelled" });
  await client.end();
});

Deno.test("serveAcp() runs turns of several sessions at once (10.32 multi-session concurrency)", async () => {
  const started: string[] = [];
  const both = Promise.withResolvers<void>();
  const { client } = clientOf(async ([part], onUpdate) => {
    const name = part?.type === "text" ? part.text : "";
    started.push(name);
    if (started.length === 2) both.resolve();
    await both.promise;
    onUpdate(text(name));
    return "end_turn";
  });
  await client.open();
  await client.open();
  await Promise.all([client.prompt("s1", "one"), client.prompt("s2", "two")]);
  const said = client.frames.filter(({ method }) => method === "session/update")
    .map(({ params }) => params as { sessionId: string; update: { content: { text: string } } })
    .map(({ sessionId, update }) => [sessionId, update.content.text]);
  assertEquals(said.sort(), [["s1", "one"], ["s2", "two"]]);
  await client.end();
});

Deno.test("serveAcp() answers a model's failure with an error, and the session lives on", async () => {
  const failures: unknown[] = [
    new SkepError("PROVIDER_FAILED", "acme answered 500", { provider: "acme", status: 500 }),
    new SkepError("PROVIDER_AUTH_FAILED", "acme refused the key", {
      provider: "acme",
      status: 401,
    }),
    new SkepError("PROVIDER_MODEL_NOT_FOUND", "no model x", { provider: "acme", model: "x" }),
    new TypeError("x is undefined"),
  ];
  const { client } = clientOf((...args) =>
    failures.length > 0 ? Promise.reject(failures.shift()) : echo(...args)
  );
  await client.request("initialize", { protocolVersion: 2 });
  await client.open();
  assertEquals(await client.prompt("s1", "a"), { code: -32000, message: "acme answered 500" });
  assertEquals(await client.prompt("s1", "b"), { code: -32001, message: "acme refused the key" });
  assertEquals(await client.prompt("s1", "c"), { code: -32002, message: "no model x" });
  assertEquals(await client.prompt("s1", "d"), { code: -32603, message: "x is undefined" });
  assertStringIncludes(client.warnings[0] ?? "", "Defect in session/prompt: TypeError");
  assertEquals(await client.prompt("s1", "e"), { stopReason: "end_turn" });
  await client.end();
});

Deno.test("serveAcp() refuses prompts that it cannot use", async () => {
  await using client = new MemoryClient();
  const codeOf = async (params: unknown) => (await client.request("session/prompt", params)).code;
  await client.open();
  const unknown = 'session/prompt: unknown session "none"';
  assertEquals(await client.prompt("none", "go"), { code: -32002, message: unknown });
  assertEquals(await codeOf({}), -32602);
  assertEquals(await codeOf(undefined), -32602);
  assertEquals(await codeOf({ sessionId: "s1", prompt: [] }), -32602);
  const audio = { type: "audio", data: "QUJD", mimeType: "audio/wav" };
  assertEquals(await codeOf({ sessionId: "s1", prompt: [audio] }), -32602);
  await client.request("initialize", { protocolVersion: 2 });
  assertEquals(await client.prompt("none", "go"), { code: -32602, message: unknown });
});

Deno.test("serveAcp() answers what opening a session throws", async () => {
  const error = new SkepError("CONFIG_INVALID", "persona too long", { source: "persona" });
  await using client = new MemoryClient({ open: () => Promise.reject(error) });
  assertEquals(await client.request("session/new", { cwd: "/w" }), {
    code: -32603,
    message: "persona too long",
  });
  assertEquals((await client.request("session/new", { cwd: "w" })).code, -32602);
});

Deno.test("serveAcp() opens as many sessions as its limit, and not one more", async () => {
  const { client } = clientOf(echo, { limits: limits({ maxSessions: 2 }) });
  assertEquals([await client.open(), await client.open()], ["s1", "s2"]);
  assertEquals(await client.request("session/new", { cwd: "/w" }), {
    code: -32602,
    message: "session/new: max sessions reached: the limit is 2",
  });
  await client.end();
});

Deno.test("serveAcp() counts sessions that are being opened against the limit", async () => {
  const opening = Promise.withResolvers<Session>();
  await using client = new MemoryClient({
    open: () => opening.promise,
    limits: limits({ maxSessions: 1 }),
  });
  const first = client.open();
  assertEquals((await client.request("session/new", { cwd: "/w" })).code, -32602);
  opening.resolve(new FakeSession("s1", echo));
  assertEquals(await first, "s1");
});

Deno.test("serveAcp() sets a session's model, and refuses one that it does not know", async () => {
  const { client, sessions } = clientOf(echo, {
    resolveModel: (id) => {
      if (id === "acme:x") return Promise.resolve({ id } as Model);
      return Promise.reject(new SkepError("MODEL_UNKNOWN", `No provider "${id}"`, { model: id }));
    },
  });
  await client.open();
  const set = (sessionId: string, modelId: unknown) =>
    client.request("session/set_model", { sessionId, modelId });
  assertEquals(await set("s1", "acme:x"), { sessionId: "s1", modelId: "acme:x" });
  assertEquals(sessions[0]?.modelId, "acme:x");
  assertEquals(await set("s1", "bad"), { code: -32602, message: 'No provider "bad"' });
  assertEquals((await set("s1", " ")).code, -32602);
  assertEquals((await set("none", "acme:x")).code, -32002);
  await client.end();
});

Deno.test("serveAcp() answers an unknown method, and ignores an unknown notification", async () => {
  await using client = new MemoryClient();
  await client.notify("no/such");
  await client.notify("initialize", { protocolVersion: 1 });
  for (const method of ["session/load", "constructor", "no/such"]) {
    assertEquals(await client.request(method, {}), {
      code: -32601,
      message: `method not found: ${method}`,
    });
  }
  await client.notify("no/such");
  assertEquals(await client.open(), "s1");
  assertEquals(client.frames.length, 4);
});

Deno.test("serveAcp() answers what is no message, and the connection lives on", async () => {
  await using client = new MemoryClient();
  for (const line of ["{", "", "   ", "[]", '{"jsonrpc":"1.0","id":7,"method":"initialize"}']) {
    await client.line(line);
  }
  await client.line(new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
  await client.line({ jsonrpc: "2.0", id: 1, result: {} }); // an answer to nothing
  await client.line({ jsonrpc: "2.0", id: null, method: "session/cancel" });
  assertEquals(await client.open(), "s1");
  const replies = client.frames.slice(0, -1)
    .map(({ id, error, result }) => [id, (error as { code: number })?.code ?? result]);
  assertEquals(replies, [[null, -32700], [null, -32600], [7, -32600], [null, -32700], [
    null,
    null,
  ]]);
});

Deno.test("serveAcp() takes a line exactly at its limit, and answers one past it with -32600", async () => {
  await using client = new MemoryClient({ limits: limits({ maxFrameBytes: 1024 }) });
  const message = { jsonrpc: "2.0", id: "x", method: "initialize", params: { protocolVersion: 1 } };
  const json = JSON.stringify(message);
  await client.line(json + " ".repeat(1023 - json.length));
  await client.line(json + " ".repeat(1024 - json.length));
  assertEquals(await client.open(), "s1");
  assertEquals(client.frames.map(({ id, error }) => [id, error]).slice(0, 2), [
    ["x", undefined],
    ["x", { code: -32600, message: "Cannot read a line of 1025 bytes: the limit is 1024" }],
  ]);
});

Deno.test("serveAcp() takes U+2028 in a line for text (T24)", async () => {
  await using client = new MemoryClient();
  await client.open();
  await client.line(
    '{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":' +
      '{"sessionId":"s1","prompt":[{"type":"text","text":"a\u2028b\u2029c"}]}}',
  );
  await client.frame(({ id }) => id === "p");
  assertEquals(client.said(), "a\u2028b\u2029c");
});

Deno.test("serveAcp() cancels what runs at the end of the input, answers, and closes the sessions (T05)", async () => {
  const { client, sessions } = clientOf(untilCancelled);
  await client.open();
  await client.open();
  const turn = client.prompt("s1", "go");
  await client.frame(({ method }) => method === "session/update");
  await client.end();
  assertEquals(await turn, { stopReason: "cancelled" });
  assertEquals(sessions.map(({ log }) => log), [["prompt", "close"], ["close"]]);
  assertEquals(client.warnings, []);
});

Deno.test("serveAcp() ends in the same way when its signal is aborted", async () => {
  const { client, sessions } = clientOf(untilCancelled);
  await client.open();
  const turn = client.prompt("s1", "go");
  await client.frame(({ method }) => method === "session/update");
  client.abort();
  await client.served;
  assertEquals(await turn, { stopReason: "cancelled" });
  assertEquals(sessions[0]?.log, ["prompt", "close"]);
});

Deno.test("serveAcp() gives up a session that is being opened when the input ends", async () => {
  let signal: AbortSignal | undefined;
  const client = new MemoryClient({
    open: (request) => {
      signal = request.signal;
      const { promise, reject } = Promise.withResolvers<Session>();
      signal?.addEventListener("abort", () => reject(signal?.reason));
      return promise;
    },
  });
  const opening = client.request("session/new", { cwd: "/w" });
  while (signal === undefined) await new Promise((resolve) => setTimeout(resolve));
  await client.end();
  assertEquals((await opening).code, -32800);
});

Deno.test("serveAcp() closes a session whose opening did not stop for the end of the input", async () => {
  const session = new FakeSession("s1", echo);
  let isOpening = false;
  const client = new MemoryClient({
    open: ({ signal }) => {
      isOpening = true;
      const { promise, resolve } = Promise.withResolvers<Session>();
      signal?.addEventListener("abort", () => resolve(session));
      return promise;
    },
  });
  const reply = client.request("session/new", { cwd: "/w" });
  while (!isOpening) await new Promise((resolve) => setTimeout(resolve));
  await client.end();
  assertEquals([(await reply).code, session.log], [-32800, ["close"]]);
});

Deno.test("serveAcp() leaves a turn that does not end after its limit, and says so (T05)", async () => {
  const waits: number[] = [];
  const warnings: string[] = [];
  const { client } = clientOf(() => new Promise(() => {}), {
    limits: limits({ idleSessionS: 0 }),
    world: {
      sleep: (ms) => Promise.resolve(void waits.push(ms)),
      warn: (line) => void warnings.push(line),
    },
  });
  await client.open();
  client.prompt("s1", "go");
  await client.request("session/cancel", { sessionId: "none" });
  await client.end();
  assertEquals(waits, [DEFAULT_LIMITS.listModelsMs, DEFAULT_LIMITS.endAcpMs]);
  assertEquals(warnings, ["The connection was left with work undone after 2000 ms"]);
});

Deno.test("serveAcp() ends at an input that is empty, or holds nothing but initialize", async () => {
  await new MemoryClient().end();
  const client = new MemoryClient();
  await client.request("initialize", { protocolVersion: 1 });
  await client.end();
  assertEquals(client.frames.length, 1);
});

Deno.test("serveAcp() ends when the client no longer takes its output", async () => {
  const warnings: string[] = [];
  const session = new FakeSession("s1", echo);
  const client = new MemoryClient({
    open: () => Promise.resolve(session),
    output: { write: () => Promise.reject(new Error("broken pipe")) },
    world: { sleep: () => new Promise(() => {}), warn: (line) => void warnings.push(line) },
  });
  client.open();
  await client.served;
  assertEquals(warnings, ["The client is gone: broken pipe"]);
  assertEquals(session.log, ["close"]);
});

Deno.test("serveAcp() ends when the input breaks, and says so", async () => {
  const client = new MemoryClient({
    input: new ReadableStream({ start: (controller) => controller.error(new Error("reset")) }),
  });
  await client.served;
  assertEquals(client.warnings, ["Cannot read from the client: reset"]);
});

Deno.test("serveAcp() cancels the turn of a client that does not read, and keeps its reply", async () => {
  const taken = Promise.withResolvers<void>();
  const lines: string[] = [];
  const { client, sessions } = clientOf(async (_prompt, onUpdate, cancelled) => {
    for (let n = 0; n < 100 && !cancelled.aborted; n++) onUpdate(text("x".repeat(100)));
    for (let n = 0; n < 3; n++) onUpdate(text("x".repeat(100)));
    await Promise.resolve();
    return cancelled.aborted ? "cancelled" : "end_turn";
  }, {
    limits: limits({ maxUnreadBytes: 2000 }),
    output: {
      write: async (bytes) => {
        lines.push(...new TextDecoder().decode(bytes).trimEnd().split("\n"));
        if (lines.length > 1) await taken.promise; // the reply to session/new is read
      },
    },
  });
  await client.line({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: "/w" } });
  while (sessions.length === 0) await new Promise((resolve) => setTimeout(resolve));
  const params = { sessionId: "s1", prompt: [{ type: "text", text: "go" }] };
  await client.line({ jsonrpc: "2.0", id: 2, method: "session/prompt", params });
  while (sessions[0]?.isRunning !== false || lines.length < 2) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  taken.resolve();
  await client.end();
  assertEquals(sessions[0]?.log, ["prompt", "cancel", "close"]);
  assertEquals(client.warnings, ["The client does not read: session s1 is cancelled"]);
  const updates = lines.filter((line) => line.includes("session/update"));
  assert(updates.length > 2 && updates.length < 20, `${updates.length} updates`);
  assertEquals(JSON.parse(lines.at(-1)!).result, { stopReason: "cancelled" });
});

Deno.test("serveAcp() reads no further request while the client does not read", async () => {
  const taken = Promise.withResolvers<void>();
  const lines: string[] = [];
  const client = new MemoryClient({
    limits: limits({ maxUnreadBytes: 1024 }),
    output: {
      write: async (bytes) => {
        await taken.promise;
        lines.push(...new TextDecoder().decode(bytes).trimEnd().split("\n"));
      },
    },
  });
  let written = 0;
  const writing = (async () => {
    for (; written < 100; written++) await client.line("{");
  })();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert(written < 30, `${written} lines were read`);
  taken.resolve();
  await writing;
  await client.end();
  assertEquals(lines.length, 100);
});

Deno.test("serveAcp() needs nothing but these files to answer initialize", async () => {
  const seen = new Set<string>();
  const visit = async (url: URL): Promise<void> => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const source = await Deno.readTextFile(url);
    for (const [, clause, target] of source.matchAll(/^import ([^;]*?) from "([^"]+)";$/gm)) {
      if (!clause?.startsWith("type ")) await visit(new URL(target!, url));
    }
  };
  await visit(new URL("./serve_acp.ts", import.meta.url));
  const lib = new URL("..", import.meta.url).href;
  assertEquals([...seen].map((href) => href.slice(lib.length)).sort(), [
    "acp/error.ts",
    "acp/exact_ids.ts",
    "acp/fit_frame.ts",
    "acp/incoming.ts",
    "acp/initialize.ts",
    "acp/is_record.ts",
    "acp/outbound.ts",
    "acp/rpc.ts",
    "acp/serve_acp.ts",
    "errors.ts",
    "host/frames.ts",
    "host/oversized_request.ts",
  ]);
});

Deno.test("a session whose beginning cannot be told is a defect that is told, and no client that waits for ever", async () => {
  const session = new FakeSession("s1", echo);
  session.modelId = "anthropic:m";
  let asked = 0;
  session.skills = () => {
    if (++asked === 1) throw new Error("no skills");
    return [];
  };
  await using client = new MemoryClient({ open: () => Promise.resolve(session) });
  const id = await client.open();
  assertEquals(await client.prompt(id, "hello"), { stopReason: "end_turn" });
  assertEquals(client.said(), "hello");
  assertEquals(client.warnings.map((line) => line.split("\n")[0]), [
    "Defect in what follows a reply: Error: no skills",
  ]);
});
