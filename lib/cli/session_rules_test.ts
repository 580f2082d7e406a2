import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { sessionRules } from "./session_rules.ts";

const PERSONA = { file: "/p/guide.persona.md", approvals: [{ ask: "dev__shell" }] };

function read(env: Record<string, string>, policy?: { approvals?: unknown; hooks?: unknown }) {
  const given = policy && { file: "/policy.yaml", ...policy };
  return sessionRules(PERSONA, given, (name) => env[name]);
}

Deno.test("sessionRules() keeps the persona's rules and the policy's apart", () => {
  const { rules, hooks, requiresReply } = read({}, { approvals: [{ deny: "x__*" }] });
  assertEquals(rules.map(({ source, rules }) => [source, rules.length]), [
    ["/p/guide.persona.md", 1],
    ["/policy.yaml", 1],
  ]);
  assertEquals([hooks, requiresReply], [{ servers: [], closed: [] }, false]);
});

Deno.test("sessionRules() lets the hooks that the environment and the policy name, and no others", () => {
  assertEquals(read({ MCP_HOOK_SERVERS: " , " }).hooks.servers, []);
  assertEquals(read({ MCP_HOOK_SERVERS: " * " }).hooks.servers, "*");
  assertEquals(read({ MCP_HOOK_SERVERS: "*,a" }).hooks.servers, ["*", "a"]);
  assertEquals(read({ MCP_HOOK_SERVERS: "a", SKEP_HOOK_SERVERS: "b" }).hooks.servers, ["b"]);
  const policy = { hooks: { servers: ["c"], closed: { guard: ["_PreToolUse"] } } };
  assertEquals(read({ MCP_HOOK_SERVERS: "a" }, policy).hooks, {
    servers: ["a", "c", "guard"],
    closed: [{ server: "guard", hook: "_PreToolUse" }],
  });
  assertEquals(read({ SKEP_CLOSED_HOOKS: "g:_PreToolUse" }).hooks.servers, ["g"]);
});

Deno.test("an entry of SKEP_CLOSED_HOOKS without a colon was quoted back with one", () => {
  assertThrows(
    () => read({ SKEP_CLOSED_HOOKS: "s" }),
    SkepError,
    'Cannot use "s" of SKEP_CLOSED_HOOKS: it is a server\'s name and one of ',
  );
});

Deno.test("sessionRules() refuses what it cannot read", () => {
  assertEquals(
    assertThrows(() => read({ BUZZ_AGENT_REQUIRE_REPLY: "yes" }), SkepError).message,
    'Cannot use BUZZ_AGENT_REQUIRE_REPLY="yes": it must be 0 (off) or 1 (on)',
  );
  assertEquals(
    [read({ SKEP_REQUIRE_REPLY: "1" }), read({ SKEP_REQUIRE_REPLY: "0" })].map((each) =>
      each.requiresReply
    ),
    [true, false],
  );
  assertEquals(
    assertThrows(() => read({ SKEP_CLOSED_HOOKS: "g:_Stop" }), SkepError).code,
    "CONFIG_INVALID",
  );
  assertThrows(() => read({}, { hooks: { server: [] } }), SkepError, "hooks.server");
});
