import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type Answer, Approvals, type Question } from "./approvals.ts";
import { parseApprovals } from "./parse_approvals.ts";
import type { Rule } from "./rules.ts";
import { showArguments, showExactly } from "./show_exactly.ts";

const ASK = [parseApprovals([{ ask: "dev__shell" }, { ask: "fs__*" }], "policy.yaml")];
const NEVER = new AbortController().signal;

function run(command: string): { callId: string; tool: string; args: { command: string } } {
  return { callId: "c", tool: "dev__shell", args: { command } };
}

/** Approvals that a person answers as told, and what was asked. */
function answering(
  ...answers: Answer["kind"][]
): { approvals: Approvals; asked: Question[]; kept: Rule[] } {
  const asked: Question[] = [];
  const kept: Rule[] = [];
  const approvals = new Approvals({
    rules: ASK,
    approver: (question) => {
      asked.push(question);
      return Promise.resolve({ kind: answers[asked.length - 1] ?? "deny" });
    },
    remember: (rules) => Promise.resolve(void kept.push(...rules)),
  });
  return { approvals, asked, kept };
}

Deno.test("Approvals deny what needs a person when nobody is there, and say so (T74)", async () => {
  const approvals = new Approvals({ rules: ASK });
  assertEquals(await approvals.check(run("ls"), NEVER), {
    isAllowed: false,
    reason:
      "denied: it needs a person's approval and there is no approver here (ask dev__shell (policy.yaml))",
  });
  assertEquals(
    (await approvals.check({ callId: "c", tool: "s__t", args: {} }, NEVER)).isAllowed,
    true,
  );
});

Deno.test("Approvals offer a scope, and one that was allowed covers what is like it (T78)", async () => {
  const { approvals, asked } = answering("session", "deny", "deny");
  assertEquals((await approvals.check(run("git log -1"), NEVER)).isAllowed, true);
  assertEquals(asked[0]?.scope?.text, "commands of dev__shell like git log *");
  assertEquals((await approvals.check(run("git log -2"), NEVER)).isAllowed, true);
  assertEquals((await approvals.check(run("git push"), NEVER)).isAllowed, false);
  assertEquals((await approvals.check(run("git log -1; rm x"), NEVER)).isAllowed, false);
  assertEquals(asked.length, 3);
});

Deno.test("Approvals keep what is allowed for ever, and nothing of what is allowed once", async () => {
  const { approvals, asked, kept } = answering("once", "always");
  await approvals.check(run("ls a"), NEVER);
  assertEquals(kept, []);
  await approvals.check(run("ls b"), NEVER);
  assertEquals(kept, [{ action: "allow", tool: "dev__shell", command: "ls *", args: {} }]);
  await approvals.check(run("ls c"), NEVER);
  assertEquals([asked.length, asked[0]?.canBeKept], [2, true]);
});

for (const answer of ["session", "always"] as const) {
  Deno.test(`an answer "${answer}" did nothing for a tool that is no shell, nor for one allowed by its file`, async () => {
    const { approvals, asked, kept } = answering(answer, "deny");
    const write = (path: string) => ({ callId: "c", tool: "fs__write", args: { path } });
    assertEquals((await approvals.check(write("a"), NEVER)).isAllowed, true);
    assertEquals((await approvals.check(write("b"), NEVER)).isAllowed, true);
    assertEquals(asked[0]?.scope?.text, "every call of fs__write");
    assertEquals(asked.length, 1);
    const rules: Rule[] = [{ action: "allow", tool: "fs__write", args: {} }];
    assertEquals(kept, answer === "always" ? rules : []);
    const { isAllowed } = await approvals.check({ ...write("a"), tool: "fs__remove" }, NEVER);
    assertEquals([isAllowed, asked.length], [false, 2]);
  });
}

for (const rule of [{ allow: "*" }, { allow: "dev__*" }, { allow: "dev__shell", command: "*" }]) {
  Deno.test(`a rule of the file of kept ones counted for nothing: ${JSON.stringify(rule)}`, async () => {
    const kept = parseApprovals([rule], "approvals.json").rules;
    const approvals = new Approvals({ rules: ASK, kept });
    assertEquals((await approvals.check(run("ls"), NEVER)).isAllowed, true);
  });
}

