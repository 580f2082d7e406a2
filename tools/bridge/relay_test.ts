import { assertEquals } from "@std/assert";
import { HostLink } from "./host_link.ts";
import { isForHost, relay } from "./relay.ts";
import { RemoteError } from "./remote_error.ts";
import type { Json } from "./rpc.ts";

const line = (message: Json) => new TextEncoder().encode(`${JSON.stringify(message)}\n`);

/** Relays these messages to a server that does so with each; everything that the host was told, and the waits. */
async function relayed(messages: Json[], deliver: (message: Json, signal: AbortSignal) => unknown) {
  const told: Json[] = [];
  const warned: string[] = [];
  const waits: number[] = [];
  const link = new HostLink((text) => Promise.resolve(void told.push(JSON.parse(text))), 1000);
  const remote = {
    deliver: async (message: Json, signal: AbortSignal) => void await deliver(message, signal),
    ended: new Promise<string>(() => {}),
    close: () => Promise.resolve(),
  };
  const stop = new AbortController();
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const message of messages) yield line(message);
    await new Promise((resolve) => setTimeout(resolve, 10)); // then the host leaves
  }
  const options = {
    limits: { maxFrameBytes: 100, cancelAfterMs: 5 },
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
    warn: (text: string) => void warned.push(text),
  };
  await relay(input(), link, remote, options, stop.signal);
  await link.flushed;
  return { told, warned, waits };
}

Deno.test("relay() carries a message exactly at its limit, and drops one past it with a warning", async () => {
  const seen: unknown[] = [];
  const message = (size: number) => ({ method: "x", params: "y".repeat(size) });
  const empty = line(message(0)).length;
  const { warned } = await relayed(
    [message(100 - empty), message(101 - empty)],
    ({ params }) => seen.push(String(params).length),
  );
  assertEquals(seen, [100 - empty]);
  assertEquals(warned, ["a line of the host's is no message, or too long for one"]);
});

Deno.test("relay() answers each request, but one that was cancelled, whose cancel waits for it", async () => {
  const { told, waits } = await relayed([
    { id: 1, method: "fails" },
    { id: 2, method: "hangs" },
    { method: "notifications/cancelled", params: { requestId: 2 } },
  ], ({ method }, signal) => {
    if (method === "fails") throw new RemoteError("it is gone");
    if (method !== "hangs") return;
    const { promise, reject } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => reject(signal.reason));
    return promise;
  });
  assertEquals(told.map(({ id, error }) => [id, (error as Json).message]), [[1, "it is gone"]]);
  assertEquals(waits, [5]);
});

Deno.test("isForHost() keeps a server from the methods between the bridge and the runtime", () => {
  assertEquals(isForHost({ method: "skep/token" }), false);
  assertEquals(isForHost({ method: "ping" }), true);
  assertEquals(isForHost({ id: 1, result: {} }), true);
});
