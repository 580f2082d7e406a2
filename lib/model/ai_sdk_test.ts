import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { assertEquals } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import type { Catalog } from "./catalog.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import type { ModelFacts } from "./facts.ts";
import type { Model, ModelPart } from "./model.ts";
import type { FailureContext } from "./provider_failure.ts";
import type { ModelWorld } from "./world.ts";

const LIMITS = { ...DEFAULT_LIMITS, modelAttempts: 2 };
const WORLD: ModelWorld = {
  env: () => undefined,
  files: {} as Files,
  fetch: () => Promise.reject(new Error("nothing is sent here")),
  sleep: (_ms, signal) => signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve(),
  nowMs: () => 0,
  cwd: () => "/",
  limits: LIMITS,
};
const CONTEXT: FailureContext = {
  endpoint: { provider: "acme", baseUrl: "http://a.test", key: "k", keyVariable: "ACME_KEY" },
  model: "m",
  limits: LIMITS,
  nowMs: () => 0,
};
const CATALOG: Catalog = {
  facts: (model) => ({ contextTokens: 1000, source: "catalog", ...FACTS[model] }),
  unpriced: () => CATALOG,
};
const FACTS: Record<string, Partial<ModelFacts>> = {
  "m-2026": { prices: { input: 2, output: 10 }, contextTokens: 2000 },
};
const USE: ModelUse = { settings: { effort: undefined, isCaching: true }, catalog: CATALOG };
const REQUEST = { system: "", messages: [], tools: [], maxOutputTokens: 100 };

type Part = Record<string, unknown>;
const FINISH = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} };

/** A model over a package that plays `replies`: a list of stream parts, or what `doStream` throws. */
function modelOf(replies: (Part[] | unknown)[], onCall = (_: LanguageModelV4CallOptions) => {}) {
  const language = {
    doStream: (options: LanguageModelV4CallOptions) => {
      onCall(options);
      const reply = replies.shift();
      if (!Array.isArray(reply)) return Promise.reject(reply);
      return Promise.resolve({ stream: ReadableStream.from(reply) });
    },
  } as unknown as LanguageModelV4;
  return aiSdkModel({ language, dialect: CHAT_DIALECT, context: CONTEXT, world: WORLD, use: USE });
}

async function run(model: Model, signal = new AbortController().signal) {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream(REQUEST, signal)) parts.push(part);
  } catch (error) {
    return { parts, error: error as SkepError };
  }
  return { parts, error: undefined };
}

Deno.test("aiSdkModel() sends tools with a choice, and neither when there are none", async () => {
  const calls: LanguageModelV4CallOptions[] = [];
  const model = modelOf([[FINISH], [FINISH]], (options) => void calls.push(options));
  await run(model);
  const tool = { name: "s__t", description: "d", inputSchema: { type: "object" }, extra: 1 };
  const abort = new AbortController();
  await Array.fromAsync(model.stream({ ...REQUEST, tools: [tool] }, abort.signal));
  assertEquals(calls.map(({ tools, toolChoice }) => ({ tools, toolChoice })), [
    { tools: undefined, toolChoice: undefined },
    {
      tools: [{
        type: "function",
        name: "s__t",
        description: "d",
        inputSchema: { type: "object" },
      }],
      toolChoice: { type: "auto" },
    },
  ]);
  assertEquals([calls[1]?.maxOutputTokens, calls[1]?.abortSignal], [100, abort.signal]);
});

Deno.test("aiSdkModel() finds our own error below those that packages wrap around it", async () => {
  const own = new SkepError("CONTEXT_TOO_LONG", "too long", { provider: "acme" });
  const wrapped = new Error("outer", { cause: new Error("inner", { cause: own }) });
  assertEquals((await run(modelOf([wrapped]))).error, own);
});

