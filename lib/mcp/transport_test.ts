import { assert, assertEquals, assertRejects } from "@std/assert";
import { PipeTransport } from "./transport.ts";

const LIMITS = { maxFrameBytes: 100, maxServerQueueBytes: 200 };

const CLOSED = { reason: "closed its output", isFault: false };
const TOO_LONG = { reason: "sent a line of more than 100 bytes", isFault: true };

/** A transport over pipes in memory. What the server would write is `say()`, what it was told `heard`. */
function connect(isReading = true) {
  const heard: string[] = [];
  const noise: string[] = [];
  const messages: unknown[] = [];
  const events: string[] = [];
  let output!: ReadableStreamDefaultController<Uint8Array>;
  let isCancelled = false;
  const stdout = new ReadableStream<Uint8Array>({
    start: (controller) => void (output = controller),
    cancel: () => void (isCancelled = true),
  });
  const stdin = new WritableStream<Uint8Array>({
    write: (bytes) =>
      isReading ? void heard.push(new TextDecoder().decode(bytes)) : new Promise(() => {}),
  });
  const transport = new PipeTransport({ stdin, stdout }, {
    limits: LIMITS,
    onNoise: (line) => noise.push(line),
  });
  transport.onmessage = (message) => messages.push(message);
  transport.onclose = () => events.push("closed");
  return {
    transport,
    heard,
    noise,
    messages,
    events,
    say: (...chunks: (string | Uint8Array)[]) => {
      for (const chunk of chunks) {
        output.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      }
    },
    hangUp: () => output.close(),
    breakOff: (error: Error) => output.error(error),
    isCancelled: () => isCancelled,
  };
}

const ping = (id: string) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

/** A message that is `bytes` long as a line. */
function ofBytes(bytes: number): string {
  const line = `${ping("")}\n`;
  return line.replace('""', `"${"x".repeat(bytes - line.length)}"`);
}

Deno.test("PipeTransport writes one message a line", async () => {
  const { transport, heard } = connect();
  await transport.send(PING);
  await transport.send({ ...PING, params: { text: "a\nb" } });
  assertEquals(heard, [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"a\\nb"}}\n',
  ]);
});

Deno.test("PipeTransport reads messages in pieces, and logs every other line as noise (T22)", async () => {
  const pipe = connect();
  pipe.say("Starting...\n", ping("a").slice(0, 9), `${ping("a").slice(9)}\n{"level"`, ':"info"}\n');
  pipe.say(`[1]\n${ping("b")}\n`, '{"jsonrpc":"2.0","id":');
  pipe.hangUp();
  assertEquals(await pipe.transport.ended, CLOSED);
  assertEquals(pipe.messages, [{ ...PING, id: "a" }, { ...PING, id: "b" }]);
  assertEquals(pipe.noise, ["Starting...", '{"level":"info"}', "[1]"]);
});

Deno.test("PipeTransport keeps U+2028 in a message, and goes on after a line that is not UTF-8 (T24)", async () => {
  const pipe = connect();
  pipe.say(`${ping("a\u2028b")}\n`, new Uint8Array([0xff, 0x0a]), `${ping("c")}\n`);
  pipe.hangUp();
  await pipe.transport.ended;
  assertEquals(pipe.messages, [{ ...PING, id: "a\u2028b" }, { ...PING, id: "c" }]);
  assertEquals(pipe.noise, ["(2 bytes, not UTF-8)"]);
});

Deno.test("PipeTransport takes a line exactly at its limit, and ends at one past it (T26)", async () => {
  const pipe = connect();
  pipe.say(ofBytes(100), ofBytes(101), ofBytes(50));
  assertEquals(await pipe.transport.ended, TOO_LONG);
  assertEquals(pipe.messages.length, 1);
  assert(pipe.transport.isOver);
});

Deno.test("PipeTransport does not wait for the end of a line over its limit (T26)", async () => {
  const pipe = connect();
  pipe.say(`${ping("a")}\n${"x".repeat(60)}`, "x".repeat(41));
  assertEquals(await pipe.transport.ended, TOO_LONG);
  assertEquals(pipe.messages.length, 1);
});

Deno.test("PipeTransport waits for the rest of a line exactly at its limit", async () => {
  const pipe = connect();
  pipe.say(ofBytes(100).slice(0, -1), "\n");
  pipe.hangUp();
  assertEquals(await pipe.transport.ended, CLOSED);
  assertEquals(pipe.messages.length, 1);
});

Deno.test("PipeTransport lets as many bytes wait as its limit says, and ends past it", async () => {
  const { transport } = connect(false);
  const line = JSON.stringify({ ...PING, params: { text: "" } }).length + 1;
  const ofQueue = (bytes: number) => ({ ...PING, params: { text: "x".repeat(bytes - line) } });
  transport.send(ofQueue(100));
  transport.send(ofQueue(100));
  assertEquals(transport.isOver, false);
  await assertRejects(() => transport.send(ofQueue(100)), Error, "does not read its input");
  assertEquals(await transport.ended, {
    reason: "does not read its input: more than 200 bytes wait for it",
    isFault: true,
  });
});

Deno.test("PipeTransport takes one message over the queue's limit when nothing waits", async () => {
  const { transport, heard } = connect();
  await transport.send({ ...PING, params: { text: "x".repeat(1000) } });
  assertEquals([heard.length, transport.isOver], [1, false]);
});

Deno.test("PipeTransport ends when the server's input is closed, or its output breaks", async () => {
  const closed = connect();
  await closed.transport.closeInput();
  await assertRejects(() => closed.transport.send(PING));
  assertEquals(await closed.transport.ended, { reason: "closed its input", isFault: false });
  const broken = connect();
  broken.breakOff(new Error("pipe"));
  assertEquals(await broken.transport.ended, { reason: "cannot be read (pipe)", isFault: false });
});

Deno.test("PipeTransport stops reading when it is closed, once, and cannot be started then", async () => {
  const pipe = connect();
  await pipe.transport.close();
  await pipe.transport.close();
  assertEquals([pipe.events, pipe.isCancelled()], [["closed"], true]);
  await assertRejects(() => pipe.transport.start(), Error, "Connection closed");
});
