import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ToolNames } from "./tool_names.ts";

function assigned(names: ToolNames, server: string, tools: string[]): (string | undefined)[] {
  names.assign(server, tools);
  return tools.map((tool) => names.of(server, tool));
}

Deno.test("ToolNames keeps a name exactly at its limit, and ends one past it in a hash (T39)", () => {
  const names = new ToolNames(64);
  assertEquals(assigned(names, "a", ["x".repeat(61), "x".repeat(62)]), [
    `a__${"x".repeat(61)}`,
    `a__${"x".repeat(52)}_52b94ba2`,
  ]);
});

Deno.test("ToolNames maps what providers refuse, and gives no name twice (T39)", () => {
  const names = new ToolNames(64);
  assertEquals(assigned(names, "a", ["fs.read", "fs/read", "fs_read", "ü b"]), [
    "a__fs_read_c25fa199",
    "a__fs_read_41760dde",
    "a__fs_read",
    "a____b",
  ]);
});

Deno.test("ToolNames gives tools of one name on two servers two names (T41)", () => {
  const names = new ToolNames(64);
  assertEquals(assigned(names, "a", ["search"]), ["a__search"]);
  assertEquals(assigned(names, "b", ["search"]), ["b__search"]);
});

Deno.test("ToolNames keeps a tool's name for as long as it is listed, whatever comes and goes", () => {
  const names = new ToolNames(64);
  assertEquals(assigned(names, "a", ["fs.read"]), ["a__fs_read"]);
  assertEquals(assigned(names, "a", ["fs_read", "fs.read"]), ["a__fs_read_d5506c4e", "a__fs_read"]);
  assertEquals(assigned(names, "a", ["fs_read"]), ["a__fs_read_d5506c4e"]);
  assertEquals(names.of("a", "fs.read"), undefined);
  assertEquals(assigned(names, "a", ["other", "fs_read"]), ["a__other", "a__fs_read_d5506c4e"]);
});

Deno.test("ToolNames takes every name that a server may think of", () => {
  const names = new ToolNames(64);
  const tools = ["", " ", "a b", "__proto__", "constructor", "x".repeat(10_000), "\ud800", "名前"];
  const given = assigned(names, "s", tools);
  assertEquals(given.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name ?? "")), true);
  assertEquals(new Set(given).size, tools.length);
});

const OWN = fc.oneof(
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.constantFrom("fs.read", "fs_read", "fs/read", "x".repeat(70), "__proto__"),
);
const LISTS = fc.array(
  fc.tuple(fc.constantFrom("a", "a-2", "b_c"), fc.uniqueArray(OWN, { maxLength: 8 })),
  { maxLength: 8 },
);

Deno.test("ToolNames: names are valid, of one tool each, and stay while it is listed (property)", () => {
  fc.assert(
    fc.property(LISTS, fc.integer({ min: 32, max: 128 }), (lists, most) => {
      const names = new ToolNames(most);
      const now = new Map<string, Map<string, string>>();
      for (const [server, tools] of lists) {
        const given = assigned(names, server, tools);
        const before = now.get(server);
        const own = new Map(tools.map((tool, index) => [tool, given[index]!]));
        for (const [tool, name] of own) {
          assertEquals(/^[A-Za-z0-9_-]+$/.test(name) && name.length <= most, true, name);
          assertEquals(before?.get(tool) ?? name, name);
        }
        now.set(server, own);
        const all = [...now.values()].flatMap((each) => [...each.values()]);
        assertEquals(new Set(all).size, all.length);
      }
    }),
    { seed: 20261130, numRuns: 300 },
  );
});

Deno.test("ToolNames gives a list the same names in every run (property)", () => {
  fc.assert(
    fc.property(fc.uniqueArray(OWN, { maxLength: 8 }), (tools) => {
      const [one, other] = [new ToolNames(64), new ToolNames(64)];
      assertEquals(assigned(one, "a", tools), assigned(other, "a", tools));
    }),
    { seed: 20261130, numRuns: 100 },
  );
});