Deno.test("Approvals offer no scope that would not cover the call that it is offered with", async () => {
  const { approvals, asked } = answering("once", "session");
  await approvals.check(run("sudo -u root make"), NEVER);
  assertEquals(asked[0]?.scope, undefined);
  assertEquals((await approvals.check(run("timeout 5 make test"), NEVER)).isAllowed, true);
  assertEquals(asked[1]?.scope?.text, "commands of dev__shell like timeout * and make *");
  assertEquals((await approvals.check(run("timeout 9 make -j all"), NEVER)).isAllowed, true);
  assertEquals(asked.length, 2);
});

Deno.test("Approvals never take an answer that comes with a cancel for an allow (T11)", async () => {
  const cancel = new AbortController();
  const approvals = new Approvals({
    rules: ASK,
    approver: () => {
      cancel.abort();
      return Promise.resolve({ kind: "once" });
    },
  });
  const error = await assertRejects(() => approvals.check(run("ls"), cancel.signal), SkepError);
  assertEquals(error.code, "CANCELLED");
  await assertRejects(() => approvals.check(run("ls"), cancel.signal), SkepError);
});

Deno.test("Approvals ask one question at a time, since its answer may settle the next", async () => {
  const { approvals, asked } = answering("session");
  const verdicts = await Promise.all([
    approvals.check(run("ls a"), NEVER),
    approvals.check(run("ls b"), NEVER),
  ]);
  assertEquals([verdicts.map(({ isAllowed }) => isAllowed), asked.length], [[true, true], 1]);
});

Deno.test("Approvals show what hides in a scope, and name what a line writes (T76)", async () => {
  const { approvals, asked } = answering("once", "once");
  await approvals.check(run("l\u202es -1"), NEVER);
  assertEquals(asked[0]?.scope?.text, "commands of dev__shell like l\\u{202e}s *");
  await approvals.check(run("git log -1 > out"), NEVER);
  assertEquals(asked[1]?.scope?.text, "commands of dev__shell like > * and git log *");
});

Deno.test("Approvals offer no scope for a line that cannot be read", async () => {
  const { approvals, asked } = answering("once");
  await approvals.check(run("$X y"), NEVER);
  assertEquals([asked[0]?.scope, asked[0]?.canBeKept], [undefined, false]);
});

Deno.test("showArguments() tells a line break from a backslash and an n (T76)", () => {
  const shown = (command: string) => showArguments({ command });
  assertEquals(shown("# \n rm"), "command: # \\n rm");
  assertEquals(shown("# \\n rm"), "command: # \\\\n rm");
  assertEquals(shown("# \\\n rm"), "command: # \\\\\\n rm");
  assertEquals(shown("\\u{202e}\u202e"), "command: \\\\u{202e}\\u{202e}");
  assertEquals(shown("sed 's/\\.x$//'"), "command: sed 's/\\.x$//'");
});

Deno.test("Approvals says that there is no approver, not that a person denied, when a client cannot ask (T74)", async () => {
  const approvals = new Approvals({
    rules: [{ source: "policy.yaml", rules: [{ action: "ask", tool: "*", args: {} }] }],
    approver: () => Promise.resolve({ kind: "unasked" }),
  });
  assertEquals(await approvals.check({ callId: "c", tool: "s__t", args: {} }, NEVER), {
    isAllowed: false,
    reason:
      "denied: it needs a person's approval and there is no approver here (ask * (policy.yaml))",
  });
});

Deno.test("showExactly() writes out what hides or turns the rest, and cuts nothing (T76)", () => {
  assertEquals(showExactly("rm -rf ~ \u202e#txt"), "rm -rf ~ \\u{202e}#txt");
  assertEquals(showExactly("ls\n\n\n\nrm -rf ~"), "ls\\n\\n\\n\\nrm -rf ~");
  assertEquals(showExactly("a\u200bb\u001b[2K\rc"), "a\\u{200b}b\\u{1b}[2K\\rc");
  assertEquals(showExactly("x".repeat(10_000) + "; rm").length, 10_004);
  assertEquals(showExactly("grüße 日本"), "grüße 日本");
  assertEquals(showArguments({ command: "a\nb", n: [1] }), "command: a\\nb\nn: [1]");
});
