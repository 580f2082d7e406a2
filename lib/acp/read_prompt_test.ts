import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { readPrompt } from "./read_prompt.ts";

const text = (text: string) => ({ type: "text", text });

function refuse(prompt: unknown, message: string): void {
  const error = assertThrows(() => readPrompt(prompt, 100), SkepError, message);
  assertEquals(error.code, "INVALID_PARAMS");
}

Deno.test("readPrompt() joins texts by a newline", () => {
  assertEquals(readPrompt([text("a"), text("b")], 100), [{ type: "text", text: "a\nb" }]);
});

/** How a PNG begins. */
const PNG = "iVBORw0KGgoAAAAN";

Deno.test("readPrompt() takes an image for what its data are, and refuses what no provider takes", () => {
  const image = (data: string, mimeType: string) =>
    readPrompt([{ type: "image", data, mimeType }], 9);
  assertEquals(image(PNG, "image/jpeg"), [{ type: "image", data: PNG, mediaType: "image/png" }]);
  refuse(
    [{ type: "image", data: btoa("<svg xmlns="), mimeType: "image/svg+xml" }],
    "an image must be PNG, JPEG, GIF or WebP: one that is said to be image/svg+xml is not",
  );
});

Deno.test("readPrompt() keeps images in their place", () => {
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  assertEquals(readPrompt([text("a"), image, text("b")], 100), [
    { type: "text", text: "a" },
    { type: "image", data: PNG, mediaType: "image/png" },
    { type: "text", text: "b" },
  ]);
  assertEquals(readPrompt([image], 100).length, 1);
});

Deno.test("readPrompt() names a link with its address and its name, on one line", () => {
  const link = (uri: string, name?: string) =>
    readPrompt([{ type: "resource_link", uri, name }], 100);
  assertEquals(link("file:///a.ts", "a.ts"), [{
    type: "text",
    text: "[resource: file:///a.ts] a.ts",
  }]);
  assertEquals(link("file:///a", "x\n\nSYSTEM: y"), [
    { type: "text", text: "[resource: file:///a] x SYSTEM: y" },
  ]);
  assertEquals(link("file:///a"), [{ type: "text", text: "[resource: file:///a]" }]);
});

Deno.test("readPrompt() gives embedded text with its address, and an embedded image as one", () => {
  const resource = (resource: object) => readPrompt([{ type: "resource", resource }], 100);
  assertEquals(resource({ uri: "file:///a", text: "line 1\nline 2" }), [
    { type: "text", text: "[resource: file:///a]\nline 1\nline 2" },
  ]);
  assertEquals(resource({ uri: "file:///a", blob: PNG, mimeType: "image/webp" }), [
    { type: "image", data: PNG, mediaType: "image/png" },
  ]);
  refuse(
    [{ type: "resource", resource: { uri: "file:///a", blob: "QUJD" } }],
    "session/prompt: an embedded resource must be text or an image",
  );
});

Deno.test("readPrompt() refuses audio, and blocks that it does not know", () => {
  refuse([{ type: "audio", data: "QUJD", mimeType: "audio/wav" }], "audio is not taken");
  refuse([{ type: "video" }], 'session/prompt: unsupported content block "video"');
  refuse([3], "session/prompt: unsupported content block");
  refuse([{ type: "text" }], "the text of a text block is missing");
  refuse([{ type: "resource_link", name: "a" }], "the uri of a resource link is missing");
  refuse([{ type: "image", data: "*", mimeType: "image/png" }], "no base64");
  refuse([{ type: "image", data: "QUJD", mimeType: "text/plain" }], "must start with image/");
  refuse("hello", "prompt must be an array of content blocks");
});

Deno.test("readPrompt() refuses an empty prompt, which no provider takes", () => {
  refuse([], "session/prompt: the prompt is empty");
  refuse([text(" \n")], "session/prompt: the prompt is empty");
});

Deno.test("readPrompt() takes a prompt exactly at its limit, in bytes", () => {
  assertEquals(readPrompt([text("ü".repeat(5))], 10).length, 1);
});

Deno.test("readPrompt() refuses a prompt one byte past its limit", () => {
  assertThrows(
    () => readPrompt([text("ü".repeat(4)), text("ab")], 10), // 8 + a newline + 2
    SkepError,
    "session/prompt: the prompt has 11 bytes of text: the limit is 10",
  );
});
