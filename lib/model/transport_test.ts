import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { FailureContext } from "./provider_failure.ts";
import { providerFetch, type TransportWorld } from "./transport.ts";

const LIMITS = {
  modelTimeoutS: 240,
  maxModelResponseBytes: 10,
  maxModelErrorBytes: 80,
  maxRetryAfterS: 60,
};
const CONTEXT: FailureContext = {
  endpoint: { provider: "acme", baseUrl: "http://a.test", key: "k-1", keyVariable: "ACME_KEY" },
  model: "m",
  limits: LIMITS,
  nowMs: () => 0,
};
const EVENTS = { "content-type": "text/event-stream" };

/** A clock that never strikes: each sleep ends only when its signal is aborted. */
const never: TransportWorld["sleep"] = (_ms, signal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

type Answer = (request: Request) => Response | Promise<Response>;

function send(answer: Answer, world: Partial<TransportWorld> = {}, init: RequestInit = {}) {
  const fetch: TransportWorld["fetch"] = async (request) => await answer(request);
  const transport = providerFetch(CONTEXT, { fetch, sleep: never, limits: LIMITS, ...world });
  return transport("http://a.test/v1/x", { method: "POST", body: "{}", ...init });
}

function bodyOf(...chunks: string[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

async function failureOf(promise: Promise<unknown>): Promise<SkepError> {
  return await assertRejects(() => promise, SkepError);
}

Deno.test("providerFetch() passes an event stream on, and the request as it was made", async () => {
  let seen: Request | undefined;
  const headers = { "x-api-key": "k-1" };
  const response = await send(
    (request) => {
      seen = request;
      return new Response(bodyOf("ab", "cd"), { headers: { ...EVENTS, "x-id": "7" } });
    },
    {},
    { headers },
  );
  assertEquals(await response.text(), "abcd");
  assertEquals([response.status, response.headers.get("x-id")], [200, "7"]);
  assertEquals([seen?.url, seen?.method, seen?.redirect], ["http://a.test/v1/x", "POST", "manual"]);
  assertEquals([await seen?.text(), seen?.headers.get("x-api-key")], ["{}", "k-1"]);
});

Deno.test("providerFetch() takes a body exactly at its limit", async () => {
  const response = await send(() => new Response(bodyOf("12345", "67890"), { headers: EVENTS }));
  assertEquals(await response.text(), "1234567890");
});

Deno.test("providerFetch() fails a body one byte past its limit, and stops reading", async () => {
  let wasCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("12345678901")),
    cancel: () => void (wasCancelled = true),
  });
  const response = await send(() => new Response(body, { headers: EVENTS }));
  const error = await failureOf(response.text());
  assertEquals(error.message, "acme:m sent more than 10 bytes in one reply");
  assertEquals(error.details, { provider: "acme", reason: "unreadable", isTransient: false });
  assertEquals(wasCancelled, true);
});

Deno.test("providerFetch() refuses a body that is announced as too long before it reads any", async () => {
  const answer = (length: string) =>
    send(() => new Response(bodyOf("x"), { headers: { ...EVENTS, "content-length": length } }));
  assertEquals(await (await answer("10")).text(), "x");
  assertEquals(
    (await failureOf(answer("11"))).message,
    "acme:m sent more than 10 bytes in one reply",
  );
});

Deno.test("providerFetch() reads an error's body up to its limit", async () => {
  const body = (text: string) => send(() => new Response(bodyOf(text), { status: 400 }));
  assertEquals(
    (await failureOf(body("x".repeat(80)))).message,
    `acme:m failed (400): ${"x".repeat(80)}`,
  );
  assertEquals(
    (await failureOf(body("x".repeat(81)))).message,
    `acme:m failed (400): ${"x".repeat(80)}`,
  );
});

Deno.test("providerFetch() still knows the status when an error's body breaks off", async () => {
  const body = new ReadableStream({ pull: () => Promise.reject(new TypeError("reset")) });
  const error = await failureOf(send(() => new Response(body, { status: 503 })));
  assertEquals(error.details, {
    provider: "acme",
    status: 503,
    reason: "overloaded",
    isTransient: true,
  });
});

Deno.test("providerFetch() throws typed errors by status, with the wait that is asked for", async () => {
  const headers = { "retry-after": "2" };
  const busy = await failureOf(send(() => new Response("busy", { status: 429, headers })));
  assertEquals([busy.code, "retryAfterMs" in busy.details && busy.details.retryAfterMs], [
    "PROVIDER_FAILED",
    2_000,
  ]);
  assertEquals(
    (await failureOf(send(() => new Response(null, { status: 401 })))).code,
    "PROVIDER_AUTH_FAILED",
  );
});

