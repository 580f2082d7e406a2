import { assertEquals } from "@std/assert";
import type { ServerSpec } from "../sandbox/spec.ts";
import { ToolChoice } from "./tool_choice.ts";

function choice(more: Partial<ServerSpec>): ToolChoice {
  const origin = { kind: "flag", where: "test" } as const;
  return new ToolChoice([{ name: "dev", command: "x", args: [], env: {}, origin, ...more }]);
}

Deno.test("ToolChoice allows all tools of a server that says nothing, and of one it does not know", () => {
  assertEquals([choice({}).allows("dev", "shell"), choice({}).allows("other", "shell")], [
    true,
    true,
  ]);
});

Deno.test("ToolChoice holds back the tools that a server's entry switches off (T114)", () => {
  const off = choice({ disabledTools: ["shell"] });
  assertEquals([off.allows("dev", "shell"), off.allows("dev", "read_file")], [false, true]);
  const only = choice({ enabledTools: ["read_file", "shell"], disabledTools: ["shell"] });
  assertEquals(
    ["shell", "read_file", "rg"].map((tool) => only.allows("dev", tool)),
    [false, true, false],
  );
  assertEquals(choice({ enabledTools: [] }).allows("dev", "shell"), false);
});

Deno.test("a tool that was switched off by the name that it is listed under stayed on", () => {
  const listed = "a_b__fs_read";
  for (const off of ["fs.read", "fs_read", "a_b__fs_read", "a_b__fs.read", "a__b__fs.read"]) {
    const own = choice({ name: "a_b", configuredName: "a__b", disabledTools: [off] });
    assertEquals(own.allows("a_b", "fs.read", listed), false, off);
    assertEquals(own.allows("a_b", "fs.write", "a_b__fs_write"), true, off);
    assertEquals(own.misspelt("a_b", ["fs.read"], () => listed), [], off);
  }
  // What switches on is the server's own word alone: a mapped one may be meant for another tool.
  const on = choice({ name: "a_b", enabledTools: ["fs_read"] });
  assertEquals(on.allows("a_b", "fs.read", listed), false);
  assertEquals(on.misspelt("a_b", ["fs.read"], () => listed).length, 1);
});

Deno.test("ToolChoice tells a name that the server does not have", () => {
  assertEquals(choice({ disabledTools: ["shel", "rg"] }).misspelt("dev", ["shell", "rg"]), [
    'its entry names a tool "shel" that it does not have; did you mean "shell"?',
  ]);
});
