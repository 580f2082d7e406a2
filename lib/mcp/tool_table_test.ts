import { assertEquals } from "@std/assert";
import type { ListedTool } from "./tool_list.ts";
import { ToolTable } from "./tool_table.ts";

/** A tool that takes 100 bytes of a request under a name of 5 bytes. */
function tool(name: string): ListedTool {
  const inputSchema = { type: "object" };
  const rest = JSON.stringify({ name: "a__" + name, description: "", inputSchema }).length;
  return { name, description: "d".repeat(100 - rest), inputSchema, notes: [] };
}

function tableOf(servers: Record<string, string[]>, limits = {}) {
  const table = new ToolTable({
    maxTools: 10,
    maxToolNameBytes: 64,
    maxToolsBytes: 400,
    ...limits,
  });
  const sources = Object.entries(servers).map(([name, tools]) => (
    { name, tools: tools.map(tool), hooks: [] }
  ));
  for (const { name, tools } of sources) table.take(name, tools);
  const states = () =>
    table.entries(sources).map(({ facts }) => `${facts.name} ${facts.state} ${facts.bytes}`);
  return { table, states };
}

Deno.test("ToolTable shows all tools that fit exactly, and hides what does not past that", () => {
  assertEquals(tableOf({ a: ["1a", "2a", "3a", "4a"] }).states(), [
    "a__1a listed 100",
    "a__2a listed 100",
    "a__3a listed 100",
    "a__4a listed 100",
  ]);
  assertEquals(tableOf({ a: ["1a", "2a", "3a", "4a"] }, { maxToolsBytes: 399 }).states(), [
    "a__1a listed 100",
    "a__2a listed 100",
    "a__3a hidden 100",
    "a__4a hidden 100",
  ]);
});

Deno.test("ToolTable lets each server show its first tools (T49)", () => {
  const { states } = tableOf({ a: ["1a", "2a", "3a", "4a"], b: ["1b", "2b"] });
  assertEquals(states().filter((state) => state.includes("listed")), [
    "a__1a listed 100",
    "a__2a listed 100",
    "b__1b listed 100",
  ]);
});

Deno.test("ToolTable shows what was found, the last ones where not all fit", () => {
  const { table, states } = tableOf({ a: ["1a", "2a", "3a", "4a", "5a", "6a"] });
  const found = () => states().filter((state) => state.includes("listed")).slice(3);
  assertEquals(found(), []);
  table.show(["a__5a"]);
  assertEquals(found(), ["a__5a listed 100"]);
  table.show(["a__6a", "a__none"]);
  assertEquals(found(), ["a__6a listed 100"]);
});

Deno.test("ToolTable leaves out what is past the number of tools, and knows what is switched off", () => {
  const { table, states } = tableOf({ a: ["1a", "2a", "3a"] }, { maxTools: 1 });
  const origin = { kind: "flag", where: "test" } as const;
  const spec = { name: "a", command: "x", args: [], env: {}, origin };
  table.choose([{ ...spec, disabledTools: ["1a"] }]);
  assertEquals(states(), [
    "a__1a switched off 100",
    "a__2a listed 100",
    "a__3a left out 100",
  ]);
});

Deno.test("one server with many tools took all places of its neighbours", () => {
  const { states } = tableOf({ a: ["1a", "2a", "3a"], b: ["1b"], c: ["1c", "2c"] }, {
    maxTools: 4,
  });
  assertEquals(states(), [
    "a__1a listed 100",
    "a__2a listed 100",
    "a__3a left out 100",
    "b__1b listed 100",
    "c__1c listed 100",
    "c__2c left out 100",
  ]);
});
