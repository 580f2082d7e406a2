import { assertEquals } from "@std/assert";
import { toPrompt } from "./ai_sdk_prompt.ts";
import { ANTHROPIC_DIALECT } from "./anthropic_dialect.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import type { Message, ToolResult } from "./message.ts";

type Prompt = ReturnType<typeof toPrompt>;

const anthropic = (messages: readonly Message[], system = ""): Prompt =>
  toPrompt({ system, messages }, "anthropic", ANTHROPIC_DIALECT);
const chat = (messages: readonly Message[]): Prompt =>
  toPrompt({ system: "", messages }, "openai-compatible", CHAT_DIALECT);

const user = (...texts: string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const PIXEL = { type: "image", data: "AAAA", mediaType: "image/png" } as const;
const FILE = {
  type: "file",
  data: { type: "data", data: "AAAA" },
  mediaType: "image/png",
} as const;

function tool(...results: (Partial<ToolResult> & Pick<ToolResult, "content">)[]): Message {
  const filled = results.map((result) => ({
    callId: "c1",
    name: "s__t",
    isError: false,
    ...result,
  }));
  return { role: "tool", results: filled };
}

function assistant(
  model: string | undefined,
  content: Extract<Message, { role: "assistant" }>["content"],
): Message {
  return { role: "assistant", content, ...(model === undefined ? {} : { model }) };
}

/** The output of the only result in the prompt. */
function outputOf(prompt: Prompt): unknown {
  const [message] = prompt.filter((message) => message.role === "tool");
  const [part] = message?.content ?? [];
  return part?.type === "tool-result" ? part.output : undefined;
}

Deno.test("toPrompt() sends the system prompt first, and none that is blank", () => {
  assertEquals(anthropic([user("hi")], "Be brief."), [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "hi" }] },
  ]);
  assertEquals(anthropic([user("hi")], " \n").map(({ role }) => role), ["user"]);
});

Deno.test("toPrompt() never sends a blank text, nor a message of blank texts alone", () => {
  const messages = [
    user("", "a", " \n"),
    user(""),
    assistant("anthropic:c", [{
      type: "text",
      text: "\n\n",
    }]),
  ];
  assertEquals(anthropic(messages), [{ role: "user", content: [{ type: "text", text: "a" }] }]);
});

Deno.test("toPrompt() keeps consecutive user messages, and images in them", () => {
  assertEquals(chat([user("a"), { role: "user", content: [PIXEL] }]), [
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "user", content: [FILE] },
  ]);
});

const SIGNED = {
  type: "reasoning",
  text: "hm",
  metadata: { anthropic: { signature: "S" } },
} as const;
const CALL = { type: "call", id: "c1", name: "s__t", input: '{"a":1}' } as const;

Deno.test("toPrompt() gives signed reasoning back to the provider that signed it, to no other", () => {
  const history = [user("a"), assistant("anthropic:old-model", [SIGNED, CALL])];
  const call = { type: "tool-call", toolCallId: "c1", toolName: "s__t", input: { a: 1 } };
  const reasoning = {
    type: "reasoning",
    text: "hm",
    providerOptions: { anthropic: { signature: "S" } },
  };
  assertEquals(anthropic(history)[1]?.content as unknown, [reasoning, call]);
  assertEquals(chat(history)[1]?.content as unknown, [call]);
  const unknown = [user("a"), assistant(undefined, [SIGNED, CALL])];
  assertEquals(anthropic(unknown)[1]?.content as unknown, [call]);
});

Deno.test("toPrompt() gives Anthropic no reasoning without a signature", () => {
  const history = [assistant("anthropic:c", [{ type: "reasoning", text: "hm" }, CALL])];
  assertEquals((anthropic(history)[0]?.content as { type: string }[]).map(({ type }) => type), [
    "tool-call",
  ]);
});

Deno.test("toPrompt() gives a chat server its reasoning of this turn alone", () => {
  const said = assistant("openai-compatible:m", [{ type: "reasoning", text: "hm" }, CALL]);
  const types = chat([user("a"), said, user("b"), said]).map(({ role, content }) =>
    role === "assistant" ? content.map(({ type }) => type) : role
  );
  assertEquals(types, ["user", ["tool-call"], "user", ["reasoning", "tool-call"]]);
});

