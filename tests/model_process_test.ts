// The providers' replies and failures, from a real HTTP server.
// Needs --allow-net=127.0.0.1, and what the AI SDK's packages ask for when they are loaded:
// --allow-env --allow-sys=hostname.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SkepError } from "../lib/errors.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import type { ModelPart } from "../lib/model/model.ts";
import { resolveModel } from "../lib/model/resolve.ts";
import { FAKE_KEYS, type FakeReply, startFakeProvider } from "./fake_provider.ts";
import {
  ANTHROPIC,
  BEDROCK,
  CHAT,
  connect,
  DIALECTS,
  GOOGLE,
  keyOf,
  LIMITS,
  OK,
  OPENROUTER,
  REQUEST,
  RESPONSES,
  run,
  runWith,
  textOf,
} from "./model_harness.ts";

for (const id of DIALECTS) {
  Deno.test(`${id}: text comes in increments, wherever the bytes are split`, async () => {
    const reply = {
      parts: [{ text: "Grüße, 🐝!" }],
      usage: { input: 9, output: 3 },
      chunkBytes: 5,
    };
    const { parts, error } = await runWith(id, [reply]);
    assertEquals(error, undefined);
    assert(parts.filter((part) => part.type === "text").length > 1);
    assertEquals(textOf(parts), "Grüße, 🐝!");
    const usage = parts.at(-2);
    const { inputTokens, outputTokens } = usage?.type === "usage" ? usage.usage : {};
    assertEquals([inputTokens, outputTokens], [9, 3]);
    assertEquals(parts.at(-1)?.type, "stop");
  });

  Deno.test(`${id}: parallel calls come whole, in order, invalid arguments as they are`, async () => {
    const { parts } = await runWith(id, [{
      parts: [
        { text: "Both." },
        { call: "s__t", input: '{"a": 1}', id: "c_1" },
        { call: "s__t", input: '{"a":', id: "c_2" },
      ],
    }]);
    const calls = parts.flatMap((part) =>
      part.type === "call" ? [[part.id, part.name, part.input.replace(": ", ":")]] : []
    );
    // Gemini's arguments are an object: there is no such thing as invalid ones.
    const second = id === GOOGLE ? "{}" : '{"a":';
    assertEquals(calls, [["c_1", "s__t", '{"a":1}'], ["c_2", "s__t", second]]);
    const raw = {
      [ANTHROPIC]: "tool_use",
      [BEDROCK]: "tool_use",
      [RESPONSES]: "completed",
      [GOOGLE]: "STOP",
    }[id];
    assertEquals(parts.at(-1), { type: "stop", reason: "calls", raw: raw ?? "tool_calls" });
  });

  Deno.test(`${id}: a slow stream lives as long as something comes`, async () => {
    const reply = { parts: "slower".split("").flatMap((text) => [{ text }, { waitMs: 500 }]) };
    const { parts, error } = await runWith(id, [reply], { modelTimeoutS: 2 });
    assertEquals([textOf(parts), error], ["slower", undefined]);
  });

  Deno.test(`${id}: a stream that goes silent is gone on with, in its own limits`, async () => {
    const silent = { parts: [{ text: "a" }, { waitMs: 60_000 }] };
    const limits = { modelTimeoutS: 2, modelAttempts: 2 };
    const { parts, error, requests } = await runWith(id, [silent, silent, OK], limits);
    assertEquals([textOf(parts), requests], ["aa", 2]);
    assertEquals(error?.message, `${id} sent nothing for 2 s (after 2 attempts)`);
  });

  Deno.test(`${id}: a server that never answers is asked again`, async () => {
    const { parts, requests } = await runWith(id, ["hang", OK], { modelTimeoutS: 2 });
    assertEquals([textOf(parts), requests], ["fine", 2]);
  });

  Deno.test(`${id}: a connection that breaks before the first part is tried again`, async () => {
    const breaks: FakeReply[] = [
      "drop",
      { parts: [{ break: true }] },
      { parts: [{ end: true }] },
      { parts: [{ call: "s__t", input: "{}" }, { break: true }] },
      { parts: [{ call: "s__t", input: "{}" }, { end: true }] },
    ];
    for (const broken of breaks) {
      const { parts, error, requests } = await runWith(id, [broken, OK]);
      assertEquals([textOf(parts), error, requests], ["fine", undefined, 2]);
      assertEquals(parts.some((part) => part.type === "call"), false);
    }
  });

  Deno.test(`${id}: a connection that breaks after it is gone on with behind the text`, async () => {
    for (const end of [{ break: true }, { end: true }] as const) {
      await using fake = startFakeProvider([{ parts: [{ text: "half" }, end] }, OK]);
      const { parts, error } = await run((await connect(id, fake)).model);
      assertEquals([textOf(parts), error, fake.requests.length], ["halffine", undefined, 2]);
      assertEquals(parts.filter((part) => part.type === "stop").length, 1);
      const again = JSON.stringify(fake.requests[1]?.body);
      const places = ["half", "Go on exactly where it stops"].map((text) => again.indexOf(text));
      assert(places[0]! > 0 && places[1]! > places[0]!, again);
    }
  });

  Deno.test(`${id}: a connection that breaks every time is an error, and no stop`, async () => {
    const broken: FakeReply = { parts: [{ text: "half" }, { break: true }] };
    const { parts, error, requests } = await runWith(id, Array(4).fill(broken));
    assertEquals([requests, error?.code], [3, "PROVIDER_FAILED"]);
    assertEquals(parts.some((part) => part.type === "stop"), false);
  });

  Deno.test(`${id}: an error event is tried again, behind the text that came before it`, async () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    const before = await runWith(id, [{ parts: [{ error }] }, OK]);
    assertEquals([textOf(before.parts), before.requests], ["fine", 2]);
    const after = await runWith(id, [{ parts: [{ text: "a" }, { error }] }, OK]);
    assertEquals([textOf(after.parts), after.requests], ["afine", 2]);
    const final = { type: "invalid_request_error", message: "No such thing" };
    const last = await runWith(id, [{ parts: [{ text: "a" }, { error: final }] }, OK]);
    assertEquals([textOf(last.parts), last.requests], ["a", 1]);
    assertStringIncludes(last.error?.message ?? "", "No such thing");
  });

  Deno.test(`${id}: garbage in the stream is an error of the provider, nothing worse`, async () => {
    for (
      const raw of ["data: {nope\n\n", 'data: {"type":"?"}\n\n', "data: null\n\n", "\0\xff\n\n"]
    ) {
      const garbage: FakeReply = { parts: [{ text: "a" }, { raw }, { end: true }] };
      const { parts, error } = await runWith(id, [garbage]);
      assertEquals([textOf(parts), error?.code], ["a", "PROVIDER_FAILED"]);
    }
  });

  Deno.test(`${id}: a reply over the limit fails`, async () => {
    const giant: FakeReply = { parts: [{ text: "x".repeat(30_000) }] };
    const { error, requests } = await runWith(id, [giant], { maxModelResponseBytes: 20_000 });
    assertEquals(error?.message, `${id} sent more than 20000 bytes in one reply`);
    assertEquals(requests, 1);
  });

  Deno.test(`${id}: an answer that is no event stream says so`, async () => {
    const page: FakeReply = { status: 200, headers: { "content-type": "text/html" }, body: "<p>" };
    const { error } = await runWith(id, [page]);
    assertStringIncludes(error?.message ?? "", "answered with text/html, not with an event stream");
  });

  const failures: [FakeReply & object, SkepError["code"], number][] = [
    [{ status: 400, body: '{"error":{"message":"bad tool"}}' }, "PROVIDER_FAILED", 1],
    [{ status: 400, body: '{"error":{"message":"prompt is too long"}}' }, "CONTEXT_TOO_LONG", 1],
    [{ status: 401, body: "no" }, "PROVIDER_AUTH_FAILED", 1],
    [
      { status: 403, body: "no" },
      id === OPENROUTER ? "PROVIDER_FAILED" : "PROVIDER_AUTH_FAILED",
      1,
    ],
    [{ status: 402, body: '{"error":{"message":"no credits"}}' }, "PROVIDER_FAILED", 1],
    [{ status: 404, body: "no" }, "PROVIDER_MODEL_NOT_FOUND", 1],
    [
      { status: 404, body: "No endpoints found that can handle the requested parameters" },
      "PROVIDER_FAILED",
      1,
    ],
    [
      { status: 429, body: '{"error":{"message":"pay","code":"insufficient_quota"}}' },
      "PROVIDER_FAILED",
      1,
    ],
    [{ status: 307, headers: { location: "http://127.0.0.1:9/" } }, "PROVIDER_FAILED", 1],
    [{ status: 429, body: "too many tokens per minute" }, "PROVIDER_FAILED", 3],
    [{ status: 499 }, "PROVIDER_FAILED", 3],
    [{ status: 500 }, "PROVIDER_FAILED", 3],
    [{ status: 529 }, "PROVIDER_FAILED", 3],
  ];
  for (const [reply, code, attempts] of failures) {
    const said = "status" in reply ? `${reply.status} ${reply.body ?? ""}` : "";
    Deno.test(`${id}: ${said} is ${code} after ${attempts} requests`, async () => {
      const { parts, error, requests } = await runWith(id, Array(4).fill(reply));
      assertEquals([error?.code, requests], [code, attempts]);
      assertEquals(parts.every((part) => part.type === "warning"), true);
    });
  }

  Deno.test(`${id}: too many tokens per minute is no context that is too long (T106)`, async () => {
    const { error } = await runWith(
      id,
      Array(3).fill({ status: 429, body: "too many tokens per minute" }),
    );
    assertEquals(error?.details, {
      provider: id.split(":")[0]!,
      reason: "rate_limited",
      status: 429,
      isTransient: true,
    });
  });

  Deno.test(`${id}: Retry-After decides how long is waited, in seconds or to a date`, async () => {
    const inHalfAMinute = new Date(Date.now() + 30_000).toUTCString();
    const { waits, parts } = await runWith(id, [
      { status: 429, headers: { "retry-after": "7" } },
      { status: 503, headers: { "retry-after": inHalfAMinute } },
      OK,
    ]);
    assertEquals(textOf(parts), "fine");
    assertEquals(waits[0], 7_000);
    assert(waits[1]! > 20_000 && waits[1]! <= 30_000, `waited ${waits[1]} ms`);
  });

  Deno.test(`${id}: a wait past the bound is told at once, and not waited`, async () => {
    const { waits, requests, error } = await runWith(id, [
      { status: 429, headers: { "retry-after": "86400" } },
      OK,
    ]);
    assertEquals([waits.length, requests], [0, 1]);
    assertStringIncludes(error?.message ?? "", "left alone for 86,400 s, which is 24 h");
  });

  Deno.test(`${id}: the key is in no message`, async () => {
    const body = JSON.stringify({ error: { message: Object.values(FAKE_KEYS).join(" and ") } });
    const key = keyOf(id);
    for (const status of [400, 401, 404, 500]) {
      const { error, parts } = await runWith(id, Array(3).fill({ status, body }));
      assertStringIncludes(error?.message ?? "", "[key]");
      assertEquals(`${error?.message} ${JSON.stringify(parts)}`.includes(key), false);
    }
  });

  Deno.test(`${id}: an abort ends the stream and the connection`, async () => {
    await using fake = startFakeProvider([{ parts: [{ text: "a" }, { waitMs: 60_000 }] }]);
    const { model } = await connect(id, fake);
    const abort = new AbortController();
    const parts: ModelPart[] = [];
    const error = await assertRejects(async () => {
      for await (const part of model.stream(REQUEST, abort.signal)) {
        parts.push(part);
        abort.abort();
      }
    }, SkepError);
    assertEquals([textOf(parts), error.code], ["a", "CANCELLED"]);
    assertEquals(await fake.requests[0]?.wasTaken, false);
  });

  Deno.test(`${id}: an abort before the answer, or before the request, cancels it`, async () => {
    await using fake = startFakeProvider(["hang"]);
    const { model } = await connect(id, fake);
    const abort = new AbortController();
    const pending = run(model, REQUEST, abort.signal);
    while (fake.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    assertEquals((await pending).error?.code, "CANCELLED");
    assertEquals((await run(model, REQUEST, AbortSignal.abort())).error?.code, "CANCELLED");
    assertEquals(fake.requests.length, 1);
  });

  Deno.test(`${id}: who stops reading ends the connection`, async () => {
    await using fake = startFakeProvider([{ parts: [{ text: "a" }, { waitMs: 60_000 }] }]);
    const { model } = await connect(id, fake);
    for await (const _ of model.stream(REQUEST, new AbortController().signal)) break;
    assertEquals(await fake.requests[0]?.wasTaken, false);
  });
}

