import { assertEquals, assertRejects } from "@std/assert";
import { Http } from "./http.ts";
import { RemoteError } from "./remote_error.ts";
import { type Json, parseJson } from "./rpc.ts";
import { StreamableHttp } from "./streamable_http.ts";

const LIMITS = {
  maxFrameBytes: 200,
  maxRedirects: 0,
  maxErrorBodyBytes: 10,
  busyAttempts: 0,
  reopenMinMs: 100,
  reopenMaxMs: 1000,
  reopenAttempts: 3,
  endSessionMs: 20,
};
const NEVER = new AbortController().signal;
const CALL = { id: 1, method: "tools/call" };
const ANSWER = 'id: 9\ndata: {"id":1,"result":{}}\n\n';

const stream = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });
const json = (value: unknown, headers = {}) =>
  new Response(JSON.stringify(value), {
    headers: { "content-type": "application/json", ...headers },
  });

/** A server that answers POST with the first of these texts as a stream, and GET with each of the others in turn. */
function served(first: string, ...more: (string | number)[]) {
  const waits: number[] = [];
  const emitted: Json[] = [];
  const opened: (string | null)[] = [];
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    if (init?.method === "POST") return Promise.resolve(stream(first));
    opened.push(new Headers(init?.headers).get("last-event-id"));
    const next = more.shift() ?? 500;
    return Promise.resolve(
      typeof next === "string" ? stream(next) : new Response("", { status: next }),
    );
  };
  return { remote: remoteOf(answer, waits, emitted), waits, emitted, opened };
}

function remoteOf(
  answer: typeof fetch,
  waits: number[] = [],
  emitted: Json[] = [],
): StreamableHttp {
  const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
  const address = new URL("https://far.example/mcp");
  const options = { address, headers: {}, tokens: undefined, fetch: answer, sleep, limits: LIMITS };
  const emit = (message: Json) => void emitted.push(message);
  return new StreamableHttp(new Http(options), { limits: LIMITS, sleep, emit, warn: () => {} });
}

Deno.test("StreamableHttp takes a stream up with exactly as many attempts as it may, and no more", async () => {
  const { remote, emitted, opened, waits } = served("id: 7\ndata:\n\n", 500, 500, ANSWER);
  await remote.deliver(CALL, NEVER);
  assertEquals(emitted, [{ id: 1, result: {} }]);
  assertEquals([opened, waits], [["7", "7", "7"], [100, 200, 400]]);
  const over = served("id: 7\ndata:\n\n", 500, 500, 500, 500, ANSWER);
  await assertRejects(() => over.remote.deliver(CALL, NEVER), RemoteError, "answered 500");
  assertEquals(over.waits.length, 4);
});

Deno.test("StreamableHttp waits as a server asks, within the least and the most that it may", async () => {
  for (const [asked, waited] of [[99, 100], [100, 100], [101, 101], [1000, 1000], [1001, 1000]]) {
    const { remote, waits } = served(`retry: ${asked}\nid: 7\ndata:\n\n`, ANSWER);
    await remote.deliver(CALL, NEVER);
    assertEquals(waits, [waited]);
  }
});

Deno.test("StreamableHttp does not take up a stream that says nothing to go on from", async () => {
  const { remote, opened } = served("data:\n\n", ANSWER);
  await assertRejects(() => remote.deliver(CALL, NEVER), RemoteError, "before its answer");
  assertEquals(opened, []);
});

Deno.test("StreamableHttp tells a server that its session is over, and waits no longer than it may for that", async () => {
  const methods: unknown[] = [];
  const remote = remoteOf((_, init) => {
    methods.push(init?.method);
    if (init?.method === "POST") {
      const { id } = parseJson(String(init.body)) as Json;
      return Promise.resolve(json({ id, result: {} }, { "mcp-session-id": "s" }));
    }
    const { promise, reject } = Promise.withResolvers<Response>();
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    return promise;
  });
  await remote.deliver({ id: 1, method: "initialize", params: {} }, NEVER);
  await assertRejects(() => remote.close(), DOMException, "timeout");
  assertEquals(methods, ["POST", "DELETE"]);
});