Deno.test("toPrompt() drops reasoning at the end of a message, which led to nothing", () => {
  const cut = assistant("anthropic:c", [{ type: "text", text: "a" }, SIGNED]);
  assertEquals(anthropic([cut]), [
    { role: "assistant", content: [{ type: "text", text: "a" }] },
  ]);
  assertEquals(anthropic([assistant("anthropic:c", [SIGNED])]), []);
});

Deno.test("toPrompt() gives a call's metadata back to the provider that gave it, to no other", () => {
  const metadata = { "openai-compatible": { thoughtSignature: "T" } };
  const history = [assistant("openai-compatible:m", [{ ...CALL, metadata }])];
  const options = (prompt: Prompt) =>
    (prompt[0]?.content as { providerOptions?: unknown }[])[0]?.providerOptions;
  assertEquals(options(chat(history)), metadata);
  assertEquals(options(anthropic(history)), undefined);
});

Deno.test("toPrompt() sends arguments as an object, also those that are none", () => {
  const inputs: [string, unknown][] = [
    ['{"a":[1]}', { a: [1] }],
    ["", {}],
    ['{"a":', { invalid_arguments: '{"a":' }],
    ["[1]", { invalid_arguments: "[1]" }],
    ["null", { invalid_arguments: "null" }],
  ];
  for (const [input, sent] of inputs) {
    const [message] = chat([assistant("openai-compatible:m", [{ ...CALL, input }])]);
    assertEquals((message?.content as { input: unknown }[])[0]?.input, sent);
  }
});

Deno.test("toPrompt() joins a result's texts, and marks an error", () => {
  const content = [{ type: "text", text: "a" }, { type: "text", text: " " }, {
    type: "text",
    text: "b",
  }] as const;
  assertEquals(outputOf(anthropic([tool({ content })])), { type: "text", value: "a\nb" });
  assertEquals(outputOf(chat([tool({ content, isError: true })])), {
    type: "error-text",
    value: "a\nb",
  });
});

Deno.test("toPrompt() sends an empty result as an empty text, an empty error with a reason", () => {
  assertEquals(outputOf(chat([tool({ content: [] })])), { type: "text", value: "" });
  assertEquals(outputOf(anthropic([tool({ content: [], isError: true })])), {
    type: "error-text",
    value: "The tool failed and gave no reason",
  });
});

Deno.test("toPrompt() puts a result's images into it for Anthropic", () => {
  const content = [{ type: "text", text: "see" }, PIXEL, { type: "text", text: "" }] as const;
  const prompt = anthropic([tool({ content })]);
  assertEquals(prompt.length, 1);
  assertEquals(outputOf(prompt), { type: "content", value: [{ type: "text", text: "see" }, FILE] });
});

Deno.test("toPrompt() puts images after all adjacent results for chat servers", () => {
  const results = [
    tool({ content: [{ type: "text", text: "see" }, PIXEL] }),
    tool({ callId: "c2", content: [{ type: "text", text: "b" }] }),
    user("next"),
  ];
  const [first, second, third] = chat(results);
  assertEquals(
    (first?.content as { toolCallId: string; output: unknown }[]).map((part) => [
      part.toolCallId,
      part.output,
    ]),
    [
      ["c1", { type: "text", value: "see\n[image/png: see the next user message]" }],
      ["c2", { type: "text", value: "b" }],
    ],
  );
  assertEquals(second, {
    role: "user",
    content: [{ type: "text", text: "From the result of call c1, s__t:" }, FILE],
  });
  assertEquals(third, { role: "user", content: [{ type: "text", text: "next" }] });
});

Deno.test("toPrompt() puts the images of an error after it, since only a text is marked", () => {
  const prompt = anthropic([tool({ content: [PIXEL], isError: true })]);
  assertEquals(outputOf(prompt), {
    type: "error-text",
    value: "[image/png: see the next user message]",
  });
  assertEquals(prompt[1]?.role, "user");
});

Deno.test("toPrompt() puts the runtime's note behind what the tool said", () => {
  const failed = tool({
    content: [{ type: "text", text: "no such file" }],
    isError: true,
    note: "[Reflect] Look first.",
  });
  assertEquals(outputOf(anthropic([failed])), {
    type: "error-text",
    value: "no such file\n[Reflect] Look first.",
  });
});
