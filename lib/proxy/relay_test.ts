import { assertEquals } from "@std/assert";
import type { Connection } from "../host/sockets.ts";
import { relay } from "./relay.ts";
import { settle, TestClock } from "./test_clock.ts";
import { bytesOf, connectionPair, readAll, readUntil } from "./test_connection.ts";

interface Line {
  readonly client: Connection;
  readonly server: Connection;
  readonly clock: TestClock;
  readonly closing: AbortController;
  readonly over: Promise<void>;
}

function line(idleMs = 100): Line {
  const [client, near] = connectionPair();
  const [far, server] = connectionPair();
  const clock = new TestClock();
  const closing = new AbortController();
  return { closing, client, server, clock, over: relay(near, far, idleMs, closing.signal, clock) };
}

/** True when `work` has not come to its end, however often everybody had their turn. */
async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  work.then(() => isOver = true, () => isOver = true);
  await settle();
  await settle();
  return !isOver;
}

Deno.test("relay() carries both ways until both sides have ended", async () => {
  const { client, server, clock, over } = line();
  await client.write(bytesOf("ping"));
  assertEquals(await readUntil(server, "ping"), "ping");
  await server.write(bytesOf("pong"));
  assertEquals(await readUntil(client, "pong"), "pong");
  await Promise.all([client.closeWrite(), server.closeWrite()]);
  assertEquals(await Promise.all([readAll(client), readAll(server)]), ["", ""]);
  await over;
  assertEquals(clock.sleepers, 0);
});

Deno.test("relay() tells a side that the other has ended, and lets it go on", async () => {
  const { client, server, over } = line();
  await client.closeWrite();
  assertEquals(await readAll(server), "");
  await server.write(bytesOf("the answer"));
  assertEquals(await readUntil(client, "answer"), "the answer");
  assertEquals(await isWaiting(over), true);
  await server.closeWrite();
  assertEquals(await readAll(client), "");
  await over;
});

Deno.test("relay() stops a side while the other does not read", async () => {
  const { client, server, over } = line();
  const chunk = new Uint8Array(40_000);
  const first = client.write(chunk);
  const second = first.then(() => client.write(chunk));
  assertEquals([await isWaiting(second)], [true]);
  const buffer = new Uint8Array(chunk.length);
  let count = 0;
  while (count < 2 * chunk.length) count += await server.read(buffer) ?? 0;
  await second;
  client.close();
  server.close();
  await over;
});

Deno.test("relay() gives all that a server answered before it closed, to a client that still sends", async () => {
  const { client, server, over } = line();
  const sending = client.write(bytesOf("a")).then(() => client.write(bytesOf("b".repeat(40_000))));
  await readUntil(server, "a");
  const answer = "too much ".repeat(5000);
  const answering = server.write(bytesOf(answer));
  await settle();
  server.close();
  assertEquals(await readAll(client), answer);
  client.close();
  await Promise.allSettled([answering, sending, over]);
});

Deno.test("relay() ends both sides when one breaks", async () => {
  const [client, near] = connectionPair();
  const [far, server] = connectionPair();
  const broken: Connection = { ...near, read: () => Promise.reject(new Error("reset")) };
  await relay(broken, far, 100, new AbortController().signal, new TestClock());
  assertEquals(await readAll(server), "");
  assertEquals(await readAll(client), "");
});

Deno.test("relay() ends a connection after exactly the time without a byte", async () => {
  const { client, server, clock, over } = line(100);
  await clock.pass(60);
  await client.write(bytesOf("x"));
  await readUntil(server, "x");
  await clock.pass(99);
  assertEquals(await isWaiting(over), true);
  await clock.pass(1);
  assertEquals(await isWaiting(over), false);
  assertEquals(await Promise.all([readAll(client), readAll(server)]), ["", ""]);
});

Deno.test("relay() ends both sides when it is told to, half of it over or not", async () => {
  for (const isHalfOver of [false, true]) {
    const { client, server, closing, over } = line();
    if (isHalfOver) await client.closeWrite();
    await settle();
    closing.abort();
    await over;
    assertEquals(await Promise.all([readAll(client), readAll(server)]), ["", ""]);
  }
});
