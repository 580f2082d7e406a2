import { assertEquals } from "@std/assert";
import { gitSettings, runsPrograms } from "./git_settings.ts";

const read = (text: string) =>
  gitSettings(text)?.map(({ key, value }) => `${key}=${value}`) ?? "unreadable";

Deno.test("gitSettings() reads sections, subsections in both forms, quotes, escapes, comments and continued lines", () => {
  const text = [
    "\ufeff# first",
    "[core] fileMode = true ; said",
    '\teditor = "vim  -c \\"x\\"" # said',
    '[Remote "Or\\"igin"]\r\n\turl = a b  \t',
    "[branch.Main]\n\tMerge=refs/x",
    "[alias]\n\tx = !touch \\\n  y\n\tbare",
  ].join("\n");
  assertEquals(read(text), [
    "core.filemode=true",
    'core.editor=vim  -c "x"',
    'remote.Or"igin.url=a b',
    "branch.main.merge=refs/x",
    "alias.x=!touch   y",
    "alias.bare=",
  ]);
});

Deno.test("gitSettings() gives nothing for what git would not read, or reads otherwise", () => {
  for (
    const text of [
      "x = 1",
      "[core\nx = 1",
      '[core]\nx = "a',
      "[core]\nx = \\q",
      "[core]\n1x = 2",
      "[core]\nx = 1\0",
    ]
  ) assertEquals(read(text), "unreadable", JSON.stringify(text));
});

Deno.test("runsPrograms() is true for all but what is known to be harmless", () => {
  const runs = (key: string, value = "x") => runsPrograms({ key, value });
  for (
    const key of [
      "core.fsmonitor",
      "core.hookspath",
      "core.sshcommand",
      "core.pager",
      "core.editor",
      "core.gitproxy",
      "core.alternaterefscommand",
      "alias.st",
      "filter.a.b.clean",
      "diff.external",
      "diff.x.textconv",
      "merge.x.driver",
      "include.path",
      "includeif.gitdir:/x.path",
      "credential.helper",
      "gpg.program",
      "remote.origin.uploadpack",
      "remote.origin.vcs",
      "protocol.ext.allow",
      "submodule.x.update",
      "trailer.x.command",
      "anything.new",
    ]
  ) assertEquals(runs(key), true, key);
  for (
    const key of [
      "core.bare",
      "core.worktree",
      "user.name",
      "remote.a.b.url",
      "branch.a.merge",
      "submodule.x.url",
    ]
  ) assertEquals(runs(key), false, key);
  assertEquals(runs("core.fsmonitor", "False"), false);
  assertEquals(runs("core.fsmonitor", "true"), true);
  assertEquals(runs("core.hookspath", "/dev/null"), false);
  assertEquals(runs("submodule.x.update", "!touch y"), true);
  assertEquals(runs("submodule.x.update", "rebase"), false);
});
