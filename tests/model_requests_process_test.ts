// What the providers are sent, and what stands in their replies beside text, at a real HTTP server.
// Needs --allow-net=127.0.0.1, and what the AI SDK's packages ask for when they are loaded:
// --allow-env --allow-sys=hostname.
import { assertEquals } from "@std/assert";
import { collectReply } from "../lib/model/reply.ts";
import { FAKE_KEYS, startFakeProvider } from "./fake_provider.ts";
import {
  ANTHROPIC,
  ASKED,
  BEDROCK,
  CHAT,
  connect,
  DIALECTS,
  GOOGLE,
  OK,
  REQUEST,
  RESPONSES,
  run,
  runWith,
  twoRounds,
} from "./model_harness.ts";

Deno.test("anthropic: headers carry the key, the version and our name, and announce no beta", async () => {
  await using fake = startFakeProvider([OK, OK]);
  await run((await connect(ANTHROPIC, fake)).model);
  const env = {
    ...fake.env,
    ANTHROPIC_API_VERSION: "2024-01-01",
    ANTHROPIC_BASE_URL: `${fake.url}/v1/`,
  };
  await run((await connect(ANTHROPIC, { ...fake, env })).model);
  const seen = fake.requests.map(({ path, headers }) => [
    path,
    headers["x-api-key"],
    headers["anthropic-version"],
    headers["anthropic-beta"],
    headers["user-agent"]?.split("/")[0],
  ]);
  assertEquals(seen, [
    ["/v1/messages", FAKE_KEYS.anthropic, "2023-06-01", undefined, "skep"],
    ["/v1/messages", FAKE_KEYS.anthropic, "2024-01-01", undefined, "skep"],
  ]);
});

Deno.test("openai-compatible: headers carry the key and our name", async () => {
  await using fake = startFakeProvider([OK]);
  await run((await connect(CHAT, fake)).model);
  const { path, headers } = fake.requests[0]!;
  assertEquals([path, headers.authorization, headers["user-agent"]?.split("/")[0]], [
    "/v1/chat/completions",
    `Bearer ${FAKE_KEYS.openai}`,
    "skep",
  ]);
});

Deno.test("a persona's temperature and options are in the request of every dialect", async () => {
  const settings = { temperature: 0.5, extraFields: { top_k: 7, model: "other", tools: [] } };
  const places: Record<string, (body: Record<string, Record<string, unknown>>) => unknown[]> = {
    [GOOGLE]: ({ generationConfig, ...body }) => [generationConfig?.temperature, body.top_k],
    [BEDROCK]: ({ inferenceConfig, additionalModelRequestFields: fields }) => [
      inferenceConfig?.temperature,
      fields?.top_k,
    ],
  };
  for (const id of [...DIALECTS.filter((each) => each !== RESPONSES), "openai:gpt-4.1"]) {
    await using fake = startFakeProvider([OK]);
    const api = { ...fake.env, OPENAI_COMPAT_API: "responses" };
    const { model } = await connect(id, { env: api }, {}, { settings });
    assertEquals((await run(model)).error, undefined);
    const { body } = fake.requests[0]!;
    const found = places[id]?.(body) ?? [body.temperature, body.top_k];
    assertEquals([id, ...found], [id, 0.5, 7]);
    assertEquals([body.model === "other", JSON.stringify(body).includes("s__t")], [false, true]);
  }
});

Deno.test("a model of OpenAI's that thinks is asked without a temperature, which is said", async () => {
  for (const [id, api] of [["openai:gpt-5.5", "responses"], ["openai:gpt-5.5", "chat"]] as const) {
    await using fake = startFakeProvider([OK, OK]);
    const env = { ...fake.env, OPENAI_COMPAT_API: api };
    const { model } = await connect(id, { env }, {}, { settings: { temperature: 0.5 } });
    const warnings = [await run(model), await run(model)].map(({ parts }) =>
      parts.filter(({ type }) => type === "warning").length
    );
    assertEquals([api, warnings, "temperature" in fake.requests[0]!.body], [api, [1, 0], false]);
  }
});

const CACHED = { type: "ephemeral" };

