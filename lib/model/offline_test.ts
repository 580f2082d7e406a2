import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Message, ToolDefinition, ToolResult } from "./message.ts";
import type { ModelPart } from "./model.ts";
import { offlineModel } from "./offline.ts";

const READ: ToolDefinition = {
  name: "dev__read_file",
  description: "Reads a file.\nMore of it.",
  inputSchema: {
    type: "object",
    properties: { offset: { type: "integer" }, path: { type: "string" } },
    required: ["path"],
  },
};

async function partsFor(
  messages: readonly Message[],
  tools = [READ],
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const request = { system: "", messages, tools, maxOutputTokens: 1 };
  return await Array.fromAsync(offlineModel().stream(request, signal));
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** The text of an answer that ends the turn. */
async function answerTo(messages: readonly Message[], tools?: ToolDefinition[]): Promise<string> {
  const parts = await partsFor(messages, tools);
  assertEquals(parts.at(-1), { type: "stop", reason: "end" });
  return parts.map((part) => part.type === "text" ? part.text : "").join("");
}

function results(...contents: ToolResult["content"][]): Message {
  const all = contents.map((content, index) => (
    { callId: `call_${index + 1}`, name: "dev__read_file", isError: index === 1, content }
  ));
  return { role: "tool", results: all };
}

const text = (text: string) => ({ type: "text", text }) as const;

Deno.test("offlineModel() says in one line that it is no AI, and what to set for one", () => {
  const { notice = "" } = offlineModel();
  for (
    const word of ["No model provider is configured", "no AI", "SKEP_MODEL", "ANTHROPIC_API_KEY"]
  ) {
    assertStringIncludes(notice, word);
  }
  for (const word of ["OPENAI_COMPAT_BASE_URL", "OPENAI_COMPAT_API_KEY"]) {
    assertStringIncludes(notice, word);
  }
  assertEquals(notice.includes("\n"), false);
});

Deno.test("offlineModel() turns each line into a call, with ids that are new in the history", async () => {
  const before: Message[] = [
    user("/dev__read_file path=x"),
    {
      role: "assistant",
      content: [{ type: "call", id: "call_1", name: "dev__read_file", input: "{}" }],
    },
    results([text("x")]),
  ];
  const prompt = user("/dev__read_file path=a\n/dev__read_file path=b offset=2");
  assertEquals(await partsFor([...before, prompt]), [
    { type: "call", id: "call_2", name: "dev__read_file", input: '{"path":"a"}' },
    { type: "call", id: "call_3", name: "dev__read_file", input: '{"path":"b","offset":2}' },
    { type: "stop", reason: "calls" },
  ]);
});

Deno.test("offlineModel() gives the results' text word for word, in order, images by type", async () => {
  const image = { type: "image", data: "AAAA", mediaType: "image/png" } as const;
  const message = results([text("  1\ta \n")], [text("denied"), image], [], [text("b")]);
  assertEquals(await answerTo([message]), "  1\ta \ndenied\n[image: image/png]\nb");
});

Deno.test("offlineModel() says nothing when the results are empty", async () => {
  assertEquals(await partsFor([results([])]), [{ type: "stop", reason: "end" }]);
});

Deno.test("offlineModel() looks at the last message alone, so that nothing old is run again", async () => {
  assertStringIncludes(
    await answerTo([user("/dev__read_file path=a"), user("hello")]),
    "offline interpreter",
  );
});

Deno.test("offlineModel() reads commands from texts, whatever pictures are with them", async () => {
  const image = { type: "image", data: "AAAA", mediaType: "image/png" } as const;
  const content = [image, text("/dev__read_file"), text("/dev__read_file path=b")];
  const parts = await partsFor([{ role: "user", content }]);
  assertEquals(parts.map((part) => part.type), ["call", "call", "stop"]);
});

Deno.test("offlineModel() lists the tools as they are called", async () => {
  assertEquals(
    await answerTo([user("/tools")]),
    "/dev__read_file path=STRING [offset=INTEGER]\n    Reads a file.",
  );
  assertEquals(await answerTo([user("/tools")], []), "There are no tools.");
});

Deno.test("offlineModel() helps, and answers other text with what it can do", async () => {
  const help = await answerTo([user("/help")]);
  for (const word of ["/TOOL key=value", "/TOOL {json}", "/tools", "no AI", "SKEP_MODEL"]) {
    assertStringIncludes(help, word);
  }
  assertStringIncludes(await answerTo([user("What is 2 + 2?")]), "/TOOL key=value");
  assertStringIncludes(await answerTo([]), "/TOOL key=value");
});

Deno.test("offlineModel() runs nothing when a line is at fault, and says why", async () => {
  assertEquals(
    await answerTo([user("/dev__read_file path=a\n/read_file path=b")]),
    'Line 2: There is no tool "read_file"; did you mean /dev__read_file?\nNothing was run.',
  );
});

Deno.test("offlineModel() is cancelled by its signal", async () => {
  const error = await assertRejects(
    () => partsFor([user("/help")], [READ], AbortSignal.abort()),
    SkepError,
  );
  assertEquals(error.code, "CANCELLED");
});
