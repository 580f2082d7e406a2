import { assertEquals } from "@std/assert";
import type { ModelPart } from "./model.ts";
import { collectReply, ReplyBuilder } from "./reply.ts";

function built(parts: readonly ModelPart[], taken: readonly string[] = []): ReplyBuilder {
  const reply = new ReplyBuilder("acme:m", taken);
  for (const part of parts) reply.add(part);
  return reply;
}

const text = (text: string): ModelPart => ({ type: "text", text });
const thought = (block: string, text: string, metadata?: Record<string, unknown>): ModelPart => ({
  type: "reasoning",
  block,
  text,
  ...(metadata === undefined ? {} : { metadata }),
});
const call = (id: string, name = "s__t"): ModelPart => ({ type: "call", id, name, input: "{}" });

Deno.test("ReplyBuilder joins increments of text, and keeps the order of what is between", () => {
  assertEquals(built([text("a"), text("b"), call("1"), text("c"), text("d")]).content, [
    { type: "text", text: "ab" },
    { type: "call", id: "1", name: "s__t", input: "{}" },
    { type: "text", text: "cd" },
  ]);
});

Deno.test("ReplyBuilder joins reasoning by its block, though blocks take turns", () => {
  const parts = [
    thought("1", "a"),
    thought("2", "x"),
    thought("1", "b", { acme: { signature: "S" } }),
    text("so"),
    thought("2", "y"),
  ];
  assertEquals(built(parts).content, [
    { type: "reasoning", text: "ab", metadata: { acme: { signature: "S" } } },
    { type: "reasoning", text: "xy" },
    { type: "text", text: "so" },
  ]);
});

Deno.test("ReplyBuilder keeps hidden reasoning, which is metadata alone, and drops empty blocks", () => {
  const parts = [thought("1", "", { acme: { hidden: "H" } }), thought("2", ""), text("")];
  assertEquals(built(parts).content, [
    { type: "reasoning", text: "", metadata: { acme: { hidden: "H" } } },
  ]);
});

Deno.test("ReplyBuilder makes an empty, a repeated and a taken call id unique", () => {
  const { content } = built([call("a"), call("a"), call(""), call(" "), call("old")], [
    "old",
    "a-2",
  ]);
  assertEquals(content.map((part) => part.type === "call" && part.id), [
    "a",
    "a-3",
    "call",
    "call-2",
    "old-2",
  ]);
});

Deno.test("ReplyBuilder keeps a call's metadata and its input as the model wrote it", () => {
  const part: ModelPart = { type: "call", id: "1", name: "t", input: '{"a":', metadata: { m: 1 } };
  assertEquals(built([part]).content, [part]);
});

Deno.test("ReplyBuilder takes the last usage, and knows none until it is told", () => {
  assertEquals(built([]).usage, undefined);
  const parts: ModelPart[] = [
    { type: "usage", usage: { inputTokens: 5 } },
    { type: "usage", usage: { outputTokens: 7 } },
  ];
  assertEquals(built(parts).usage, { outputTokens: 7 });
});

Deno.test("ReplyBuilder has no stop until there is one", () => {
  assertEquals(built([text("a")]).stop, undefined);
  assertEquals(built([{ type: "stop", reason: "end" }]).stop, { reason: "end" });
  assertEquals(built([{ type: "stop", reason: "other", raw: "why" }]).stop, {
    reason: "other",
    raw: "why",
  });
});

Deno.test("collectReply() gives the message with its model, the usage and the stop", async () => {
  async function* parts(): AsyncGenerator<ModelPart> {
    yield { type: "warning", message: "w" };
    yield text("a");
    yield { type: "usage", usage: { inputTokens: 1 } };
    yield { type: "stop", reason: "end", raw: "end_turn" };
  }
  assertEquals(await collectReply(parts(), "acme:m"), {
    message: { role: "assistant", content: [{ type: "text", text: "a" }], model: "acme:m" },
    usage: { inputTokens: 1 },
    stop: { reason: "end", raw: "end_turn" },
  });
});
