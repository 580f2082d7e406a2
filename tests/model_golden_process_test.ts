// The requests of each further provider, to the letter, at a real HTTP server.
// Needs --allow-net=127.0.0.1, and what the AI SDK's packages ask for when they are loaded:
// --allow-env --allow-sys=hostname.
import { assertEquals, assertMatch } from "@std/assert";
import { FAKE_KEYS, type FakeReply, startFakeProvider } from "./fake_provider.ts";
import {
  ASKED,
  BEDROCK,
  connect,
  GOOGLE,
  OK,
  OPENROUTER,
  REQUEST,
  RESPONSES,
  run,
  textOf,
  twoRounds,
} from "./model_harness.ts";
import { collectReply } from "../lib/model/reply.ts";

const SCHEMA = { type: "object", properties: { a: { type: "integer" } } };
const FUNCTION = { name: "s__t", description: "Does it.", parameters: SCHEMA };
const LIFTED = "From the result of call c_3, s__t:";
const SEE = "see\n[image/png: see the next user message]";

Deno.test("openai: the second round of Responses sends all back, and stores nothing", async () => {
  const { path, headers, body } = await twoRounds(RESPONSES);
  assertEquals([path, headers.authorization, headers["user-agent"]?.split("/")[0]], [
    "/v1/responses",
    `Bearer ${FAKE_KEYS.openai}`,
    "skep",
  ]);
  const call = (call_id: string, text: string) => (
    { type: "function_call", call_id, name: "s__t", arguments: text }
  );
  assertEquals(body, {
    model: "gpt-5.5",
    input: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "go" }] },
      {
        type: "reasoning",
        id: "rs_0",
        encrypted_content: "SIG==",
        summary: [{ type: "summary_text", text: "I think." }],
      },
      { role: "assistant", content: "Calling." },
      call("c_1", '{"a":1}'),
      call("c_2", '{"invalid_arguments":"{\\"a\\":"}'),
      call("c_3", "{}"),
      { type: "function_call_output", call_id: "c_1", output: "one" },
      { type: "function_call_output", call_id: "c_2", output: '{"error":"denied"}' },
      { type: "function_call_output", call_id: "c_3", output: SEE },
      {
        role: "user",
        content: [
          { type: "input_text", text: LIFTED },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        ],
      },
    ],
    max_output_tokens: 1000,
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", ...FUNCTION, strict: false }],
    tool_choice: "auto",
    stream: true,
  });
});

Deno.test("google: the second round signs its calls, and sends images in their results", async () => {
  const { path, headers, body } = await twoRounds(GOOGLE);
  assertEquals([path, headers["x-goog-api-key"]], [
    "/v1beta/models/gemini-3.6-flash:streamGenerateContent?alt=sse",
    FAKE_KEYS.google,
  ]);
  const response = (id: string, fields: Record<string, unknown>, more = {}) => (
    { functionResponse: { id, name: "s__t", response: { name: "s__t", ...fields }, ...more } }
  );
  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  assertEquals(body, {
    generationConfig: { maxOutputTokens: 1000, thinkingConfig: { includeThoughts: true } },
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "Calling." },
          {
            functionCall: { id: "c_1", name: "s__t", args: { a: 1 } },
            thoughtSignature: "CALL==",
          },
          { functionCall: { id: "c_2", name: "s__t", args: {} } },
          { functionCall: { id: "c_3", name: "s__t", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          response("c_1", { content: "one" }),
          response("c_2", { error: "denied" }),
          response("c_3", { content: "see" }, { parts: [image] }),
        ],
      },
    ],
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [{
      functionDeclarations: [{
        name: "s__t",
        description: "Does it.",
        parametersJsonSchema: SCHEMA,
      }],
    }],
  });
});

Deno.test("google: a tool's name that it refuses has another one there, and its own here", async () => {
  await using fake = startFakeProvider([{ parts: [{ call: "_9gag__t", input: "{}" }] }, OK]);
  const { model } = await connect(GOOGLE, fake);
  const tools = [{ name: "9gag__t", description: "d", inputSchema: { type: "object" } }];
  const request = { ...REQUEST, tools };
  const { signal } = new AbortController();
  const { message } = await collectReply(model.stream(request, signal), model.id);
  assertEquals(message.content.flatMap((part) => part.type === "call" ? [part.name] : []), [
    "9gag__t",
  ]);
  await run(model, { ...request, messages: [ASKED, message] });
  const [first, second] = fake.requests.map(({ body }) => body);
  assertEquals(first.tools[0].functionDeclarations[0].name, "_9gag__t");
  assertEquals(second.contents[1].parts[0].functionCall.name, "_9gag__t");
  assertEquals(second.contents[2].parts[0].functionResponse.name, "_9gag__t");
});

