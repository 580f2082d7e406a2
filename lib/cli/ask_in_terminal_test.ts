import { assertEquals } from "@std/assert";
import type { Question } from "../approval/approvals.ts";
import { terminalApprover } from "./ask_in_terminal.ts";

const QUESTION: Question = {
  callId: "c",
  tool: "dev__shell",
  args: { command: "git push" },
  shown: "command: git push",
  reason: "ask dev__shell (policy.yaml)",
  scope: { text: "commands of dev__shell like git push *", rules: [] },
  canBeKept: false,
};

async function answered(lines: string[], question = QUESTION): Promise<[string, string[]]> {
  const said: string[] = [];
  const approver = terminalApprover({
    warn: (line) => said.push(line),
    ask: () => Promise.resolve(lines.shift()),
  });
  return [(await approver(question, new AbortController().signal)).kind, said];
}

Deno.test("terminalApprover() shows the call as it will run, and what each answer means", async () => {
  assertEquals(await answered(["y"]), ["once", [
    "May dev__shell run? (ask dev__shell (policy.yaml))",
    "  command: git push",
    "  y = yes, once · s = commands of dev__shell like git push *, this session · n = no",
  ]]);
});

Deno.test("terminalApprover() takes nothing for a yes that is none", async () => {
  assertEquals((await answered(["", "maybe", "a", "s"]))[0], "session");
  assertEquals((await answered(["n"]))[0], "deny");
  assertEquals((await answered([]))[0], "deny");
});
