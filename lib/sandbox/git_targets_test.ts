import { assertEquals } from "@std/assert";
import { gitTargets } from "./git_targets.ts";
import { memoryFiles } from "./test_world.ts";

/** What is held, as a file or a folder where it is missing, relative to the workspace. */
async function held(files: Record<string, string>, holder = "/ws"): Promise<string[]> {
  const targets = await gitTargets(holder, "/ws", memoryFiles({ "/ws": "/", ...files }));
  return targets.map(({ path, placeholder: { text } }) =>
    `${path.slice("/ws/".length)} ${text === undefined ? "folder" : "file"}`
  ).sort();
}

Deno.test("gitTargets() has the folder of hooks, included settings, those they include, and programs named by a path", async () => {
  const config = `[core]\n\thooksPath = .githooks\n\tpager = less -R\n\teditor = "./bin/edit" -x
[include]\n\tpath = ../shared/one.inc\n[includeIf "gitdir:/x"]\n\tpath = two.inc
[filter "x"]\n\tclean = tools/clean %f\n[alias]\n\tx = !./run.sh a\n`;
  const found = await held({
    "/ws/.git/config": config,
    "/ws/.githooks/pre-commit": "x",
    "/ws/shared/one.inc": "[core]\n\tfsmonitor = /ws/watch/man\n",
    "/ws/.git/two.inc": "x",
    "/ws/bin/edit": "x",
    "/ws/tools/clean": "x",
    "/ws/run.sh": "x",
    "/ws/watch/man": "x",
  });
  assertEquals(found, [
    ".git/two.inc file",
    ".githooks folder",
    "bin/edit file",
    "run.sh file",
    "shared/one.inc file",
    "tools/clean file",
    "watch/man file",
  ]);
});

Deno.test("gitTargets() holds the first folder that is missing on the way", async () => {
  const config = "[core]\n\thooksPath = a/b/c\n[include]\n\tpath = gone.inc\n\tpath = ../d/e.inc\n";
  assertEquals(await held({ "/ws/.git/config": config, "/ws/a/x": "x" }), [
    ".git/gone.inc file",
    "a/b folder",
    "d folder",
  ]);
});

Deno.test("gitTargets() leaves out what lies outside, and what holds the repository itself", async () => {
  const config =
    "[core]\n\thooksPath = .\n\tfsmonitor = /usr/bin/x\n[include]\n\tpath = ~/x\n\tpath = /etc/x\n";
  assertEquals(await held({ "/ws/.git/config": config }), []);
});

Deno.test("gitTargets() reads a bare repository's own settings, and no other file of that name", async () => {
  const config = { "/ws/b/config": "[core]\n\thooksPath = /ws/h\n" };
  assertEquals(await held({ ...config, "/ws/b/HEAD": "x" }, "/ws/b"), ["h folder"]);
  assertEquals(await held(config, "/ws/b"), []);
});

Deno.test("gitTargets() ends where files include each other", async () => {
  const loop = "[include]\n\tpath = /ws/loop\n";
  assertEquals(await held({ "/ws/.git/config": loop, "/ws/loop": loop }), ["loop file"]);
});
