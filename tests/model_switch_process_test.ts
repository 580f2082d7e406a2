// A history that goes from provider to provider, and what a model is told beside it: thinking, caching,
// images. At a real HTTP server. Needs --allow-net=127.0.0.1, and what the AI SDK's packages ask for
// when they are loaded: --allow-env --allow-sys=hostname.
import { assert, assertEquals } from "@std/assert";
import { Gates } from "../lib/model/gate.ts";
import type { Message } from "../lib/model/message.ts";
import type { ModelRequest } from "../lib/model/model.ts";
import { collectReply } from "../lib/model/reply.ts";
import { type FakeProvider, type FakeReply, startFakeProvider } from "./fake_provider.ts";
import {
  ANTHROPIC,
  ASKED,
  CHAT,
  connect,
  DIALECTS,
  GOOGLE,
  OK,
  PIXEL,
  REQUEST,
  RESPONSES,
  run,
  textOf,
} from "./model_harness.ts";

/** A round from each provider: reasoning, and a call with an id that others refuse. */
function roundOf(id: string, index: number): FakeReply {
  return {
    parts: [
      ...(id === GOOGLE ? [] : [{ reasoning: "I think.", signature: "SIG==" }]),
      { text: `From ${index}.` },
      { call: "s__t", input: '{"a":1}', id: `functions.s__t:${index}`, signature: "CALL==" },
    ],
  };
}

const result = (callId: string): Message => ({
  role: "tool",
  results: [{ callId, name: "s__t", isError: false, content: [{ type: "text", text: "done" }] }],
});

/** The ids of the calls and of the results in a request's body, in order. */
function idsIn(body: unknown): { calls: string[]; results: string[] } {
  const calls: string[] = [];
  const results: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null) return;
    // deno-lint-ignore no-explicit-any -- the bodies are of six forms
    const it = value as any;
    if (it.type === "tool_use") calls.push(it.id);
    if (it.type === "tool_result") results.push(it.tool_use_id);
    if (it.type === "function_call") calls.push(it.call_id);
    if (it.type === "function_call_output") results.push(it.call_id);
    if (it.toolUse) calls.push(it.toolUse.toolUseId);
    if (it.toolResult) results.push(it.toolResult.toolUseId);
    if (it.functionCall) calls.push(it.functionCall.id);
    if (it.functionResponse) results.push(it.functionResponse.id);
    if (it.role === "tool") results.push(it.tool_call_id);
    for (const call of it.tool_calls ?? []) calls.push(call.id);
    Object.values(it).forEach(visit);
  };
  visit(body);
  return { calls, results };
}

Deno.test("a history goes through every provider: ids match, reasoning stays at home (T97)", async () => {
  await using fake = startFakeProvider();
  const history: Message[] = [];
  for (const [index, id] of [...DIALECTS, ...DIALECTS].entries()) {
    fake.push(roundOf(id, index));
    const { model } = await connect(id, fake);
    history.push({ role: "user", content: [{ type: "text", text: `to ${index}` }] });
    const { signal } = new AbortController();
    const parts = model.stream({ ...REQUEST, messages: history }, signal);
    const { message } = await collectReply(parts, model.id);
    history.push(message);
    const call = message.content.find((part) => part.type === "call");
    history.push(result(call?.type === "call" ? call.id : "none"));
    const { body } = fake.requests.at(-1)!;
    const { calls, results } = idsIn(body);
    assertEquals([calls.length, new Set(calls).size], [index, index], id);
    assertEquals(calls, results, id);
    const isChat = body.messages !== undefined && id !== ANTHROPIC;
    const own = isChat ? /./ : /^[A-Za-z0-9_-]{1,64}$/;
    assert(calls.every((each) => own.test(each)), `${id}: ${calls}`);
    if (index < DIALECTS.length) {
      // Nobody but its own provider sees what was thought or signed.
      assertEquals(/I think|SIG==|CALL==/.test(JSON.stringify(body)), false, id);
    }
  }
  const own = fake.requests.filter(({ body }) => /SIG==|CALL==/.test(JSON.stringify(body)));
  assertEquals(own.map(({ path }) => path), [
    "/v1/messages",
    "/v1/responses",
    "/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse",
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
  ]);
});

Deno.test("a call without a result, and a result without a call, reach no provider (T97)", async () => {
  for (const id of DIALECTS) {
    await using fake = startFakeProvider([OK]);
    const { model } = await connect(id, fake);
    const cut: Message[] = [
      result("gone"),
      ASKED,
      { role: "assistant", content: [{ type: "call", id: "c_1", name: "s__t", input: "{}" }] },
      { role: "user", content: [{ type: "text", text: "and now?" }] },
    ];
    assertEquals((await run(model, { ...REQUEST, messages: cut })).error, undefined);
    assertEquals(idsIn(fake.requests[0]?.body), { calls: ["c_1"], results: ["c_1"] }, id);
  }
});

