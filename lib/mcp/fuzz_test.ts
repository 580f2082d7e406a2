import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../limits.ts";
import { Connection } from "./connection.ts";
import { PipeTransport } from "./transport.ts";

/** What a server wrote that something was once wrong with, or nearly; every run begins with them. */
const KEPT: readonly string[] = [
  "",
  "null",
  "[]",
  "{}",
  "\u0000",
  "\ufeff{}",
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}',
  '{"jsonrpc":"2.0","id":1,"error":null}',
  '{"jsonrpc":"2.0","id":null,"result":{}}',
  '{"jsonrpc":"2.0","id":1e999,"result":{}}',
  '{"jsonrpc":"2.0","id":"1","result":{}}',
  '{"jsonrpc":"2.0","id":-1,"result":{}}',
  '{"jsonrpc":"2.0","id":99,"method":"__proto__"}',
  '{"jsonrpc":"2.0","id":99,"method":"sampling/createMessage","params":{"messages":[]}}',
  '{"jsonrpc":"2.0","id":99,"method":"elicitation/create","params":null}',
  '{"jsonrpc":"2.0","id":99,"method":"roots/list","params":{"__proto__":{"x":1}}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":"x"}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"__proto__","progress":1}}',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x","data":{"toJSON":1}}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
  '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":7}',
  '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
  '{"jsonrpc":"2.0","method":"a\u2028b\u2029c"}',
  `{"jsonrpc":"2.0","id":2,"result":{"content":${"[".repeat(3000)}${"]".repeat(3000)}}}`,
  "[".repeat(5000),
  '{"jsonrpc":"2.0","id":',
];

const METHODS = [
  "ping",
  "roots/list",
  "sampling/createMessage",
  "elicitation/create",
  "notifications/progress",
  "notifications/message",
  "notifications/cancelled",
  "notifications/tools/list_changed",
  "__proto__",
];

const value = fc.oneof(
  { maxDepth: 3 },
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, "__proto__", -1, 0, 1, 2, "text", "image", "resource", { type: "text" }),
);
/** The call that waits has the id 2; those from 3 on are for what is asked after it. */
const id = fc.oneof(fc.nat(2), fc.string(), fc.constant(null), fc.integer({ min: 1000 }));
const message = fc.record({
  jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
  id,
  method: fc.constantFrom(...METHODS),
  params: fc.oneof(
    fc.dictionary(
      fc.constantFrom(
        "progressToken",
        "progress",
        "level",
        "data",
        "requestId",
        "message",
        "requestedSchema",
      ),
      value,
    ),
    value,
  ),
  result: fc.oneof(
    fc.dictionary(
      fc.constantFrom(
        "content",
        "tools",
        "isError",
        "structuredContent",
        "nextCursor",
        "protocolVersion",
        "capabilities",
        "_meta",
      ),
      value,
    ),
    value,
  ),
  error: fc.oneof(fc.record({ code: value, message: value, data: value }), value),
}, { requiredKeys: [] }).map((sent) => JSON.stringify(sent));
const line = fc.oneof(
  { weight: 6, arbitrary: message },
  fc.string(),
  fc.string({ unit: "binary" }),
);
const lines = fc.array(line, { maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 });
const RUNS = { seed: 20261130, numRuns: 300 };

const encoder = new TextEncoder();

/** The lines as a server would write them, in pieces of these sizes, over and over. */
function* pieces(lines: readonly string[], sizes: readonly number[]): Generator<Uint8Array> {
  const bytes = encoder.encode(lines.map((each) => `${each.replaceAll("\n", " ")}\n`).join(""));
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/**
 * A server that starts well, writes these lines before it answers the first call, and answers the second
 * one at once. Gives what the calls came to.
 */
async function meet(lines: readonly string[], sizes: readonly number[]): Promise<string[]> {
  let output!: ReadableStreamDefaultController<Uint8Array>;
  const stdout = new ReadableStream<Uint8Array>({ start: (opened) => void (output = opened) });
  const answer = (id: unknown, result: unknown) =>
    output.enqueue(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`));
  let calls = 0;
  const hear = ({ id, method }: { readonly id?: unknown; readonly method?: string }) => {
    if (method === "initialize") {
      const serverInfo = { name: "x", version: "1" };
      const capabilities = { tools: { listChanged: true }, logging: {} };
      answer(id, { protocolVersion: "2025-06-18", capabilities, serverInfo });
    } else if (method === "tools/list") {
      answer(id, { tools: [{ name: "t" }] });
    } else if (method === "tools/call") {
      if (++calls === 1) { for (const piece of pieces(lines, sizes)) output.enqueue(piece); }
      answer(id, { content: [{ type: "text", text: `answer ${calls}` }] });
    }
  };
  const stdin = new WritableStream<Uint8Array>({
    write: (bytes) => hear(JSON.parse(new TextDecoder().decode(bytes))),
  });
  const transport = new PipeTransport({ stdin, stdout }, {
    limits: DEFAULT_LIMITS,
    onNoise: () => {},
  });
  const connection = new Connection(transport, {
    server: "x",
    clientInfo: { name: "skep-test", version: "1" },
    roots: [],
    limits: DEFAULT_LIMITS,
    world: { sleep: never },
    log: () => {},
    onTools: () => {},
  });
  const { signal } = new AbortController();
  await connection.connect(signal);
  const first = await connection.call("t", {}, signal);
  const second = await connection.call("t", {}, signal);
  await transport.close();
  return [
    first.kind,
    second.kind === "result" ? JSON.stringify(second.result.content) : second.kind,
  ];
}

/** A pause that ends with its signal alone. */
function never(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

Deno.test("Connection answers every call and goes on, whatever lines its server writes between (fuzz)", async () => {
  await fc.assert(
    fc.asyncProperty(lines, sizes, async (written, cuts) => {
      const [first, second] = await meet(written, cuts);
      assertEquals(["result", "rejected"].includes(first!), true, first);
      assertEquals(second, '[{"type":"text","text":"answer 2"}]');
    }),
    { ...RUNS, examples: KEPT.map((kept): [string[], number[]] => [[kept], [7]]) },
  );
});

Deno.test("PipeTransport reads the same messages and noise, however its bytes are cut (fuzz)", async () => {
  const read = async (written: readonly string[], sizes: readonly number[]) => {
    const seen: string[] = [];
    const stdout = ReadableStream.from(pieces(written, sizes));
    const stdin = new WritableStream<Uint8Array>();
    const transport = new PipeTransport({ stdin, stdout }, {
      limits: DEFAULT_LIMITS,
      onNoise: (line) => seen.push(`noise ${line}`),
    });
    transport.onmessage = (message) => seen.push(JSON.stringify(message));
    await transport.start();
    await transport.drained;
    await transport.close();
    return seen;
  };
  await fc.assert(
    fc.asyncProperty(lines, sizes, async (written, cuts) => {
      const whole = await read(written, [2 ** 30]);
      assertEquals(await read(written, cuts), whole);
    }),
    { ...RUNS, examples: [[[...KEPT], [1]]] },
  );
});
