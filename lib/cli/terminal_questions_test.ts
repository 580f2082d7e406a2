import { assertEquals } from "@std/assert";
import { terminalQuestions } from "./terminal_questions.ts";

Deno.test("terminalQuestions() shows one question at a time, and none that was taken back meanwhile", async () => {
  const said: string[] = [];
  const typed: PromiseWithResolvers<string>[] = [];
  const { approver, elicitor } = terminalQuestions({
    warn: (line) => said.push(line),
    ask: () => {
      const line = Promise.withResolvers<string>();
      typed.push(line);
      return line.promise;
    },
  });
  const field = { type: "string" };
  const schema = { properties: { name: field }, required: ["name"] };
  const stays = new AbortController().signal;
  const leaves = new AbortController();
  const form = { server: "far", message: "who?", mode: "form", schema } as const;
  const call = {
    callId: "1",
    tool: "dev__shell",
    args: {},
    shown: "ls",
    reason: "by a rule",
    canBeKept: false,
  };
  const first = elicitor.ask(form, stays);
  const dropped = approver(call, leaves.signal);
  const second = elicitor.ask({ ...form, message: "and?" }, stays);
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  assertEquals([typed.length, said[0]], [1, 'Server "far" asks: who?']);
  leaves.abort();
  typed[0]!.resolve("Ann");
  assertEquals(await first, { action: "accept", content: { name: "Ann" } });
  assertEquals(await dropped, { kind: "deny" });
  await settle();
  typed[1]!.resolve("Bo");
  assertEquals(await second, { action: "accept", content: { name: "Bo" } });
  assertEquals(said.filter((line) => / asks: |May /.test(line)), [
    'Server "far" asks: who?',
    'Server "far" asks: and?',
  ]);
});
