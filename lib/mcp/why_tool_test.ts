import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ServerStatus, ToolFacts } from "./registry.ts";
import { type RegistryFacts, whyTool } from "./why_tool.ts";

const LIMITS = { maxServers: 4, maxTools: 128, maxToolsBytes: 1000 };

function facts(parts: Partial<RegistryFacts> & { readonly state?: ServerStatus } = {}) {
  const { state = { name: "a", state: "healthy", tools: [] }, ...more } = parts;
  const origin = { kind: "flag", where: "test" } as const;
  return {
    servers: [state],
    inventory: [],
    specs: [{ name: state.name, origin }],
    off: new Map<string, string>(),
    limits: LIMITS,
    denial: () => undefined,
    ...more,
  } satisfies RegistryFacts;
}

function tool(parts: Partial<ToolFacts> = {}): ToolFacts {
  const state = "listed" as const;
  return { server: "a", own: "echo", name: "a__echo", state, bytes: 70, notes: [], ...parts };
}

/** The last check of the only explanation, and what to do. */
function outcome(
  asked: string,
  given: RegistryFacts,
): [isThere: boolean, what: string, text: string] {
  const [only, ...others] = whyTool(asked, given);
  assertEquals(others, []);
  const last = only!.checks.at(-1)!;
  return [only!.isThere, last.what, `${last.text}; ${only!.advice ?? "nothing to do"}`];
}

Deno.test("whyTool() goes through all checks of a tool that is there, in the order that keeps tools away", () => {
  const given = facts({ inventory: [tool()] });
  for (const asked of ["a__echo", "echo"]) {
    const [only] = whyTool(asked, given);
    assertEquals([only?.kind, only?.name, only?.isThere], ["tool", "a__echo", true]);
    assertEquals(only?.checks.map(({ what, outcome }) => `${what} ${outcome}`), [
      "server count passed",
      "server name passed",
      "server passed",
      "name passed",
      "hook passed",
      "schema passed",
      "switch passed",
      "tool count passed",
      "room passed",
      "rules passed",
    ]);
  }
});

Deno.test("whyTool() names the one check that keeps a tool away", () => {
  const cases: [state: ToolFacts["state"], what: string, text: string][] = [
    ["switched off", "switch", "disabled_tools"],
    ["left out", "tool count", "only 128 tools are listed"],
    ["hidden", "room", "more than 1000 bytes"],
    ["hook", "hook", "SKEP_HOOK_SERVERS=a"],
  ];
  for (const [state, what, text] of cases) {
    const name = state === "hook" ? "" : "a__echo";
    const [isThere, ...last] = outcome("echo", facts({ inventory: [tool({ state, name })] }));
    assertEquals([isThere, last[0]], [false, what]);
    assertStringIncludes(last[1], text);
  }
});

Deno.test("whyTool() notes a mapped name, a changed schema and a rule, and the tool is there", () => {
  const inventory = [tool({ own: "fs.read", name: "a__fs_read", notes: ["its schema is cut"] })];
  const denial = (name: string) => name === "a__fs_read" ? "deny a__* (policy.yaml)" : undefined;
  const [only] = whyTool("fs.read", facts({ inventory, denial }));
  assertEquals(only?.isThere, true);
  const noted = only?.checks.filter(({ outcome }) => outcome === "noted");
  assertEquals(noted?.map(({ what }) => what), ["name", "schema", "rules"]);
  assertEquals(noted?.[1]?.text, "its schema is cut");
  assertStringIncludes(noted?.[2]?.text ?? "", "deny a__* (policy.yaml)");
});

Deno.test("whyTool() lays the absence of a tool to the state of its server", () => {
  const cases: [state: ServerStatus["state"], reason: string, text: string][] = [
    ["exhausted", "exited with code 3", "exited with code 3; it is not started again"],
    ["refused", "there is no such program", "is refused: there is no such program"],
    ["disabled", "was switched off in this session", "was switched off in this session"],
  ];
  for (const [state, reason, text] of cases) {
    const given = facts({ state: { name: "a", state, reason, tools: [] } });
    for (const asked of ["a", "a__echo"]) {
      const [isThere, what, said] = outcome(asked, given);
      assertEquals([isThere, what], [false, "server"]);
      assertStringIncludes(said, text);
    }
  }
});

Deno.test("whyTool() takes a server that its next call starts for one that is there", () => {
  for (const state of ["idle", "dead", "starting"] as const) {
    const given = facts({ state: { name: "a", state, tools: [] }, inventory: [tool()] });
    assertEquals(whyTool("a__echo", given)[0]?.isThere, true);
  }
});

Deno.test("whyTool() names the near miss among the tools of the server that the name begins with", () => {
  const [isThere, what, said] = outcome("a__ecko", facts({ inventory: [tool()] }));
  assertEquals([isThere, what], [false, "tool"]);
  assertStringIncludes(said, "did you mean a__echo?");
});

Deno.test("whyTool() tells a server past the number, and one that its entry keeps away", () => {
  const origin = { kind: "flag", where: "test" } as const;
  const specs = ["a", "b", "c", "d", "my tools"].map((name) => ({ name, origin }));
  const off = new Map([["x", "is switched off by its entry in /w/mcp.json"]]);
  const given = facts({ specs, off });
  for (const asked of ["my tools", "my_tools", "my_tools__echo"]) {
    const [isThere, what, said] = outcome(asked, given);
    assertEquals([isThere, what], [false, "server count"]);
    assertStringIncludes(said, '"my_tools" is number 5, and only 4 are started');
  }
  for (const asked of ["x", "x__echo"]) {
    assertStringIncludes(outcome(asked, given)[2], 'server "x" is switched off by its entry');
  }
});

Deno.test("whyTool() explains each tool that servers call so, and nothing that nobody has", () => {
  const origin = { kind: "flag", where: "test" } as const;
  const inventory = [tool(), tool({ server: "b", name: "b__echo" })];
  const given = facts({ specs: ["a", "b"].map((name) => ({ name, origin })), inventory });
  assertEquals(whyTool("echo", given).map(({ name }) => name), ["a__echo", "b__echo"]);
  assertEquals(whyTool("ecko", given), []);
});

Deno.test("whyTool() shows no terminal sequence of a server's", () => {
  const inventory = [tool({ own: "e\x1b[31mcho", name: "a__e_31mcho" })];
  assertEquals(
    JSON.stringify(whyTool("a__e_31mcho", facts({ inventory }))).includes("\\u001b"),
    false,
  );
});
