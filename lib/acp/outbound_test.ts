import { assertEquals } from "@std/assert";
import { Outbound } from "./outbound.ts";
import type { RpcNotification } from "./rpc.ts";

/** A message whose line has exactly 40 bytes. */
const LINE_OF_40: RpcNotification = { jsonrpc: "2.0", method: "xxxxxxxxxx" };

function message(method: string): RpcNotification {
  return { jsonrpc: "2.0", method };
}

/** An output that takes each write only when it is told to. */
class SlowOutput {
  readonly writes: string[] = [];
  #taken: (() => void)[] = [];

  write(bytes: Uint8Array): Promise<void> {
    this.writes.push(new TextDecoder().decode(bytes));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken.push(resolve);
    return promise;
  }

  async take(): Promise<void> {
    this.#taken.shift()?.();
    await new Promise((resolve) => setTimeout(resolve)); // until all that follows has happened
  }
}

function unread(maxUnreadBytes: number) {
  return { maxUnreadBytes, maxOutboundFrameBytes: 10_000_000 };
}

const fail = (error: unknown) => {
  throw error;
};

Deno.test("Outbound writes the first message at once, and joins those that wait, in order", async () => {
  const output = new SlowOutput();
  const outbound = new Outbound(output, unread(1000), fail);
  for (const method of ["a", "b", "c"]) outbound.send(message(method));
  assertEquals(output.writes, ['{"jsonrpc":"2.0","method":"a"}\n']);
  await output.take();
  assertEquals(output.writes.slice(1), [
    '{"jsonrpc":"2.0","method":"b"}\n{"jsonrpc":"2.0","method":"c"}\n',
  ]);
  await output.take();
  await outbound.flushed();
});

Deno.test("Outbound writes a message over its batch size alone and whole", async () => {
  const output = new SlowOutput();
  const outbound = new Outbound(output, unread(1_000_000), fail);
  for (const method of ["a", "x".repeat(100_000), "b"]) outbound.send(message(method));
  await output.take();
  await output.take();
  assertEquals(output.writes.map((write) => write.length), [31, 100_030, 31]);
  await output.take();
});

Deno.test("Outbound is full past its limit, not at it, and has room again when it was read", async () => {
  const output = new SlowOutput();
  const outbound = new Outbound(output, unread(80), fail);
  outbound.send(LINE_OF_40);
  outbound.send(LINE_OF_40);
  assertEquals(outbound.isFull, false); // 80 bytes
  outbound.send(LINE_OF_40);
  assertEquals(outbound.isFull, true);
  let hasRoom = false;
  const room = outbound.room(new AbortController().signal).then(() => hasRoom = true);
  await Promise.resolve();
  assertEquals(hasRoom, false);
  await output.take();
  assertEquals([outbound.isFull, hasRoom], [false, true]);
  await room;
  await output.take();
});

Deno.test("Outbound.room() gives up with its signal", async () => {
  const output = new SlowOutput();
  const outbound = new Outbound(output, unread(1), fail);
  outbound.send(LINE_OF_40);
  const stop = new AbortController();
  const room = outbound.room(stop.signal);
  stop.abort();
  await room;
  assertEquals(outbound.isFull, true);
  await output.take();
});

Deno.test("Outbound drops everything once its output broke, and says so once", async () => {
  const errors: unknown[] = [];
  let writes = 0;
  const write = () => Promise.reject(new Error(`broken pipe ${++writes}`));
  const outbound = new Outbound(
    { write },
    unread(10),
    (error) => errors.push((error as Error).message),
  );
  outbound.send(LINE_OF_40);
  outbound.send(LINE_OF_40);
  await outbound.flushed();
  outbound.send(LINE_OF_40);
  await outbound.room(new AbortController().signal);
  assertEquals([errors, writes, outbound.isFull], [["broken pipe 1"], 1, false]);
});

Deno.test("Outbound sends a reply that is longer than a frame may be as an error, and no request", async () => {
  const lines: string[] = [];
  const write = (bytes: Uint8Array) => Promise.resolve(lines.push(new TextDecoder().decode(bytes)));
  const outbound = new Outbound(
    { write },
    { maxUnreadBytes: 1000, maxOutboundFrameBytes: 200 },
    fail,
  );
  const long = "x".repeat(200);
  assertEquals(outbound.send({ jsonrpc: "2.0", id: 7, result: { long } }), true);
  assertEquals(outbound.send({ jsonrpc: "2.0", id: "q", method: "ask", params: { long } }), false);
  await outbound.flushed();
  const text = "the reply is longer than a frame may be: the limit is 200 bytes";
  assertEquals(lines, [
    `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"${text}"}}\n`,
  ]);
});
