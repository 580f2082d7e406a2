import { assertEquals } from "@std/assert";
import { findToolTool } from "./find_tool_tool.ts";

Deno.test("find_tool did not say that more tools fit than it shows", async () => {
  const tool = { name: "a__x", description: "d", inputSchema: { type: "object" } };
  const textOf = async (more: number) => {
    const registry = { hasHidden: true, find: () => ({ tools: [tool], more, hidden: 9 }) };
    const signal = new AbortController().signal;
    return (await findToolTool(registry).run({ query: "x" }, signal)).content;
  };
  const shown = 'a__x: d\n{"type":"object"}';
  assertEquals(await textOf(0), [{ type: "text", text: shown }]);
  const text = `${shown}\n\n[7 more fit that query and are not shown: use other words for them]`;
  assertEquals(await textOf(7), [{ type: "text", text }]);
});
