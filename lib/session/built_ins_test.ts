import { assertEquals } from "@std/assert";
import type { CallResult } from "../mcp/registry.ts";
import type { TurnTools } from "../turn/run.ts";
import { type BuiltIn, withBuiltIns } from "./built_ins.ts";

const NEVER = new AbortController().signal;

function says(text: string): CallResult {
  return { isError: false, content: [{ type: "text", text }] };
}

function definition(name: string): BuiltIn["definition"] {
  return { name, description: "", inputSchema: { type: "object" } };
}

const SERVERS: TurnTools = {
  tools: () => [definition("s__a"), definition("load")],
  call: (name) => Promise.resolve(says(`server ${name}`)),
};
const LOAD: BuiltIn = {
  definition: definition("load"),
  run: (args) => Promise.resolve(says(`own ${JSON.stringify(args)}`)),
};

Deno.test("withBuiltIns() lists the program's own tools last, each name once", () => {
  assertEquals(withBuiltIns(SERVERS, [LOAD]).tools().map(({ name }) => name), ["s__a", "load"]);
  assertEquals(withBuiltIns(SERVERS, []).tools().map(({ name }) => name), ["s__a", "load"]);
});

Deno.test("withBuiltIns() runs the program's own tool, though a server has one of that name", async () => {
  const tools = withBuiltIns(SERVERS, [LOAD]);
  assertEquals(await tools.call("load", { x: 1 }, NEVER), says('own {"x":1}'));
  assertEquals(await tools.call("s__a", {}, NEVER), says("server s__a"));
});