/** A reply whose reasoning comes in two increments of one detail, and one of another. */
const DETAILED: FakeReply = {
  parts: [
    ...[
      [{ type: "reasoning.text", index: 0, text: "I ", format: "anthropic-claude-v1" }],
      [{ type: "reasoning.text", index: 0, text: "think.", signature: "SIG==" }],
      [{ type: "reasoning.encrypted", index: 1, data: "HIDDEN==" }],
    ].map((reasoning_details) => ({
      raw: `data: ${
        JSON.stringify({
          id: "1",
          model: "anthropic/claude-sonnet-4.5",
          choices: [{ index: 0, delta: { reasoning: "x", reasoning_details } }],
        })
      }\n\n`,
    })),
    { text: "Hi." },
  ],
};

Deno.test("openrouter: reasoning goes back in its details, to the letter, to that model alone", async () => {
  await using fake = startFakeProvider([DETAILED, OK, OK]);
  const { model } = await connect(OPENROUTER, fake);
  const { signal } = new AbortController();
  const { message } = await collectReply(model.stream(REQUEST, signal), model.id);
  const messages = [ASKED, message, ASKED];
  await run(model, { ...REQUEST, messages });
  await run((await connect("openrouter:openai/gpt-5.5", fake)).model, { ...REQUEST, messages });
  const [, own, other] = fake.requests.map(({ body }) => body.messages[2]);
  assertEquals(own, {
    role: "assistant",
    content: "Hi.",
    reasoning_details: [
      {
        type: "reasoning.text",
        index: 0,
        text: "I think.",
        format: "anthropic-claude-v1",
        signature: "SIG==",
      },
      { type: "reasoning.encrypted", index: 1, data: "HIDDEN==" },
    ],
  });
  assertEquals(other, { role: "assistant", content: "Hi." });
});

Deno.test("openrouter: Anthropic's models get their marks for the cache, headers our name", async () => {
  const { path, headers, body } = await twoRounds(OPENROUTER);
  const { authorization, "x-openrouter-title": title } = headers;
  assertEquals([path, authorization, title], [
    "/api/v1/chat/completions",
    `Bearer ${FAKE_KEYS.openrouter}`,
    "skep",
  ]);
  const cache_control = { type: "ephemeral" };
  const marked = (text: string) => [{ type: "text", text, cache_control }];
  assertEquals(body.messages[0], { role: "system", content: marked("Be brief.") });
  assertEquals(body.messages[1], { role: "user", content: marked("go") });
  assertEquals(body.tools, [{ type: "function", function: { ...FUNCTION, cache_control } }]);
  const { model, max_tokens, messages: _, tools: __, ...rest } = body;
  assertEquals([model, max_tokens], ["anthropic/claude-sonnet-4.5", 1000]);
  assertEquals(rest, {
    tool_choice: "auto",
    stream: true,
    stream_options: { include_usage: true },
  });
});

Deno.test("openrouter: the cost is what it says itself", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.5 };
  const raw = `data: ${JSON.stringify({ id: "1", choices: [], usage })}\n\n`;
  await using fake = startFakeProvider([{ parts: [{ text: "a" }, { raw }] }]);
  const { parts } = await run((await connect(OPENROUTER, fake)).model);
  const told = parts.find((part) => part.type === "usage");
  assertEquals(told?.type === "usage" && told.usage.costUsd, 0.5);
});

Deno.test("azure: a deployment is asked in Responses, its key in a header of its own", async () => {
  const { path, headers, body } = await twoRounds("azure:my-gpt-5");
  assertEquals([path, headers["api-key"], headers.authorization], [
    "/openai/v1/responses",
    FAKE_KEYS.azure,
    undefined,
  ]);
  assertEquals([body.model, body.store, body.include], [
    "my-gpt-5",
    false,
    ["reasoning.encrypted_content"],
  ]);
});