Deno.test("aiSdkModel() judges an error event by its status, its code, or its kind", async () => {
  const events: [Part, string][] = [
    [{ message: "bad key", statusCode: 401 }, "PROVIDER_AUTH_FAILED"],
    [{ message: "no such model", code: "404" }, "PROVIDER_MODEL_NOT_FOUND"],
    [{ message: "x", code: "context_length_exceeded" }, "CONTEXT_TOO_LONG"],
    [{ message: "x", code: 12 }, "PROVIDER_FAILED"],
    [{ nothing: true }, "PROVIDER_FAILED"],
  ];
  for (const [error, code] of events) {
    assertEquals((await run(modelOf([[{ type: "error", error }]]))).error?.code, code);
  }
});

Deno.test("aiSdkModel() sends the request again after an error event before the first part", async () => {
  const error = { message: "Overloaded", type: "overloaded_error", statusCode: 529 };
  const { parts } = await run(modelOf([[{ type: "error", error }], [FINISH]]));
  assertEquals(parts.map((part) => part.type), ["warning", "stop"]);
});

Deno.test("aiSdkModel() tries an unreadable reply again, and a defect not", async () => {
  const unreadable = Object.assign(
    new Error("JSON parsing failed: Text: {nope.\nError message: …"),
    {
      name: "AI_JSONParseError",
    },
  );
  const twice = await run(modelOf([unreadable, unreadable]));
  assertEquals(
    twice.error?.message,
    "acme:m sent a reply that cannot be read: JSON parsing failed: Text: {nope (after 2 attempts)",
  );
  const once = await run(modelOf([new TypeError("x is not a function"), [FINISH]]));
  assertEquals(once.error?.message, "acme:m failed: x is not a function");
  assertEquals(once.error?.cause instanceof TypeError, true);
});

Deno.test("aiSdkModel() keeps no request as the cause of an error", async () => {
  const error = Object.assign(new Error("Overloaded"), {
    name: "AI_APICallError",
    statusCode: 400,
    requestBodyValues: { messages: ["private"] },
  });
  assertEquals((await run(modelOf([error]))).error?.cause, undefined);
});

Deno.test("aiSdkModel() is cancelled when its signal was aborted, whatever was thrown", async () => {
  for (const thrown of [new DOMException("aborted", "AbortError"), new TypeError("body broke")]) {
    const abort = new AbortController();
    const { parts, error } = await run(modelOf([thrown], () => abort.abort()), abort.signal);
    assertEquals([parts, error?.code], [[], "CANCELLED"]);
  }
});

Deno.test("aiSdkModel() shows a warning of the package once for all requests", async () => {
  const start = { type: "stream-start", warnings: [{ type: "other", message: "odd" }] };
  const model = modelOf([[start, FINISH], [start, FINISH]]);
  assertEquals((await run(model)).parts.length, 2);
  assertEquals((await run(model)).parts.map((part) => part.type), ["stop"]);
});

Deno.test("aiSdkModel() takes price and context from whoever answers, as far as they are known", async () => {
  const finish = { ...FINISH, usage: { raw: { prompt_tokens: 1_000_000, completion_tokens: 0 } } };
  const answer = (modelId: string) => [{ type: "response-metadata", modelId }, finish];
  const model = modelOf([answer("m-2026"), [finish]]);
  assertEquals(model.facts.contextTokens, 1000);
  const { parts } = await run(model);
  assertEquals(parts[0] as unknown, {
    type: "usage",
    model: "m-2026",
    usage: { inputTokens: 1_000_000, outputTokens: 0, costUsd: 2 },
  });
  assertEquals(model.facts.contextTokens, 2000);
});

Deno.test("aiSdkModel() asks for no more output than the model has", async () => {
  const calls: LanguageModelV4CallOptions[] = [];
  FACTS.m = { maxOutputTokens: 64 };
  await run(modelOf([[FINISH]], (options) => void calls.push(options)));
  delete FACTS.m;
  await run(modelOf([[FINISH]], (options) => void calls.push(options)));
  assertEquals(calls.map(({ maxOutputTokens }) => maxOutputTokens), [64, 100]);
});