Deno.test("openai-compatible: a server that is not there cannot be reached", async () => {
  const fake = startFakeProvider();
  const { model } = await connect(CHAT, fake);
  await fake.close();
  const { error } = await run(model);
  assertStringIncludes(error?.message ?? "", "cannot be reached");
  assertStringIncludes(error?.message ?? "", "(after 3 attempts)");
});

Deno.test("anthropic: a missing key is one error that names its variable", async () => {
  const world = { ...denoHost(), env: () => undefined, limits: LIMITS };
  const error = await assertRejects(() => resolveModel(ANTHROPIC, world), SkepError);
  assertEquals([error.code, error.message], [
    "MODEL_KEY_MISSING",
    "Cannot use the provider anthropic: ANTHROPIC_API_KEY is not set",
  ]);
});

Deno.test("openai-compatible: a server on this machine is asked without a key", async () => {
  await using fake = startFakeProvider([OK]);
  const { OPENAI_COMPAT_BASE_URL } = fake.env;
  const { model } = await connect(CHAT, {
    ...fake,
    env: { OPENAI_COMPAT_BASE_URL: OPENAI_COMPAT_BASE_URL! },
  });
  assertEquals(textOf((await run(model)).parts), "fine");
  assertEquals(fake.requests[0]?.headers.authorization, undefined);
});
