import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { checkStrictly } from "./check_strictly.ts";
import type { ServerStatus, ToolFacts } from "./registry.ts";

function check(
  names: readonly string[],
  tools: readonly string[] = [],
  status: Partial<ServerStatus> = {},
): void {
  const specs = names.map((name) => (
    { name, command: "x", args: [], env: {}, origin: { kind: "flag", where: "test" } as const }
  ));
  const [first = "a"] = names;
  checkStrictly({ specs, limits: { ...DEFAULT_LIMITS, maxServers: 2, maxTools: 2 } }, {
    servers: () => [{ name: first, state: "healthy", tools: [], ...status }],
    facts: () =>
      tools.map((own): ToolFacts => (
        { server: first, own, name: "", state: "listed", bytes: 0, notes: [] }
      )),
  });
}

function refused(...args: Parameters<typeof check>): string {
  return assertThrows(() => check(...args), SkepError).message;
}

Deno.test("checkStrictly() passes what needs no mapping and is exactly at its limits", () => {
  check(["a", "b-1_c"], ["x", "_Stop"]);
  check(["a"], [], { state: "idle" });
  check(["a"], ["t".repeat(61)]);
});

Deno.test("checkStrictly() refuses the 17th server and the 129th tool (mcp_server_count_cap, tool_metadata_caps_enforced)", () => {
  assertEquals(refused(["a", "b", "c"]), "Too many MCP servers: 3, the limit is 2");
  assertEquals(refused(["a"], ["x", "y", "_Stop"]), "Too many tools: 3, the limit is 2");
});

Deno.test("a server whose tools/list is no list passed under SKEP_STRICT", () => {
  const reason = "its tools/list is no list";
  assertEquals(
    refused(["a"], [], { state: "healthy", reason }),
    'Server "a" is healthy: its tools/list is no list',
  );
});

Deno.test("checkStrictly() refuses names that would be mapped", () => {
  const rule = "a name has 1 to 128 letters, digits, _ and -, and no __";
  assertEquals(refused(["a b"]), `Cannot use server "a b": ${rule}`);
  assertEquals(refused(["a__b"]), `Cannot use server "a__b": ${rule}`);
  assertEquals(refused(["a", "a"]), 'Cannot use server "a": another has its name');
  assertEquals(refused(["a"], ["fs.read"]), `Cannot use tool "fs.read" of server "a": ${rule}`);
  assertEquals(
    refused(["a"], ["t".repeat(62)]),
    `Cannot use tool "${"t".repeat(62)}" of server "a": a__${
      "t".repeat(62)
    } has more than 64 bytes`,
  );
});

Deno.test("checkStrictly() refuses a server that is not there (mcp_init_timeout_kills_child)", () => {
  const reason = "did not answer initialize within 2 s (timeout)";
  assertEquals(
    refused(["a"], [], { state: "exhausted", reason }),
    'Server "a" is exhausted: did not answer initialize within 2 s (timeout)',
  );
});

Deno.test("checkStrictly() refuses an entry that comes to no server, in the words for a person", () => {
  const unusable = [{ name: "a", why: 'Server "a" is left out. It is null' }];
  const error = assertThrows(
    () =>
      checkStrictly({ specs: [], unusable, limits: DEFAULT_LIMITS }, {
        servers: () => [],
        facts: () => [],
      }),
    SkepError,
  );
  assertEquals([error.code, error.message], ["CONFIG_INVALID", unusable[0]!.why]);
});
