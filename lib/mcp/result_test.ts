import { assertEquals } from "@std/assert";
import { type RawResult, type ReadResult, readResult } from "./result.ts";

const LIMITS = { maxToolResultTextBytes: 1024, maxToolResultBytes: 4096 };

function read(raw: RawResult, limits: Partial<typeof LIMITS> = {}): ReadResult["content"] {
  return readResult(raw, { ...LIMITS, ...limits }).content;
}

const text = (text: string) => ({ type: "text" as const, text });
const image = (data: string) => ({ type: "image", data, mimeType: "image/png" });
const kept = (data: string) => ({ type: "image" as const, data, mediaType: "image/png" });

Deno.test("readResult() joins texts and keeps images in their place (9.8 images preserved in order)", () => {
  const content = [text("a"), text("b"), image("AAAA"), text("c")];
  assertEquals(read({ content }), [text("a\nb"), kept("AAAA"), text("c")]);
});

Deno.test("readResult() takes isError for true only when it is", () => {
  const errors = [true, false, undefined, "true", 1].map((isError) =>
    readResult({ isError }, LIMITS).isError
  );
  assertEquals(errors, [true, false, false, false, false]);
});

Deno.test("readResult() makes notes of what no model takes", () => {
  const content = [
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///a b", name: "a" },
    { type: "resource", resource: { uri: "x:1", blob: "AAAA", mimeType: "application/pdf" } },
    { type: "resource", resource: { uri: "x:2", text: "inside" } },
    { type: "resource" },
    { type: "hologram" },
    {},
    null,
    "bare",
    { type: "text" },
  ];
  assertEquals(read({ content }), [text(
    [
      "[audio elided: audio/wav, 4 bytes]",
      "[resource: file:///a b]",
      "[resource: x:1, application/pdf, 4 bytes]",
      "[resource: x:2]\ninside",
      "[resource: unknown]",
      "[content elided: hologram]",
      "[content elided: unknown]",
      "[content elided: not an object]",
      "[content elided: not an object]",
      "[content elided: a text block without text]",
    ].join("\n"),
  )]);
});

Deno.test("readResult() keeps a note on one line and short", () => {
  const uri = `x:\n[fake] ${"y".repeat(1000)}`;
  assertEquals(read({ content: [{ type: "resource_link", uri }] }), [
    text(`[resource: x: [fake] ${"y".repeat(246)}]`),
  ]);
});

Deno.test("readResult() makes a note of an image that no provider takes", () => {
  const content = [
    { type: "image", data: "not base64!", mimeType: "image/png" },
    { type: "image", data: "AAA", mimeType: "image/png" },
    { type: "image", mimeType: "image/png" },
    { type: "image", data: "AAAA", mimeType: "text/html" },
    { type: "image", data: "AAAA" },
  ];
  assertEquals(read({ content }), [text(
    [
      "[image elided: image/png, its data is not base64]",
      "[image elided: image/png, its data is not base64]",
      "[image elided: image/png, its data is not base64]",
      "[image elided: text/html is no image type]",
      "[image elided: unknown is no image type]",
    ].join("\n"),
  )]);
  assertEquals(read({ content: [image("AA\nAA\n")] }), [kept("AAAA")]);
});

Deno.test("readResult() gives structured content once (T36)", () => {
  const structuredContent = { a: [1, 2], b: "x" };
  assertEquals(read({ content: [text('{ "b": "x", "a": [1, 2] }')], structuredContent }), [
    text('{ "b": "x", "a": [1, 2] }'),
  ]);
  assertEquals(read({ structuredContent }), [text('{"a":[1,2],"b":"x"}')]);
  assertEquals(read({ content: [], structuredContent: null }), []);
});

Deno.test("readResult() keeps structured content that the text does not say", () => {
  const structuredContent = { rows: 2 };
  assertEquals(read({ content: [text("2 rows")], structuredContent }), [
    text('2 rows\n{"rows":2}'),
  ]);
});

Deno.test("readResult() does not show a file twice whose text is the only value of its structured content (T36)", () => {
  const once = (said: string, content: unknown) =>
    read({ content: [text(said)], structuredContent: { content } });
  assertEquals(once("a\nb\n", "a\nb\n"), [text("a\nb\n")]);
  assertEquals(once("a\nb", "a\nb\n"), [text("a\nb")]);
  assertEquals(once("a", "b"), [text('a\n{"content":"b"}')]);
  assertEquals(once("7 rows", 7), [text('7 rows\n{"content":7}')]);
  assertEquals(read({ content: [text("a")], structuredContent: { content: "a", more: "a" } }), [
    text('a\n{"content":"a","more":"a"}'),
  ]);
});

Deno.test("a number or a list that a server wraps as its only value was shown twice (T36)", () => {
  for (
    const [texts, result] of [[["5"], 5], [["[1, 2]"], [1, 2]], [["a", '{"b":1}'], ["a", { b: 1 }]]]
  ) {
    const content = (texts as string[]).map(text);
    const [only, ...more] = read({ content, structuredContent: { result } });
    assertEquals([only, more], [text((texts as string[]).join("\n")), []]);
  }
  const structuredContent = { result: ["a", "b"] };
  const [said] = read({ content: [text("a"), text("c")], structuredContent });
  assertEquals(said, text('a\nc\n{"result":["a","b"]}'));
});

