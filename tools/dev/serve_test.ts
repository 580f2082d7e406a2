import { assertEquals } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../lib/limits.ts";
import { serve } from "./serve.ts";
import type { ServerState } from "./server_state.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";
import type { World } from "./world.ts";

const ANNOTATIONS = {
  title: "",
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const NO_ARGUMENTS = {
  description: "",
  schema: { type: "object", properties: {}, required: [], additionalProperties: false },
  annotations: ANNOTATIONS,
} as const;

function tool(
  name: string,
  run: (context: ToolContext, signal: AbortSignal) => Promise<string>,
): Tool {
  return defineTool({
    ...NO_ARGUMENTS,
    name,
    run: async (_args, context, signal) => ({ text: await run(context, signal) }),
  });
}

const TOOLS = [
  tool("hello", ({ tool }) => Promise.resolve(`hello from ${tool}`)),
  tool("broken", () => Promise.reject(new Error("a defect"))),
  tool("denied", () => {
    const details = { server: "dev", access: "read", value: "/x" };
    return Promise.reject(new SkepError("ACCESS_DENIED", "no", details));
  }),
  tool("tells", ({ progress }) => {
    progress("one");
    progress("two");
    return Promise.resolve("told");
  }),
  defineTool({
    ...NO_ARGUMENTS,
    name: "shows",
    run: () =>
      Promise.resolve({
        text: "seen",
        images: [{ data: "aGk=", mimeType: "image/png" }],
        structured: { a: 1 },
      }),
  }),
  tool("edits", async ({ editor }, signal) => {
    if (editor === undefined) return "there is no editor";
    return JSON.stringify(await editor.read("/w/a", signal));
  }),
  tool("waits", (_context, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    })),
];

TOOLS.push(
  tool(
    "ends",
    (_context, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("what it had"))),
  ),
);

interface Served {
  readonly messages: Record<string, unknown>[];
  readonly input: WritableStreamDefaultWriter<Uint8Array>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

function start(
  write = (_text: string) => Promise.resolve(),
  limits: Partial<Limits> = {},
  tools: readonly Tool[] = TOOLS,
): Served {
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const messages: Record<string, unknown>[] = [];
  const stop = new AbortController();
  const context = {
    cwd: "/w",
    home: undefined,
    limits: { ...DEFAULT_LIMITS, maxFrameBytes: 1000, ...limits },
    world: {} as World,
    fetch,
    state: {} as ServerState,
    ownCommand: () => [],
  };
  const offer = {
    name: "n",
    version: "v",
    instructions: () => Promise.resolve("i"),
    tools,
    hooks: [tool("_Stop", () => Promise.resolve("go on"))],
    areHooksListed: false,
  };
  const ended = serve(offer, context, pipe.readable, (text) => {
    messages.push(JSON.parse(text));
    return write(text);
  }, stop.signal);
  return { messages, input: pipe.writable.getWriter(), stop, ended };
}

async function send({ input }: Served, ...messages: unknown[]): Promise<void> {
  for (const message of messages) {
    await input.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  }
}

async function answers(...messages: unknown[]): Promise<Record<string, unknown>[]> {
  const served = start();
  await send(served, ...messages);
  await served.input.close();
  await served.ended;
  return served.messages;
}

const call = (id: unknown, name: string, args?: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

Deno.test("serve() answers a call with its text, arguments absent", async () => {
  assertEquals(await answers(call(1, "hello")), [{
    jsonrpc: "2.0",
    id: 1,
    result: { content: [{ type: "text", text: "hello from hello" }], isError: false },
  }]);
});

Deno.test("serve() marks what a grant refused", async () => {
  const [message] = await answers(call("a", "denied", {}));
  assertEquals(message, {
    jsonrpc: "2.0",
    id: "a",
    result: {
      content: [{ type: "text", text: "no" }],
      isError: true,
      _meta: { "skep/denied": { access: "read", value: "/x" } },
    },
  });
});

Deno.test("serve() answers a defect of a tool as an internal error and goes on", async () => {
  const messages = await answers(call(1, "broken"), { jsonrpc: "2.0", id: 2, method: "ping" });
  assertEquals(messages.sort((a, b) => Number(a["id"]) - Number(b["id"])), [
    { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "a defect" } },
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);
});

Deno.test("serve() takes a frame exactly at its limit, and refuses one byte more", async () => {
  const served = start();
  const line = (length: number) => {
    const start = '{"jsonrpc":"2.0","id":1,"method":"ping","x":"';
    return new TextEncoder().encode(start + "x".repeat(length - start.length - 3) + '"}\n');
  };
  await served.input.write(line(1000));
  await served.input.write(line(1001));
  await served.input.close();
  await served.ended;
  assertEquals(served.messages, [
    { jsonrpc: "2.0", id: 1, result: {} },
    {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32600, message: "Cannot read a frame of 1001 bytes: the limit is 1000" },
    },
  ]);
});

Deno.test("serve() aborts a cancelled call and answers nothing for it", async () => {
  const served = start();
  await send(
    served,
    call(1, "waits"),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "1" } },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 2, method: "ping" },
  );
  await served.input.close();
  await served.ended;
  assertEquals(served.messages, [{ jsonrpc: "2.0", id: 2, result: {} }]);
});

Deno.test("serve() tells a host that gave a call a name what it had come to when it was cancelled", async () => {
  const served = start();
  const cancel = (requestId: number) => ({
    ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } },
  });
  const named = (id: number, name: string) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta: { "skep/call": id } } },
  });
  await send(served, named(1, "ends"), cancel(1), call(2, "ends"), cancel(2));
  await send(served, named(3, "waits"), cancel(3), named(4, "hello"));
  await served.input.close();
  await served.ended;
  const method = "notifications/skep/last_output";
  assertEquals(served.messages.filter((message) => message["method"] === method), [
    { jsonrpc: "2.0", method, params: { call: 1, text: "what it had" } },
    { jsonrpc: "2.0", method, params: { call: 3 } },
  ]);
  assertEquals(served.messages.length, 3);
});

