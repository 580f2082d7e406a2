import { assertEquals } from "@std/assert";
import { parseApprovals } from "./parse_approvals.ts";
import { rulesOfNoServer, unmatchedRules } from "./unmatched.ts";

const KNOWN = {
  tools: [
    { name: "dev__shell", args: ["command", "cwd"] },
    { name: "dev__write", args: ["path"] },
    { name: "any__do" },
    { name: "find_tool", args: ["query"] },
  ],
  unread: ["down"],
};

Deno.test("unmatchedRules() tells of rules that speak of no call, by place, with what was meant", () => {
  const rules = parseApprovals([
    { ask: "dev__shell", command: "git *" },
    { deny: "dev__shel" },
    { deny: "dev_shell" },
    { ask: "gone__x" },
    { ask: "gone__*" },
    { ask: "down__x" },
    { ask: "d*" },
    { allow: "dev__write", command: "git *" },
    { allow: "dev__w*", args: { file: "*" } },
    { deny: "any__do", args: { x: "1" } },
    { deny: "find_tool" },
  ], "p.md");
  const said = (each: string) => each.slice("approvals".length);
  assertEquals(unmatchedRules(rules, KNOWN, false).map(said), [
    "[1] of p.md (deny: dev__shel) speaks of no call: there is no such tool; did you mean dev__shell?",
    "[2] of p.md (deny: dev_shell) speaks of no call: there is no such tool; did you mean dev__shell?",
    "[3] of p.md (ask: gone__x) speaks of no call: there is no such tool",
    "[4] of p.md (ask: gone__*) speaks of no call: there is no such tool",
    '[7] of p.md (allow: dev__write) speaks of no call: no tool that it names takes an argument "command"',
    '[8] of p.md (allow: dev__w*) speaks of no call: no tool that it names takes an argument "file"',
  ]);
  // A policy is for many: it may speak of servers that are not in this session.
  assertEquals(unmatchedRules(rules, KNOWN, true).map((each) => each.slice(9, 12)), [
    ...["[1]", "[2]", "[7]", "[8]"],
  ]);
});

Deno.test("rulesOfNoServer() tells of rules that no tool of any server can match", () => {
  const rules = parseApprovals(
    ["dev__x", "de*", "*__x", "dev", "fs__*", "find_*"].map((ask) => ({ ask })),
    "p.md",
  );
  assertEquals(rulesOfNoServer(rules, ["dev"], ["find_tool"]), [
    { index: 3, why: "ask: dev is about no server: there are dev" },
    { index: 4, why: "ask: fs__* is about no server: there are dev" },
  ]);
});