/** The body of one request under settings. */
async function bodyOf(
  id: string,
  env: Readonly<Record<string, string>>,
  request: Partial<ModelRequest> = {},
  // deno-lint-ignore no-explicit-any -- the tests look into it wherever they like
): Promise<{ body: any; notices: string[] }> {
  await using fake: FakeProvider = startFakeProvider([OK]);
  const { model } = await connect(id, { env: { ...fake.env, ...env } });
  const { parts, error } = await run(model, { ...REQUEST, maxOutputTokens: 9000, ...request });
  assertEquals(error, undefined);
  const notices = parts.flatMap((part) => part.type === "warning" ? [part.message] : []);
  return { body: fake.requests[0]?.body, notices };
}

Deno.test("thinking effort goes in each dialect's own words, substitutions are said", async () => {
  const high = { SKEP_THINKING_EFFORT: "high" };
  const budget = await bodyOf(ANTHROPIC, high);
  assertEquals([budget.body.thinking, budget.body.max_tokens, budget.body.output_config], [
    { type: "enabled", budget_tokens: 7976 },
    9000,
    undefined,
  ]);
  const adaptive = await bodyOf("anthropic:claude-opus-4-8", { SKEP_THINKING_EFFORT: "xhigh" });
  assertEquals([adaptive.body.thinking, adaptive.body.output_config, adaptive.body.max_tokens], [
    { type: "adaptive", display: "summarized" },
    { effort: "xhigh" },
    9000,
  ]);
  assertEquals((await bodyOf(RESPONSES, high)).body.reasoning, { effort: "high", summary: "auto" });
  const clamped = await bodyOf(RESPONSES, { BUZZ_AGENT_THINKING_EFFORT: "max" });
  assertEquals([clamped.body.reasoning.effort, clamped.notices], ["xhigh", [
    'gpt-5.5 gets the thinking effort "xhigh": it does not take "max"',
  ]]);
  assertEquals((await bodyOf(CHAT, high)).body.reasoning_effort, "high");
  assertEquals(
    (await bodyOf("openrouter:openai/gpt-5.5", { SKEP_THINKING_EFFORT: "max" })).body.reasoning,
    {
      effort: "max",
    },
  );
  assertEquals((await bodyOf(GOOGLE, high)).body.generationConfig.thinkingConfig, {
    includeThoughts: true,
    thinkingLevel: "high",
  });
});

Deno.test("thinking effort is not sent when it is not set, nor with a summary", async () => {
  const words = /"(reasoning_effort|effort|budget_tokens|thinkingLevel|output_config)"/;
  for (const id of DIALECTS) {
    const unset = await bodyOf(id, {});
    const summary = await bodyOf(id, { SKEP_THINKING_EFFORT: "high" }, { isThinking: false });
    for (const { body } of [unset, summary]) {
      assertEquals(words.exec(JSON.stringify(body)), null, id);
    }
  }
});

Deno.test("anthropic: a budget is left out while calls of another model are answered", async () => {
  const messages: Message[] = [
    ASKED,
    { role: "assistant", content: [{ type: "call", id: "c_1", name: "s__t", input: "{}" }] },
    result("c_1"),
  ];
  const high = { SKEP_THINKING_EFFORT: "high" };
  assertEquals((await bodyOf(ANTHROPIC, high, { messages })).body.thinking, undefined);
  const said: Message = { role: "assistant", content: [{ type: "text", text: "a" }] };
  const next = [...messages, said, ASKED];
  assertEquals((await bodyOf(ANTHROPIC, high, { messages: next })).body.thinking.type, "enabled");
});

Deno.test("anthropic: a history with calls declares their tools where the request has none", async () => {
  const messages: Message[] = [
    ASKED,
    { role: "assistant", content: [{ type: "call", id: "c_1", name: "s__t", input: "{}" }] },
    result("c_1"),
  ];
  const { body } = await bodyOf(ANTHROPIC, {}, { messages, tools: [] });
  assertEquals([body.tools.map(({ name }: { name: string }) => name), body.tool_choice], [
    ["s__t"],
    { type: "none" },
  ]);
});

Deno.test("prompt caching is marked for Anthropic, and not at all when it is off", async () => {
  const marks = (body: unknown) => JSON.stringify(body).split('"cache_control"').length - 1;
  assertEquals(marks((await bodyOf(ANTHROPIC, {})).body), 2); // one message, one system prompt
  const messages = [ASKED, { role: "assistant", content: [{ type: "text", text: "a" }] }, ASKED];
  const three = await bodyOf(ANTHROPIC, {}, { messages: messages as Message[] });
  assertEquals(marks(three.body), 3);
  const off = { BUZZ_AGENT_PROMPT_CACHING: "0" };
  for (const id of DIALECTS) assertEquals(marks((await bodyOf(id, off)).body), 0, id);
  assertEquals(marks((await bodyOf(ANTHROPIC, {}, { system: "" })).body), 1);
});

