import { assertEquals } from "@std/assert";
import { readElicitAnswer, toElicitRequest } from "./ask_for_server.ts";

Deno.test("toElicitRequest() says which server it is that asks", () => {
  const form = {
    server: "far",
    message: "who?",
    mode: "form",
    schema: { properties: {} },
  } as const;
  assertEquals(toElicitRequest(form, "s-1"), {
    sessionId: "s-1",
    mode: "form",
    message: 'Server "far" asks: who?',
    requestedSchema: { type: "object", properties: {} },
  });
  const page = { server: "far", message: "go", mode: "url", url: "https://h/", id: "1" } as const;
  assertEquals(toElicitRequest(page, "s-1"), {
    sessionId: "s-1",
    mode: "url",
    message: 'Server "far" asks: go',
    url: "https://h/",
    elicitationId: "1",
  });
});

Deno.test("readElicitAnswer() takes only a plain yes for one", () => {
  assertEquals(readElicitAnswer({ result: { action: "accept", content: { a: 1 } } }), {
    action: "accept",
    content: { a: 1 },
  });
  assertEquals(readElicitAnswer({ result: { action: "decline" } }), { action: "decline" });
  for (const result of [{}, null, { action: "yes" }, { action: "cancel" }]) {
    assertEquals(readElicitAnswer({ result }), { action: "cancel" });
  }
  assertEquals(readElicitAnswer({ error: { code: -1, message: "x" } }), { action: "cancel" });
});