Deno.test("providerFetch() follows no redirect: the key would go along", async () => {
  let requests = 0;
  const error = await failureOf(send(() => {
    requests++;
    return new Response(null, { status: 307, headers: { location: "http://evil.test/" } });
  }));
  assertEquals(requests, 1);
  assertEquals(
    error.message,
    "acme:m failed (307): it redirects to http://evil.test/, which is not followed. Check its base URL",
  );
});

Deno.test("providerFetch() refuses an answer that holds no events", async () => {
  const answer = (type: string, body: string) =>
    send(() => new Response(body, { headers: { "content-type": type } }));
  assertEquals(
    (await failureOf(answer("text/html", "<html>"))).message,
    "acme:m answered with text/html, not with an event stream: check its base URL",
  );
  assertEquals(
    (await failureOf(answer("application/json", '{"error":"no"}'))).details,
    { provider: "acme", reason: "unreadable", isTransient: false },
  );
});

Deno.test("providerFetch() takes events under any other type", async () => {
  const headers = { "content-type": "text/plain" };
  assertEquals(await (await send(() => new Response("data: 1", { headers }))).text(), "data: 1");
});

Deno.test("providerFetch() says why a server cannot be reached, and that it may be later", async () => {
  const cause = new Error(
    "error sending request for url (http://a.test/): client error (Connect): refused",
  );
  const error = await failureOf(send(() => {
    throw new TypeError("fetch failed", { cause });
  }));
  assertEquals(error.message, "acme:m cannot be reached at http://a.test: refused");
  assertEquals(error.details, { provider: "acme", reason: "transport", isTransient: true });
});

Deno.test("providerFetch() does not call a denied permission transient", async () => {
  const denied = Object.assign(new Error("needs net"), { name: "NotCapable" });
  const error = await failureOf(send(() => Promise.reject(denied)));
  assertEquals([error.details, error.cause], [{
    provider: "acme",
    reason: "transport",
    isTransient: false,
  }, denied]);
});

Deno.test("providerFetch() fails a request whose answer does not begin in time, and aborts it", async () => {
  const waits: number[] = [];
  let seen: Request | undefined;
  const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
  const error = await failureOf(send((request) => {
    seen = request;
    return new Promise(() => {});
  }, { sleep }));
  assertEquals(error.message, "acme:m sent nothing for 240 s");
  assertEquals(error.details, { provider: "acme", reason: "timeout", isTransient: true });
  assertEquals([waits, seen?.signal.aborted], [[240_000], true]);
});

Deno.test("providerFetch() starts its clock anew with every chunk, and fails a stream that stalls", async () => {
  let strike = () => {};
  let sleeps = 0;
  const sleep: TransportWorld["sleep"] = (ms, signal) => {
    sleeps++;
    return new Promise((resolve, reject) => {
      assertEquals(ms, 240_000);
      strike = resolve;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  };
  let feed: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (feed = controller),
  });
  const response = await send(() => new Response(body, { headers: EVENTS }), { sleep });
  const reader = response.body!.getReader();
  for (const text of ["a", "b"]) {
    feed?.enqueue(new TextEncoder().encode(text));
    assertEquals(new TextDecoder().decode((await reader.read()).value), text);
  }
  const pending = failureOf(reader.read());
  while (sleeps < 4) await Promise.resolve(); // one for the answer, one for each chunk, one more
  strike();
  assertEquals((await pending).message, "acme:m sent nothing for 240 s");
});

Deno.test("providerFetch() hands the caller's abort on to the request", async () => {
  const abort = new AbortController();
  let seen: Request | undefined;
  const pending = failureOf(send(
    (request) => {
      seen = request;
      return new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason))
      );
    },
    {},
    { signal: abort.signal },
  ));
  abort.abort();
  await pending;
  assertEquals(seen?.signal.aborted, true);
});

Deno.test("providerFetch() gives up a body that no abort of its request reaches (a cancelled reply ran on)", async () => {
  const abort = new AbortController();
  let wasLeft = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("Half")),
    cancel: () => void (wasLeft = true),
  });
  const answer = () => new Response(body, { headers: EVENTS });
  const reader = (await send(answer, {}, { signal: abort.signal })).body!.getReader();
  assertEquals(new TextDecoder().decode((await reader.read()).value), "Half");
  const pending = assertRejects(() => reader.read());
  abort.abort();
  await pending;
  assertEquals(wasLeft, true);
});
