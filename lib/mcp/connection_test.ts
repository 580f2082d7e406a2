// @ts-types="@modelcontextprotocol/sdk/shared/protocol"
import type { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
// @ts-types="@modelcontextprotocol/sdk/shared/transport"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { ToolList } from "./tool_list.ts";
import { PipeTransport } from "./transport.ts";

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };
/** What a server answers a message with: whole lines without their ends. */
type Reply = (message: Message) => string[];

/** A connection to a server in memory. Pauses last as long as `sleep` makes them. */
function connectTo(
  reply: Reply,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void> = noSleep,
  more: Partial<ConnectionOptions> = {},
) {
  let output!: ReadableStreamDefaultController<Uint8Array>;
  const heard: Message[] = [];
  const logs: string[] = [];
  const lists: ToolList[] = [];
  const stdout = new ReadableStream<Uint8Array>({ start: (it) => void (output = it) });
  const stdin = new WritableStream<Uint8Array>({
    write: (bytes) => {
      const message: Message = JSON.parse(new TextDecoder().decode(bytes));
      heard.push(message);
      for (const line of reply(message)) output.enqueue(new TextEncoder().encode(`${line}\n`));
    },
  });
  const transport = new PipeTransport({ stdin, stdout }, {
    limits: DEFAULT_LIMITS,
    onNoise: () => {},
  });
  const connection = new Connection(transport, {
    server: "fake",
    clientInfo: { name: "test", version: "1" },
    roots: [{ uri: "file:///w", name: "w" }],
    limits: DEFAULT_LIMITS,
    world: { sleep },
    log: (kind, text) => logs.push(`${kind} ${text}`),
    onTools: (list) => lists.push(list),
    ...more,
  });
  return {
    connection,
    transport,
    heard,
    logs,
    lists,
    say: (line: string) => {
      output.enqueue(new TextEncoder().encode(`${line}\n`));
    },
  };
}

function noSleep(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

const answer = (id: unknown, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result });

/** A server that starts well and lists one tool; `calls` answers the rest. */
function usual(calls: Reply, capabilities: unknown = { tools: {} }): Reply {
  return (message) => {
    const { id, method, params } = message;
    const serverInfo = { name: "fake", version: "1" };
    if (method === "initialize") {
      return [answer(id, { protocolVersion: params?.protocolVersion, capabilities, serverInfo })];
    }
    if (method === "tools/list") return [answer(id, { tools: [{ name: "t" }] })];
    return method === "notifications/initialized" ? [] : calls(message);
  };
}

const signal = new AbortController().signal;