Deno.test("anthropic: the second round sends reasoning, calls and results back, to the letter", async () => {
  assertEquals((await twoRounds(ANTHROPIC)).body, {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: [{ type: "text", text: "Be brief.", cache_control: CACHED }],
    messages: [
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I think.", signature: "SIG==" },
          { type: "text", text: "Calling." },
          { type: "tool_use", id: "c_1", name: "s__t", input: { a: 1 } },
          { type: "tool_use", id: "c_2", name: "s__t", input: { invalid_arguments: '{"a":' } },
          { type: "tool_use", id: "c_3", name: "s__t", input: {}, cache_control: CACHED },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c_1", content: "one" },
          { type: "tool_result", tool_use_id: "c_2", content: "denied", is_error: true },
          {
            type: "tool_result",
            tool_use_id: "c_3",
            cache_control: CACHED,
            content: [
              { type: "text", text: "see" },
              {
                type: "image",
                source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
              },
            ],
          },
        ],
      },
    ],
    tools: [{
      name: "s__t",
      description: "Does it.",
      input_schema: { type: "object", properties: { a: { type: "integer" } } },
    }],
    stream: true,
  });
});

Deno.test("openai-compatible: the second round sends reasoning, calls and results back, to the letter", async () => {
  const call = (id: string, text: string) => (
    { id, type: "function", function: { name: "s__t", arguments: text } }
  );
  assertEquals((await twoRounds(CHAT)).body, {
    model: "llama3:8b",
    max_tokens: 1000,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "Calling.",
        reasoning_content: "I think.",
        tool_calls: [
          call("c_1", '{"a":1}'),
          call("c_2", '{"invalid_arguments":"{\\"a\\":"}'),
          call("c_3", "{}"),
        ],
      },
      { role: "tool", tool_call_id: "c_1", content: "one" },
      { role: "tool", tool_call_id: "c_2", content: "denied" },
      { role: "tool", tool_call_id: "c_3", content: "see\n[image/png: see the next user message]" },
      {
        role: "user",
        content: [
          { type: "text", text: "From the result of call c_3, s__t:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ],
    tools: [{
      type: "function",
      function: {
        name: "s__t",
        description: "Does it.",
        parameters: { type: "object", properties: { a: { type: "integer" } } },
      },
    }],
    tool_choice: "auto",
    stream: true,
    stream_options: { include_usage: true },
  });
});

Deno.test("a request without tools names none, in every dialect", async () => {
  for (const id of DIALECTS) {
    await using fake = startFakeProvider([OK]);
    const { model } = await connect(id, fake);
    await run(model, { ...REQUEST, tools: [] });
    const { body } = fake.requests[0]!;
    assertEquals(["tools" in body, "tool_choice" in body], [false, false]);
  }
});

Deno.test("anthropic: hidden reasoning goes back as it came, another model's stays away", async () => {
  await using fake = startFakeProvider([
    { parts: [{ redacted: "HIDDEN==" }, { text: "a" }] },
    OK,
    OK,
  ]);
  const { model } = await connect(ANTHROPIC, fake);
  const { message } = await collectReply(
    model.stream(REQUEST, new AbortController().signal),
    model.id,
  );
  const { model: _, ...anonymous } = message;
  for (const said of [message, { ...anonymous, model: "openai-compatible:x" }]) {
    await run(model, { ...REQUEST, messages: [ASKED, said, ASKED] });
  }
  const contents = fake.requests.slice(1).map(({ body }) => body.messages[1].content);
  assertEquals(contents, [
    [
      { type: "redacted_thinking", data: "HIDDEN==" },
      { type: "text", text: "a", cache_control: CACHED },
    ],
    [{ type: "text", text: "a", cache_control: CACHED }],
  ]);
});

Deno.test("anthropic: its reasoning is not sent to a chat server", async () => {
  await using fake = startFakeProvider([OK]);
  const { model } = await connect(CHAT, fake);
  const content = [
    { type: "reasoning", text: "hm", metadata: { anthropic: { signature: "S" } } },
    { type: "text", text: "a" },
  ] as const;
  await run(model, { ...REQUEST, messages: [{ role: "assistant", content, model: ANTHROPIC }] });
  assertEquals(fake.requests[0]?.body.messages[1], { role: "assistant", content: "a" });
});

Deno.test("stop reasons keep the provider's own word", async () => {
  const stops: [string, string, string][] = [
    [ANTHROPIC, "end_turn", "end"],
    [ANTHROPIC, "max_tokens", "max_tokens"],
    [ANTHROPIC, "stop_sequence", "end"],
    [ANTHROPIC, "refusal", "refusal"],
    [ANTHROPIC, "pause_turn", "pause"],
    [ANTHROPIC, "model_context_window_exceeded", "context_full"],
    [ANTHROPIC, "brand_new", "other"],
    [RESPONSES, "completed", "end"],
    [RESPONSES, "max_output_tokens", "max_tokens"],
    [RESPONSES, "content_filter", "refusal"],
    [RESPONSES, "brand_new", "other"],
    [GOOGLE, "STOP", "end"],
    [GOOGLE, "MAX_TOKENS", "max_tokens"],
    [GOOGLE, "SAFETY", "refusal"],
    [GOOGLE, "MALFORMED_FUNCTION_CALL", "error"],
    [GOOGLE, "BRAND_NEW", "other"],
    [CHAT, "stop", "end"],
    [CHAT, "length", "max_tokens"],
    [CHAT, "content_filter", "refusal"],
    [CHAT, "error", "error"],
    [CHAT, "brand_new", "other"],
  ];
  for (const [id, stop, reason] of stops) {
    const { parts } = await runWith(id, [{ parts: [{ text: "a" }], stop }]);
    assertEquals(parts.at(-1) as unknown, { type: "stop", reason, raw: stop });
  }
});

Deno.test("usage holds what was told: absent is not zero, in every dialect", async () => {
  const usages: [string, object | undefined, unknown][] = [
    [ANTHROPIC, { input: 10, output: 5, cached: 200, cacheWrite: 30, reasoning: 2 }, {
      inputTokens: 240,
      cachedInputTokens: 200,
      cacheWriteTokens: 30,
      outputTokens: 5,
      reasoningTokens: 2,
      costUsd: 0.0002775,
    }],
    [ANTHROPIC, { input: 10, output: 5, cached: 0 }, {
      inputTokens: 10,
      cachedInputTokens: 0,
      outputTokens: 5,
      costUsd: 0.000105,
    }],
    [RESPONSES, { input: 10, output: 5, cached: 8, reasoning: 2 }, {
      inputTokens: 10,
      cachedInputTokens: 8,
      outputTokens: 5,
      reasoningTokens: 2,
      totalTokens: 15,
    }],
    [RESPONSES, { input: 10, output: 5 }, { inputTokens: 10, outputTokens: 5, totalTokens: 15 }],
    [RESPONSES, undefined, undefined],
    [GOOGLE, { input: 10, output: 5, cached: 8, reasoning: 2 }, {
      inputTokens: 10,
      cachedInputTokens: 8,
      outputTokens: 5,
      reasoningTokens: 2,
      totalTokens: 15,
      costUsd: 0.0000417,
    }],
    [GOOGLE, undefined, undefined],
    [CHAT, { input: 10, output: 5, cached: 8, reasoning: 2 }, {
      inputTokens: 10,
      cachedInputTokens: 8,
      outputTokens: 5,
      reasoningTokens: 2,
      totalTokens: 15,
    }],
    [CHAT, { input: 10, output: 5 }, { inputTokens: 10, outputTokens: 5, totalTokens: 15 }],
    [CHAT, { input: 10, output: 5, total: null }, { inputTokens: 10, outputTokens: 5 }],
    [CHAT, undefined, undefined],
  ];
  for (const [id, usage, told] of usages) {
    const reply = { parts: [{ text: "a" }], ...(usage === undefined ? {} : { usage }) };
    const { parts } = await runWith(id, [reply]);
    const part = parts.find((part) => part.type === "usage");
    assertEquals(part?.type === "usage" ? part.usage as unknown : undefined, told);
  }
});

Deno.test("anthropic: a limit that the package cuts is said once, not with every request", async () => {
  await using fake = startFakeProvider([OK, OK]);
  const { model } = await connect("anthropic:claude-3-haiku-20240307", fake);
  const request = { ...REQUEST, maxOutputTokens: 100_000 };
  const warnings: number[] = [];
  for (let round = 0; round < 2; round++) {
    const { parts } = await run(model, request);
    warnings.push(parts.filter((part) => part.type === "warning").length);
  }
  assertEquals(warnings, [1, 0]);
});