Deno.test("readResult() drops structured content that the server says its text covers (T36)", () => {
  const _meta = { "skep/text-is-complete": true };
  const structuredContent = { diff: "-a\n+b\n" };
  assertEquals(read({ content: [text("-a\n+b\n")], structuredContent, _meta }), [text("-a\n+b\n")]);
});

Deno.test("readResult() takes structured content that is nested deeper than calls can be", () => {
  const structuredContent = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  const [first] = read({ content: [text("x")], structuredContent });
  assertEquals(first?.type === "text" && first.text.startsWith('x\n{"a":[[[['), true);
});

Deno.test("readResult() keeps text exactly at its limit, and elides the middle of one past it (9.8 small text untouched, oversize text keeps head and tail)", () => {
  assertEquals(read({ content: [text("x".repeat(1024))] }), [text("x".repeat(1024))]);
  assertEquals(read({ content: [text("x".repeat(1025))] }), [
    text(
      `${"x".repeat(448)}\n[... 129 of 1025 bytes elided from tool result ...]\n${"x".repeat(448)}`,
    ),
  ]);
});

Deno.test("readResult() shares the text's limit between the runs of text", () => {
  const content = [text("a".repeat(1000)), image("AAAA"), text("b".repeat(100))];
  assertEquals(read({ content }), [text("a".repeat(1000)), kept("AAAA"), text("b".repeat(24))]);
});

Deno.test("readResult() keeps an image exactly at the limit of all, whatever the text's, and elides one past it (9.8 image passes despite small text budget, oversize image elided)", () => {
  const fits = { maxToolResultBytes: 1009 };
  assertEquals(read({ content: [image("A".repeat(1000))] }, fits), [kept("A".repeat(1000))]);
  assertEquals(read({ content: [image("A".repeat(1004))] }, fits), [
    text("[image elided: image/png, 1004 base64 bytes exceeds remaining tool-result budget]"),
  ]);
});

Deno.test("readResult() takes what is no list of content for none", () => {
  for (const content of [undefined, null, "text", {}, 1]) assertEquals(read({ content }), []);
});

Deno.test("readResult() mends halves of surrogate pairs, which providers refuse", () => {
  assertEquals(read({ content: [text("a\ud800b")] }), [text("a\ufffdb")]);
});

Deno.test("readResult() keeps what it cuts, and names where it is", () => {
  const all: unknown[] = [];
  const keep = (content: unknown) => `a${all.push(content)}`;
  const cut = (raw: RawResult, limits = {}) =>
    readResult(raw, { ...LIMITS, ...limits }, (text) => text.replace("SECRET", "***"), keep)
      .content;
  const long = `SECRET${"x".repeat(1018)}`;
  assertEquals(cut({ content: [text("x".repeat(1024))] }), [text("x".repeat(1024))]);
  assertEquals(all, []);
  assertEquals(cut({ content: [text(`${long}${"y".repeat(1000)}`)] }), [text(
    `***${
      "x".repeat(445)
    }\n[... 1125 of 2021 bytes elided from tool result; read_artifact a1 has the whole ...]\n${
      "y".repeat(448)
    }`,
  )]);
  assertEquals(all, [text(`***${"x".repeat(1018)}${"y".repeat(1000)}`)]);
  assertEquals(cut({ content: [image("A".repeat(1004))] }, { maxToolResultBytes: 1009 }), [
    text(
      "[image elided: image/png, 1004 base64 bytes exceeds remaining tool-result budget; read_artifact a2 has it]",
    ),
  ]);
});

Deno.test("readResult() names where a text is kept of which nothing fits", () => {
  const content = [text("a".repeat(1000)), image("AAAA"), text("b".repeat(100))];
  const read = readResult({ content }, LIMITS, undefined, () => "a1").content;
  assertEquals(read.at(-1), text("[the text is cut off; read_artifact a1 has the whole]"));
  const bytes = read.map((block) => block.type === "text" ? block.text.length : 0);
  assertEquals(bytes.reduce((sum, each) => sum + each, 0) <= 1024, true);
});

Deno.test("readResult() keeps links, text and pictures of resources (T36)", () => {
  const content = [
    { type: "resource_link", uri: "file:///a", title: "The plan", name: "plan.md" },
    { type: "resource", resource: { uri: "x:1", blob: "AAAA", mimeType: "image/png" } },
    { type: "resource", resource: { uri: "x:2", text: "inside" } },
  ];
  assertEquals(read({ content }), [
    text("[resource: file:///a, The plan]"),
    kept("AAAA"),
    text("[resource: x:2]\ninside"),
  ]);
});

Deno.test("a text block without text became an empty line, and a link lost its description", () => {
  const content = [
    text("a"),
    { type: "text" },
    { type: "resource_link", uri: "x:1", name: "plan", description: "What\n to do" },
  ];
  assertEquals(read({ content }), [
    text("a\n[content elided: a text block without text]\n[resource: x:1, plan: What to do]"),
  ]);
});
