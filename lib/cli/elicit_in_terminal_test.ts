import { assertEquals } from "@std/assert";
import type { ElicitationAnswer } from "../mcp/elicitation.ts";
import { terminalElicitor } from "./elicit_in_terminal.ts";

const SCHEMA = {
  properties: {
    name: { type: "string", title: "Name", description: "yours\u001b[2J" },
    age: { type: "integer", default: 30 },
    kind: { type: "string", enum: ["a", "b"] },
    sure: { type: "boolean" },
    tags: { type: "array" },
  },
  required: ["name", "sure"],
};

async function answered(
  lines: string[],
  more: object = {},
): Promise<[ElicitationAnswer, string[]]> {
  const said: string[] = [];
  const { ask } = terminalElicitor({
    warn: (line) => said.push(line),
    ask: () => Promise.resolve(lines.shift()),
  });
  const question = { server: "far", message: "who?", mode: "form", schema: SCHEMA, ...more };
  return [await ask(question as Parameters<typeof ask>[0], new AbortController().signal), said];
}

Deno.test("terminalElicitor() asks for each field, again for what does not fit, and says who asks", async () => {
  const [answer, said] = await answered(["", "Ann", "", "c", "b", "perhaps", "yes", "x, y"]);
  assertEquals(answer, {
    action: "accept",
    content: { name: "Ann", kind: "b", sure: true, tags: ["x", "y"] },
  });
  assertEquals(said.slice(0, 4), [
    'Server "far" asks: who?',
    "  /no declines. Give it no password and no key: it is the server that asks, not skep",
    "  name (text, needed) Name: yours\\u{1b}[2J",
    "  That is not text",
  ]);
  assertEquals(said.includes("  age (a whole number, empty = 30) "), false);
  assertEquals(said.includes("  That is not one of a, b"), true);
});

Deno.test("terminalElicitor() declines and gives up at any field, and sends to a page only by word", async () => {
  assertEquals((await answered(["Ann", "/no"]))[0], { action: "decline" });
  assertEquals((await answered(["Ann"]))[0], { action: "cancel" });
  const page = { mode: "url", url: "https://h/\u202e", id: "1" };
  const [answer, said] = await answered(["y"], page);
  assertEquals(answer, { action: "accept" });
  assertEquals(said[1], "  Go to https://h/\\u{202e} and come back. Have you? y = yes · n = no");
  assertEquals((await answered(["n"], page))[0], { action: "decline" });
});