/** Waits until what is queued has happened. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

type IsAny<T> = 0 extends 1 & T ? true : false;

Deno.test("the SDK's types are known, not any", () => {
  // A path that the SDK's documentation names would make these `any`, and fail the type check here.
  const protocol: IsAny<Protocol<never, never, never>> = false;
  const transport: IsAny<Transport> = false;
  const message: IsAny<JSONRPCMessage> = false;
  assertEquals([protocol, transport, message], [false, false, false]);
});

Deno.test("Connection declares roots and nothing else, and says who asks", async () => {
  const { connection, transport, heard, lists } = connectTo(usual(() => []));
  await connection.connect(signal);
  assertEquals(heard.map(({ method }) => method), [
    "initialize",
    "notifications/initialized",
    "tools/list",
  ]);
  assertEquals(heard[0]?.params?.capabilities, {
    roots: {},
    experimental: { "skep/hooks": {} },
  });
  assertEquals(heard[0]?.params?.clientInfo, { name: "test", version: "1" });
  assertEquals(lists.map(({ tools }) => tools.map(({ name }) => name)), [["t"]]);
  await transport.close();
});

Deno.test("Connection asks a server for its tools that does not declare any, and takes an error for none", async () => {
  const sloppy = connectTo(usual(() => [], {}));
  await sloppy.connection.connect(signal);
  assertEquals(sloppy.lists[0]?.tools.length, 1);
  const none = connectTo((message) =>
    message.method === "tools/list"
      ? [JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "no" } })]
      : usual(() => [], {})(message)
  );
  await none.connection.connect(signal);
  assertEquals(none.lists, [{ tools: [], hooks: [], remarks: [] }]);
  await sloppy.transport.close();
  await none.transport.close();
});

Deno.test("Connection tells which part of the start a server failed", async () => {
  const { connection } = connectTo(({ id }) => [
    JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message: "not today" } }),
  ]);
  const error = await assertRejects(() => connection.connect(signal), SkepError);
  assertEquals(error.message, "failed at initialize: not today");
  assertEquals(error.details, { server: "fake", stage: "init" });
});

Deno.test("Connection takes every answer for one, however it is made", async () => {
  const answers = [
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":null}',
    '{"jsonrpc":"2.0","id":"ID","result":{"_meta":null,"content":"none"}}',
    '{"jsonrpc":"2.0","id":ID,"result":[1]}',
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad","data":{"x":1}}}',
  ];
  const { connection, transport } = connectTo(usual(({ id }) => [
    (answers.shift() ?? "").replace("ID", String(id)),
  ]));
  await connection.connect(signal);
  assertEquals(await connection.call("t", {}, signal), { kind: "result", result: { content: [] } });
  assertEquals(await connection.call("t", {}, signal), {
    kind: "result",
    result: { content: "none" },
  });
  assertEquals(await connection.call("t", {}, signal), {
    kind: "rejected",
    message: "The answer has neither a result nor an error that is an object",
  });
  assertEquals(await connection.call("t", {}, signal), { kind: "rejected", message: "bad" });
  await transport.close();
});

Deno.test("Connection tells a server's answer -32001 from a call that is late", async () => {
  const error = { code: -32001, message: "Request timed out" };
  const { connection, transport } = connectTo(usual(({ id }) => [
    JSON.stringify({ jsonrpc: "2.0", id, error }),
  ]));
  await connection.connect(signal);
  assertEquals(await connection.call("t", {}, signal), {
    kind: "rejected",
    message: "Request timed out",
  });
  await transport.close();
});

Deno.test("Connection settles every call when its transport is closed", async () => {
  const { connection, transport } = connectTo(usual(() => []));
  await connection.connect(signal);
  const calls = [connection.call("t", {}, signal), connection.call("t", {}, signal)];
  await settled();
  await transport.close();
  assertEquals(await Promise.all(calls), [{ kind: "lost" }, { kind: "lost" }]);
  assertEquals(await connection.call("t", {}, signal), { kind: "lost" });
});

Deno.test("Connection answers ping and roots/list, and refuses what it does not declare", async () => {
  const { connection, transport, heard, say } = connectTo(usual(() => []));
  await connection.connect(signal);
  heard.length = 0;
  for (
    const [id, method] of ["ping", "roots/list", "sampling/createMessage", "elicitation/create"]
      .entries()
  ) {
    say(JSON.stringify({ jsonrpc: "2.0", id, method, params: {} }));
  }
  await settled();
  const answers = heard.sort((one, other) => Number(one.id) - Number(other.id));
  const refused = { code: -32601, message: "Method not found" };
  assertEquals<unknown>(answers, [
    { jsonrpc: "2.0", id: 0, result: {} },
    { jsonrpc: "2.0", id: 1, result: { roots: [{ uri: "file:///w", name: "w" }] } },
    { jsonrpc: "2.0", id: 2, error: refused },
    { jsonrpc: "2.0", id: 3, result: { action: "decline" } },
  ]);
  await transport.close();
});

Deno.test("Connection logs a server's logging messages, whatever they hold", async () => {
  const { connection, transport, logs, say } = connectTo(usual(() => []));
  await connection.connect(signal);
  for (const params of [{ level: "error", data: "no" }, { level: 7, data: { a: 1 } }, {}, []]) {
    say(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params }));
  }
  await settled();
  assertEquals(logs, ["log error: no", 'log info: {"a":1}', "log info: null", "log info: null"]);
  await transport.close();
});

Deno.test("Connection reads a list that changes with every read at a pace of its own (T30)", async () => {
  let naps = 0;
  const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  const { connection, transport, heard, lists } = connectTo(
    (message) =>
      message.method === "tools/list"
        ? [changed, ...usual(() => [])(message)]
        : usual(() => [])(message),
    (ms, signal) =>
      ms === DEFAULT_LIMITS.relistPauseMs && ++naps <= 3 ? Promise.resolve() : noSleep(ms, signal),
  );
  await connection.connect(signal);
  await settled();
  assertEquals(heard.filter(({ method }) => method === "tools/list").length, 5);
  assertEquals([naps, lists.length], [4, 5]);
  await transport.close();
});

Deno.test("Connection keeps the old tools when the changed ones cannot be read", async () => {
  let reads = 0;
  const { connection, transport, lists, logs, say } = connectTo((message) => {
    if (message.method !== "tools/list" || reads++ === 0) return usual(() => [])(message);
    const error = { code: -32603, message: "busy" };
    return [JSON.stringify({ jsonrpc: "2.0", id: message.id, error })];
  });
  await connection.connect(signal);
  say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  await settled();
  assertEquals(lists.length, 1);
  assertEquals(logs, [
    "health its changed tools cannot be read, the old ones stay: failed at tools/list: busy",
  ]);
  await transport.close();
});

Deno.test("Connection knows a server that answers a ping from one that does not", async () => {
  const errs = connectTo(usual(({ id }) => [
    JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "what?" } }),
  ]));
  await errs.connection.connect(signal);
  assertEquals(await errs.connection.isResponsive(signal), true);
  const stuck = connectTo(
    usual(() => []),
    (ms, signal) => ms === DEFAULT_LIMITS.pingServerMs ? Promise.resolve() : noSleep(ms, signal),
  );
  await stuck.connection.connect(signal);
  assertEquals(await stuck.connection.isResponsive(signal), false);
  const caller = new AbortController();
  const asking = errs.connection.isResponsive(
    AbortSignal.any([caller.signal, AbortSignal.abort()]),
  );
  const error = await assertRejects(() => asking, SkepError);
  assertEquals(error.code, "CANCELLED");
  await errs.transport.close();
  await stuck.transport.close();
});

Deno.test("Connection throws CANCELLED at once and tells the server which call is meant", async () => {
  const { connection, transport, heard } = connectTo(usual(() => []));
  await connection.connect(signal);
  const caller = new AbortController();
  const call = connection.call("t", {}, caller.signal);
  caller.abort();
  const error = await assertRejects(() => call, SkepError);
  assertEquals(error.code, "CANCELLED");
  await settled();
  const [asked, told] = heard.slice(-2);
  assertEquals(told?.method, "notifications/cancelled");
  assertEquals(told?.params, { requestId: asked?.id, reason: "the caller left" });
  assert(asked?.method === "tools/call");
  await transport.close();
});

Deno.test("Connection lends an editor to its server while that is called, and at no other time", async () => {
  const ask = (id: string) => JSON.stringify({ jsonrpc: "2.0", id, method: "skep/unsaved" });
  const { connection, transport, heard, say } = connectTo(
    usual(({ id, method }) => method === "tools/call" ? [ask("during"), answer(id, {})] : []),
    noSleep,
    {
      editorFiles: {
        read: () => Promise.resolve({ text: "typed" }),
        write: () => Promise.resolve(undefined),
      },
    },
  );
  await connection.connect(signal);
  assertEquals(heard[0]?.params?.capabilities, {
    roots: {},
    experimental: { "skep/hooks": {}, "skep/editor": {} },
  });
  await connection.call("t", {}, signal);
  say(ask("after"));
  const answers = () => heard.filter(({ method }) => method === undefined);
  while (answers().length < 2) await settled();
  assertEquals<unknown>(answers(), [
    { jsonrpc: "2.0", id: "during", result: { text: "typed" } },
    {
      jsonrpc: "2.0",
      id: "after",
      result: { problem: "is asked while a tool is called, and none is" },
    },
  ]);
  await transport.close();
});
