import { assertEquals } from "@std/assert";
import type { CallResult } from "../mcp/registry.ts";
import { withFolderHints } from "./with_folder_hints.ts";

function tools(result: CallResult) {
  return { tools: () => [], call: () => Promise.resolve(result) };
}

const TEXT = { type: "text", text: "done" } as const;

Deno.test("withFolderHints() adds the hints to a result that is none of an error", async () => {
  const hints = {
    after: ({ path }: { path?: unknown }) => Promise.resolve(path ? "hints" : undefined),
  };
  const { signal } = new AbortController();
  const ask = (isError: boolean, args: Record<string, unknown>) =>
    withFolderHints(tools({ isError, content: [TEXT] }), hints).call("t", args, signal);
  assertEquals((await ask(false, { path: "a" })).content, [TEXT, { type: "text", text: "hints" }]);
  assertEquals((await ask(false, {})).content, [TEXT]);
  assertEquals((await ask(true, { path: "a" })).content, [TEXT]);
});

Deno.test("withFolderHints() tells where a command moved to", async () => {
  const given: unknown[] = [];
  const hints = {
    after: (_args: unknown, moved?: readonly string[]) => {
      given.push(moved);
      return Promise.resolve(undefined);
    },
  };
  const asked = withFolderHints(tools({ isError: false, content: [] }), hints);
  await asked.call("t", { command: "cd sub && ls" }, new AbortController().signal);
  assertEquals(given, [["sub"]]);
});

Deno.test("withFolderHints() leaves tools alone when there are no hints to give", () => {
  const plain = tools({ isError: false, content: [] });
  assertEquals(withFolderHints(plain, undefined), plain);
});