Deno.test("amazon-bedrock: the second round sends all back, marked for the cache", async () => {
  const { path, headers, body } = await twoRounds(BEDROCK);
  assertEquals([path, headers.authorization], [
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
    `Bearer ${FAKE_KEYS["amazon-bedrock"]}`,
  ]);
  const cachePoint = { cachePoint: { type: "default" } };
  const use = (toolUseId: string, input: object) => ({
    toolUse: { toolUseId, name: "s__t", input },
  });
  const result = (toolUseId: string, content: object[]) => ({ toolResult: { toolUseId, content } });
  assertEquals(body, {
    system: [{ text: "Be brief." }, cachePoint],
    messages: [
      { role: "user", content: [{ text: "go" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "I think.", signature: "SIG==" } } },
          { text: "Calling." },
          use("c_1", { a: 1 }),
          use("c_2", { invalid_arguments: '{"a":' }),
          use("c_3", {}),
          cachePoint,
        ],
      },
      {
        role: "user",
        content: [
          result("c_1", [{ text: "one" }]),
          result("c_2", [{ text: "denied" }]),
          result("c_3", [
            { text: "see" },
            { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
          ]),
          cachePoint,
        ],
      },
    ],
    inferenceConfig: { maxTokens: 1000 },
    additionalModelResponseFieldPaths: ["/delta/stop_sequence"],
    toolConfig: {
      tools: [{
        toolSpec: { name: "s__t", description: "Does it.", inputSchema: { json: SCHEMA } },
      }],
      toolChoice: { auto: {} },
    },
  });
});

Deno.test("amazon-bedrock: access keys sign each request, and are not sent", async () => {
  await using fake = startFakeProvider([OK]);
  const { AWS_BEARER_TOKEN_BEDROCK: _, ...rest } = fake.env;
  const secret = "aws-secret-0123456789abcdef";
  const env = { ...rest, AWS_ACCESS_KEY_ID: "AKIAFAKE", AWS_SECRET_ACCESS_KEY: secret };
  const { parts, error } = await run((await connect(BEDROCK, { ...fake, env })).model);
  assertEquals([textOf(parts), error], ["fine", undefined]);
  const { authorization = "" } = fake.requests[0]!.headers;
  assertMatch(
    authorization,
    /^AWS4-HMAC-SHA256 Credential=AKIAFAKE\/\d{8}\/eu-test-1\/bedrock\/aws4_request, SignedHeaders=/,
  );
  assertEquals(JSON.stringify(fake.requests[0]).includes(secret), false);
});

Deno.test("databricks: a serving endpoint is named by the path, and by nothing in the body", async () => {
  const { path, headers, body } = await twoRounds("databricks:my-llama");
  assertEquals([path, headers.authorization], [
    "/serving-endpoints/my-llama/invocations",
    `Bearer ${FAKE_KEYS.databricks}`,
  ]);
  assertEquals(Object.keys(body).toSorted(), [
    "max_completion_tokens",
    "messages",
    "stream",
    "tool_choice",
    "tools",
  ]);
  assertEquals(body.messages[2].reasoning_content, undefined);
});

Deno.test("databricks_v2: the endpoint's name decides on the protocol, and the key is a bearer's", async () => {
  const routes: [string, string][] = [
    ["databricks-gpt-5-5", "/ai-gateway/openai/v1/responses"],
    ["databricks-claude-opus-4-7", "/ai-gateway/anthropic/v1/messages"],
    ["my-llama", "/ai-gateway/mlflow/v1/chat/completions"],
  ];
  for (const [name, expected] of routes) {
    const { path, headers, body } = await twoRounds(`databricks_v2:${name}`);
    assertEquals([path, body.model, headers.authorization], [
      expected,
      name,
      `Bearer ${FAKE_KEYS.databricks}`,
    ]);
    const own = ["x-api-key", "anthropic-version", "anthropic-beta"].filter((each) =>
      each in headers
    );
    assertEquals(own, []);
  }
});

Deno.test("openai: a chat server that wants Responses gets them, once and from then on", async () => {
  await using fake = startFakeProvider(({ path }) =>
    path.endsWith("/responses") ? OK : {
      status: 400,
      body:
        '{"error":{"message":"This model is only supported in v1/responses: use /v1/responses"}}',
    }
  );
  const { model } = await connect("openai:o9-pro", fake);
  for (let round = 0; round < 2; round++) {
    const { parts, error } = await run(model);
    assertEquals([textOf(parts), error], ["fine", undefined]);
  }
  assertEquals(fake.requests.map(({ path }) => path), [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/responses",
  ]);
});

Deno.test("openai: no other failure makes it try Responses, nor does one when chat was chosen", async () => {
  const body = '{"error":{"message":"use the Responses API"}}';
  for (const status of [401, 403, 404]) {
    await using fake = startFakeProvider(() => ({ status, body }));
    await run((await connect("openai:m", fake)).model);
    assertEquals(fake.requests.length, 1);
  }
  await using fake = startFakeProvider(() => ({ status: 400, body }));
  const env = { ...fake.env, OPENAI_COMPAT_API: "chat" };
  await run((await connect("openai:m", { ...fake, env })).model);
  assertEquals(fake.requests.map(({ path }) => path), ["/v1/chat/completions"]);
});
