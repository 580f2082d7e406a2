import { assertEquals } from "@std/assert";
import { readText, readWritten } from "./editor_answers.ts";

Deno.test("readText() takes a text, an empty one too, and says what is none", () => {
  assertEquals(readText({ result: { content: "" } }, 99), { text: "" });
  for (const result of [undefined, null, [], { content: 7 }]) {
    assertEquals(readText({ result }, 99), { problem: "gave no text" });
  }
});

Deno.test("an editor's error is told in one line, within its bound", () => {
  const error = { code: -32603, message: "no\nsuch \u001b[31mbuffer" };
  const problem = "answered with an error: no such buffer";
  assertEquals([readText({ error }, 14), readWritten({ error }, 14)], [{ problem }, { problem }]);
  assertEquals(readWritten({ error }, 13), { problem: "answered with an error: no such bu…" });
  const empty = { error: { code: -32603, message: "" } };
  assertEquals(readWritten(empty, 99), { problem: "answered with an error: -32603" });
  assertEquals(readWritten({ result: null }, 99), undefined);
});