Deno.test("the start of a request is the same in every round, so that caches hold", async () => {
  const strip = (body: unknown) =>
    JSON.stringify(body).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  for (const id of DIALECTS) {
    const one = strip((await bodyOf(id, {})).body);
    const more: Message[] = [
      ASKED,
      { role: "assistant", content: [{ type: "text", text: "a" }] },
      ASKED,
    ];
    const two = strip((await bodyOf(id, {}, { messages: more })).body);
    const end = one.indexOf('"go"');
    assertEquals(two.slice(0, end), one.slice(0, end), id);
  }
});

Deno.test("a model that refuses images gets the request again without them, and none later", async () => {
  const refusal: FakeReply = {
    status: 404,
    body: '{"error":{"message":"No endpoints found that support image input"}}',
  };
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "see" }, PIXEL] }];
  await using fake = startFakeProvider([refusal, OK, OK]);
  const { model } = await connect(CHAT, fake);
  const first = await run(model, { ...REQUEST, messages });
  assertEquals([textOf(first.parts), first.error], ["fine", undefined]);
  assertEquals(first.parts[0], {
    type: "warning",
    message: `${CHAT} takes no images: they are left out from here on`,
  });
  const second = await run(model, { ...REQUEST, messages });
  assertEquals(second.parts.some((part) => part.type === "warning"), false);
  const hasImage = fake.requests.map(({ body }) => JSON.stringify(body).includes("image_url"));
  assertEquals(hasImage, [true, false, false]);
});

Deno.test("a model that refuses images where there are none fails at once, and is asked once", async () => {
  await using fake = startFakeProvider([{
    status: 400,
    body: '{"error":{"message":"llama is not a multimodal model"}}',
  }]);
  const { error } = await run((await connect(CHAT, fake)).model);
  assertEquals([error?.code, fake.requests.length], ["PROVIDER_FAILED", 1]);
});

Deno.test("price and context follow the model that answers", async () => {
  await using fake = startFakeProvider(({ method }) =>
    method === "GET" ? { status: 404 } : {
      parts: [{ text: "a" }],
      usage: { input: 1_000_000, output: 0 },
      model: "claude-opus-4-8",
    }
  );
  const { model } = await connect("anthropic:best", fake);
  assertEquals([model.facts?.contextTokens, model.facts?.source], [200_000, "guess"]);
  const { parts } = await run(model);
  const part = parts.find((part) => part.type === "usage");
  assertEquals(part?.type === "usage" && [part.model, part.usage.costUsd], ["claude-opus-4-8", 5]);
  assertEquals([model.facts?.contextTokens, model.facts?.source], [1_000_000, "catalog"]);
});

Deno.test("a model that nobody knows has a notice, and a context that can be set", async () => {
  const { model } = await connect(CHAT, {
    env: { OPENAI_COMPAT_BASE_URL: "http://127.0.0.1:9/v1" },
  });
  assertEquals(
    model.notice,
    "No catalog knows the model openai-compatible:llama3:8b: its context is taken to be 200000 tokens; " +
      "set SKEP_MAX_CONTEXT_TOKENS, or its context_tokens in models.yaml, if it is not",
  );
  assertEquals(
    (await connect(ANTHROPIC, { env: { ANTHROPIC_API_KEY: "k" } })).model.notice,
    undefined,
  );
});

Deno.test("what failed attempts took is counted, and said", async () => {
  const usage = { input: 10, output: 5 };
  await using fake = startFakeProvider([
    { parts: [{ text: "half" }, { break: true }], usage },
    { parts: [{ text: " whole" }], usage },
  ]);
  const { parts } = await run((await connect(ANTHROPIC, fake)).model);
  const told = parts.findLast((part) => part.type === "usage");
  assertEquals(told?.type === "usage" && [told.usage.inputTokens, told.usage.failedInputTokens], [
    20,
    10,
  ]);
});

Deno.test("sessions share a provider's limits, and who waits is told", async () => {
  const slow: FakeReply = { parts: [{ waitMs: 300 }, { text: "fine" }] };
  await using fake = startFakeProvider([slow, slow]);
  const file = "providers: { openai-compatible: { limits: { concurrent: 1 } } }";
  const gates = new Gates();
  const [first, second] = [
    (await connect(CHAT, fake, {}, { gates, file })).model,
    (await connect(CHAT, fake, {}, { gates, file })).model,
  ];
  const [one, two] = await Promise.all([run(first), run(second)]);
  assertEquals([textOf(one.parts), textOf(two.parts)], ["fine", "fine"]);
  assertEquals(two.parts[0], {
    type: "warning",
    message: "Waiting for openai-compatible: 0 before this one",
  });
});
