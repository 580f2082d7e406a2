import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { assertEquals, assertRejects } from "@std/assert";
import { CutStream, toParts } from "./ai_sdk_parts.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import type { ModelPart } from "./model.ts";

type Part = LanguageModelV4StreamPart;

function finish(
  unified: LanguageModelV4FinishReason["unified"],
  raw?: string,
  usage?: Record<string, number>,
): Part {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
  return {
    type: "finish",
    finishReason: { unified, raw },
    usage: {
      inputTokens: none,
      outputTokens: none,
      ...(usage === undefined ? {} : { raw: usage }),
    },
  };
}

const START: Part = { type: "stream-start", warnings: [] };
const text = (delta: string): Part => ({ type: "text-delta", id: "t", delta });
const call = (toolCallId: string): Part => ({
  type: "tool-call",
  toolCallId,
  toolName: "s__t",
  input: '{"a":',
});

async function read(...parts: Part[]): Promise<ModelPart[]> {
  return await Array.fromAsync(toParts(ReadableStream.from(parts), CHAT_DIALECT));
}

/** What was given out before the stream failed, and what it failed with. */
async function readUntilError(...parts: Part[]): Promise<[ModelPart[], unknown]> {
  const given: ModelPart[] = [];
  try {
    for await (const part of toParts(ReadableStream.from(parts), CHAT_DIALECT)) given.push(part);
  } catch (error) {
    return [given, error];
  }
  throw new Error("the stream did not fail");
}

Deno.test("toParts() gives text as it comes, without empty increments", async () => {
  const parts = await read(START, text("a"), text(""), text("b"), finish("stop", "stop"));
  assertEquals(parts, [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
    { type: "stop", reason: "end", raw: "stop" },
  ]);
});

Deno.test("toParts() names each block of reasoning anew, though ids come again", async () => {
  const parts = await read(
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "a" },
    { type: "reasoning-end", id: "r" },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "b" },
    finish("stop", "stop"),
  );
  assertEquals(parts.slice(0, 2), [
    { type: "reasoning", text: "a", block: "1" },
    { type: "reasoning", text: "b", block: "2" },
  ]);
});

Deno.test("toParts() gives a block's metadata with its end, wherever it came", async () => {
  const parts = await read(
    { type: "reasoning-start", id: "0", providerMetadata: { acme: { a: 1 } } },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { acme: { signature: "S" } } },
    { type: "reasoning-end", id: "0", providerMetadata: { acme: { b: 2 } } },
    finish("stop", "stop"),
  );
  assertEquals(parts.slice(0, 2), [
    { type: "reasoning", text: "hm", block: "1" },
    { type: "reasoning", text: "", block: "1", metadata: { acme: { a: 1, signature: "S", b: 2 } } },
  ]);
});

Deno.test("toParts() keeps a call's input as the model wrote it, and its metadata", async () => {
  const providerMetadata = { acme: { thoughtSignature: "T" } };
  const parts = await read(
    { ...call("1") as Part & { type: "tool-call" }, providerMetadata },
    call(""),
    finish("tool-calls", "tool_calls"),
  );
  assertEquals(parts, [
    { type: "call", id: "1", name: "s__t", input: '{"a":', metadata: providerMetadata },
    { type: "call", id: "", name: "s__t", input: '{"a":' },
    { type: "stop", reason: "calls", raw: "tool_calls" },
  ]);
});

Deno.test("toParts() gives out no call of a reply that breaks off", async () => {
  const failure = { message: "Overloaded" };
  const broken: Part[][] = [
    [text("a"), call("1")],
    [text("a"), call("1"), { type: "error", error: failure }],
    [text("a"), call("1"), finish("interrupted")],
    [text("a"), call("1"), text("b"), finish("error")],
  ];
  for (const parts of broken) {
    assertEquals((await readUntilError(START, ...parts))[0], [{ type: "text", text: "a" }]);
  }
});

Deno.test("toParts() keeps the order of what follows a call", async () => {
  const parts = await read(text("a"), call("1"), text("b"), call("2"), finish("stop", "stop"));
  assertEquals(parts.map((part) => part.type), ["text", "call", "text", "call", "stop"]);
});

Deno.test("toParts() throws what an error part holds", async () => {
  const failure = { type: "overloaded_error", message: "Overloaded" };
  const [given, error] = await readUntilError(START, text("a"), { type: "error", error: failure });
  assertEquals([given, error], [[{ type: "text", text: "a" }], failure]);
});

Deno.test("toParts() throws when the stream ends without a stop, or with one that tells nothing", async () => {
  const cuts: Part[][] = [
    [START],
    [text("a")],
    [finish("interrupted")],
    [finish("error")],
    [finish("other")],
    [finish("other", "")],
  ];
  for (const parts of cuts) await assertRejects(() => read(...parts), CutStream);
});

Deno.test("toParts() tells the stops apart, by the provider's own word where it says more", async () => {
  const stops: [LanguageModelV4FinishReason["unified"], string, string][] = [
    ["stop", "end_turn", "end"],
    ["stop", "pause_turn", "pause"],
    ["length", "max_tokens", "max_tokens"],
    ["length", "model_context_window_exceeded", "context_full"],
    ["content-filter", "refusal", "refusal"],
    ["tool-calls", "tool_calls", "calls"],
    ["other", "error", "error"],
    ["other", "eos_token", "end"],
    ["other", "constructor", "other"],
  ];
  for (const [unified, raw, reason] of stops) {
    assertEquals(await read(finish(unified, raw)) as unknown, [{ type: "stop", reason, raw }]);
  }
});

Deno.test("toParts() stops for calls when there are some, though the server says stop", async () => {
  assertEquals((await read(call("1"), finish("stop", "stop"))).at(-1), {
    type: "stop",
    reason: "calls",
    raw: "stop",
  });
  assertEquals((await read(call("1"), finish("length", "length"))).at(-1), {
    type: "stop",
    reason: "max_tokens",
    raw: "length",
  });
});

Deno.test("toParts() gives usage only when the provider told of it", async () => {
  assertEquals(await read(finish("stop", "stop", { prompt_tokens: 3 })), [
    { type: "usage", usage: { inputTokens: 3 } },
    { type: "stop", reason: "end", raw: "stop" },
  ]);
  assertEquals((await read(finish("stop", "stop"))).length, 1);
});

Deno.test("toParts() gives warnings with the first part, none of a reply that never began", async () => {
  const start: Part = {
    type: "stream-start",
    warnings: [
      { type: "unsupported", feature: "topK" },
      { type: "compatibility", feature: "maxOutputTokens", details: "cut to 8192" },
      { type: "other", message: "odd" },
    ],
  };
  assertEquals(await read(start, text("a"), finish("stop", "stop")), [
    { type: "warning", message: "topK: unsupported" },
    { type: "warning", message: "maxOutputTokens: cut to 8192" },
    { type: "warning", message: "odd" },
    { type: "text", text: "a" },
    { type: "stop", reason: "end", raw: "stop" },
  ]);
  assertEquals((await readUntilError(start))[0], []);
});

Deno.test("toParts() leaves out what the provider runs by itself", async () => {
  const own: Part = { ...call("1") as Part & { type: "tool-call" }, providerExecuted: true };
  assertEquals((await read(own, { type: "ping" }, finish("stop", "stop"))).length, 1);
});
