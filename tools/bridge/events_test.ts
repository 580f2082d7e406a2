import { assertEquals, assertRejects } from "@std/assert";
import { events, type StreamEvent } from "./events.ts";
import { RemoteError } from "./remote_error.ts";

/** Everything that comes of a stream in chunks of so many bytes. */
async function read(text: string, limit = 1000, size = 3): Promise<StreamEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
  return await Array.fromAsync(events(ReadableStream.from(chunks), limit));
}

Deno.test("events() reads events, ids and waits, whatever chunks they come in", async () => {
  const text = ": hello\n\nid: 1\nretry: 500\ndata:\n\nevent: endpoint\r\ndata: /é\r\n\r\n" +
    'data: {"a":\ndata: "\u2028"}\n\ndata: unfinished';
  const expected: StreamEvent[] = [
    { kind: "retry", ms: 500 },
    { kind: "event", type: "message", data: "", id: "1" },
    { kind: "event", type: "endpoint", data: "/é" },
    { kind: "event", type: "message", data: '{"a":\n"\u2028"}' },
  ];
  for (const size of [1, 2, 7, 1000]) assertEquals(await read(text, 1000, size), expected);
});

Deno.test("events() takes an event exactly at its limit, and none past it", async () => {
  for (const size of [3, 4096]) {
    const [event] = await read(`data: ${"x".repeat(5000)}\n\n`, 5000, size);
    assertEquals(event?.kind === "event" && event.data.length, 5000);
    const over = read(`data: ${"x".repeat(5001)}\n\n`, 5000, size);
    await assertRejects(() => over, RemoteError, "an event of more than 5000 characters");
  }
});

Deno.test("events() does not hold an event that never ends", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new TextEncoder().encode("x".repeat(1000)));
    },
  });
  const reading = Array.fromAsync(events(endless, 10_000));
  await assertRejects(() => reading, RemoteError, "10000 characters");
  assertEquals(sent < 20, true);
});
