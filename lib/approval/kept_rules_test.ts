import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type KeptFor, openKeptRules } from "./kept_rules.ts";
import type { Rule } from "./rules.ts";

const RULE: Rule = { action: "allow", tool: "dev__shell", command: "git log *", args: {} };
const OURS: KeptFor = { persona: "/p/guide.persona.md", cwd: "/work" };

/** One file in memory. */
function disk(text?: string) {
  const file = { text };
  return {
    file,
    open: (who: KeptFor) =>
      openKeptRules("/state/approvals.json", who, {
        stat: () => Promise.resolve(file.text === undefined ? undefined : {} as never),
        readText: () => Promise.resolve(file.text ?? ""),
        makeFolder: () => Promise.resolve(),
        writeText: (_path, text) => Promise.resolve(void (file.text = text)),
      }, { maxConfigFileBytes: 1024 }),
  };
}

Deno.test("openKeptRules() gives what was allowed to this persona in this workspace, and to no other", async () => {
  const { open } = disk();
  const first = await open(OURS);
  assertEquals(first.rules, []);
  await first.remember([RULE]);
  await first.remember([{ ...RULE, command: "ls *" }]);
  assertEquals((await open(OURS)).rules.map(({ command }) => command), ["git log *", "ls *"]);
  assertEquals((await open({ ...OURS, cwd: "/other" })).rules, []);
  assertEquals((await open({ ...OURS, persona: "/p/other" })).rules, []);
});

Deno.test("openKeptRules() keeps what others have added", async () => {
  const { open } = disk();
  const [ours, others] = [await open(OURS), await open({ ...OURS, cwd: "/other" })];
  await ours.remember([RULE]);
  await others.remember([RULE]);
  assertEquals((await open(OURS)).rules, [RULE]);
});

Deno.test("each always added one more of the same rule to the file", async () => {
  const { open, file } = disk();
  const first = await open(OURS);
  await first.remember([RULE]);
  await (await open(OURS)).remember([RULE, { ...RULE, command: "ls *" }]);
  assertEquals(JSON.parse(file.text ?? "")[0].approvals, [
    { allow: "dev__shell", command: "git log *", args: {} },
    { allow: "dev__shell", command: "ls *", args: {} },
  ]);
});

Deno.test("openKeptRules() refuses a file that it cannot read", async () => {
  for (const text of ["{", "{}", '[{"persona":1}]']) {
    const error = await assertRejects(() => disk(text).open(OURS), SkepError);
    assertEquals([error.code, error.message.startsWith("Cannot use /state/approvals.json: ")], [
      "CONFIG_INVALID",
      true,
    ]);
  }
});