Deno.test("serve() answers a request that is too long to read with its own id, or its sender would wait for ever", async () => {
  const text = "x".repeat(1000);
  const last = { method: "tools/call", params: { text }, jsonrpc: "2.0", id: "b" };
  const messages = await answers(call(1, "hello", { text }), last);
  assertEquals(messages.map(({ id, error }) => [id, (error as { code: number }).code]), [
    [1, -32600],
    ["b", -32600],
  ]);
});

Deno.test("serve() answers calls that were sent before the end of its input", async () => {
  const finishing = Promise.withResolvers<string>();
  const served = start(undefined, { finishCallsMs: 600_000 }, [
    tool("finishes", () => finishing.promise),
  ]);
  await send(served, call(1, "finishes"));
  await served.input.close();
  finishing.resolve("done");
  await served.ended;
  assertEquals(served.messages.map(({ result }) => result), [
    { content: [{ type: "text", text: "done" }], isError: false },
  ]);
});

Deno.test("serve() aborts calls that go on past their time after the end of its input", async () => {
  const served = start(undefined, { finishCallsMs: 1 });
  await send(served, call(1, "waits"));
  await served.input.close();
  await served.ended;
  assertEquals(served.messages, []);
});

Deno.test("serve() refuses an id that is in use, which would make a cancel ambiguous", async () => {
  const messages = await answers(call(1, "waits"), call(1, "hello"));
  assertEquals(messages.map(({ id, error }) => [id, (error as { code: number }).code]), [
    [1, -32600],
  ]);
});

Deno.test("serve() aborts its calls when it is stopped, and ends although its input does not", async () => {
  const { promise: isAnswered, resolve } = Promise.withResolvers<void>();
  const served = start(() => Promise.resolve(resolve()));
  await send(served, call(1, "waits"), { jsonrpc: "2.0", id: 2, method: "ping" });
  await isAnswered;
  served.stop.abort();
  await served.ended;
  assertEquals(served.messages, [{ jsonrpc: "2.0", id: 2, result: {} }]);
  await served.input.close();
});

Deno.test("serve() writes nothing more once nobody takes its output", async () => {
  const served = start(() => Promise.reject(new Error("broken pipe")));
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  await send(served, ping(1), ping(2));
  await send(served, ping(3)).catch(() => {});
  await served.input.close().catch(() => {});
  await served.ended;
  assertEquals(served.messages.map(({ id }) => id), [1]);
});

Deno.test("serve() notifies progress with the token that the host gave, counting up", async () => {
  const params = { name: "tells", _meta: { progressToken: "t" } };
  const messages = await answers(
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  );
  const note = (progress: number, message: string) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "t", progress, message },
  });
  assertEquals(messages.slice(0, 2), [note(1, "one"), note(2, "two")]);
  assertEquals((await answers(call(1, "tells"))).length, 1);
});

Deno.test("serve() gives images and structured content, which its text covers", async () => {
  const [message] = await answers(call(1, "shows"));
  assertEquals(message?.["result"], {
    content: [
      { type: "text", text: "seen" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
    isError: false,
    structuredContent: { a: 1 },
    _meta: { "skep/text-is-complete": true },
  });
});

Deno.test("serve() lists hooks only to a host that asks for them", async () => {
  const initialize = (capabilities: unknown) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { capabilities },
  });
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const names = async (capabilities: unknown) => {
    const messages = await answers(initialize(capabilities), list);
    const { result } = messages.find(({ id }) => id === 2) as {
      result: { tools: { name: string }[] };
    };
    return result.tools.map(({ name }) => name).includes("_Stop");
  };
  assertEquals(await names({}), false);
  assertEquals(await names({ experimental: { other: {} } }), false);
  assertEquals(await names({ experimental: { "skep/hooks": {} } }), true);
  const [refused] = await answers(call(1, "_Stop"));
  assertEquals((refused?.["result"] as { isError: boolean }).isError, true);
});

Deno.test("serve() asks the host about its editor, where the host lends one", async () => {
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const served = start((text) => {
    if (text.includes('"skep/unsaved"')) resolve();
    return Promise.resolve();
  });
  const capabilities = { experimental: { "skep/editor": {} } };
  await send(
    served,
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities } },
    call(2, "edits"),
  );
  await isAsked;
  await send(served, { jsonrpc: "2.0", id: "editor-1", result: { text: "typed" } });
  await send(served, { jsonrpc: "2.0", id: "editor-9", result: {} });
  while (!served.messages.some(({ id }) => id === 2)) await new Promise((wake) => setTimeout(wake));
  await served.input.close();
  await served.ended;
  assertEquals(served.messages.filter(({ id }) => id !== 1), [
    { jsonrpc: "2.0", id: "editor-1", method: "skep/unsaved", params: { path: "/w/a" } },
    {
      jsonrpc: "2.0",
      id: 2,
      result: { content: [{ type: "text", text: '{"text":"typed"}' }], isError: false },
    },
  ]);
});

Deno.test("serve() has no editor in a host that lends none", async () => {
  const messages = await answers(
    { jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {} } },
    call(2, "edits"),
  );
  assertEquals(messages.find(({ id }) => id === 2)?.["result"], {
    content: [{ type: "text", text: "there is no editor" }],
    isError: false,
  });
});
