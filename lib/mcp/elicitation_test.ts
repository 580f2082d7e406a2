import { assertEquals } from "@std/assert";
import { type Elicitation, readElicitation, toElicitResult } from "./elicitation.ts";

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string", default: "Ann" }, age: { type: "integer" } },
};

Deno.test("readElicitation() reads a form and a page, and nothing that could not be answered", () => {
  const read = (params: unknown) => readElicitation("s", params, { maxQuestionCharacters: 200 });
  assertEquals(read({ message: "who?", requestedSchema: SCHEMA }), {
    server: "s",
    message: "who?",
    mode: "form",
    schema: SCHEMA,
  });
  assertEquals(read({ message: "go", mode: "url", url: "https://h/x", elicitationId: "1" }), {
    server: "s",
    message: "go",
    mode: "url",
    url: "https://h/x",
    id: "1",
  });
  for (const url of ["file:///etc/passwd", "javascript:alert(1)", "vscode://x", "x", 1]) {
    assertEquals(read({ message: "go", mode: "url", url }), undefined);
  }
  for (const params of [undefined, {}, { message: "x" }, { message: "x", mode: "voice" }]) {
    assertEquals(read(params), undefined);
  }
});

Deno.test("readElicitation() takes a question exactly at its limit, and none past it", () => {
  const limits = { maxQuestionCharacters: 30 };
  const form = (message: string) =>
    readElicitation("s", { message, requestedSchema: { a: "12345678" } }, limits);
  assertEquals(form("x".repeat(14))?.message.length, 14); // the schema takes 16
  assertEquals(form("x".repeat(15)), undefined);
  const page = (path: string) =>
    readElicitation("s", { message: "go", mode: "url", url: `https://h/${path}` }, limits);
  assertEquals(page("x".repeat(18))?.mode, "url");
  assertEquals(page("x".repeat(19)), undefined);
});

Deno.test("toElicitResult() gives the fields that were asked for, and what the server meant by one left out", () => {
  const question: Elicitation = { server: "s", message: "m", mode: "form", schema: SCHEMA };
  const content = (given: Record<string, unknown>) =>
    toElicitResult(question, { action: "accept", content: given });
  assertEquals(content({ age: 3, other: "x" }), {
    action: "accept",
    content: { name: "Ann", age: 3 },
  });
  assertEquals(content({ name: "Bo", age: null }), { action: "accept", content: { name: "Bo" } });
  assertEquals(toElicitResult(question, { action: "decline" }), { action: "decline" });
  const page: Elicitation = { server: "s", message: "m", mode: "url", url: "https://h", id: "1" };
  assertEquals(toElicitResult(page, { action: "accept", content: { a: 1 } }), { action: "accept" });
});
