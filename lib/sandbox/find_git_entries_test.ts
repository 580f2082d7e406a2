import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../limits.ts";
import { findGitEntries } from "./find_git_entries.ts";
import { memoryFiles } from "./test_world.ts";

const TREE = {
  "/ws/b/.git/config": "x",
  "/ws/a/deep/.git": "gitdir: /elsewhere",
  "/ws/c/.git": "->/elsewhere",
  "/ws/c/x": "x",
};

async function found(
  tree: Record<string, string>,
  limits: Partial<typeof DEFAULT_LIMITS> = {},
): Promise<[string[], boolean]> {
  const { entries, isWhole } = await findGitEntries("/ws", memoryFiles(tree), {
    ...DEFAULT_LIMITS,
    ...limits,
  });
  return [entries.map(({ folder, kind }) => `${folder} ${kind}`), isWhole];
}

Deno.test("findGitEntries() finds folders, files and links, the nearest first and then by name", async () => {
  assertEquals(await found({ ...TREE, "/ws/.git/HEAD": "x" }), [
    [" folder", "b folder", "c link", "a/deep file"],
    true,
  ]);
});

Deno.test("findGitEntries() enters neither .git nor node_modules, and follows no link", async () => {
  const tree = {
    "/ws/.git/modules/a/.git": "x",
    "/ws/node_modules/a/.git": "x",
    "/ws/link": "->/other",
    "/other/.git/config": "x",
  };
  assertEquals(await found(tree), [[" folder"], true]);
});

Deno.test("findGitEntries() looks at as many entries as its limit, and says when there is one more", async () => {
  // a, b, c; a/deep; c/x
  assertEquals(await found(TREE, { maxGitWalkEntries: 5 }), [
    ["b folder", "c link", "a/deep file"],
    true,
  ]);
  assertEquals((await found(TREE, { maxGitWalkEntries: 4 }))[1], false);
  assertEquals(await found(TREE, { maxGitWalkEntries: 2 }), [["b folder"], false]);
});

Deno.test("findGitEntries() goes as deep as its limit, and says when there is a folder deeper", async () => {
  assertEquals((await found(TREE, { maxGitWalkDepth: 2 }))[1], true);
  assertEquals(await found(TREE, { maxGitWalkDepth: 1 }), [["b folder", "c link"], false]);
});

Deno.test("findGitEntries() finds what lies in a folder that cannot be listed", async () => {
  const files = memoryFiles({ "/ws/shut/.git/config": "x" });
  const { entries } = await findGitEntries("/ws", {
    ...files,
    list: (path) => path === "/ws/shut" ? Promise.reject(new Error("no")) : files.list(path),
  }, DEFAULT_LIMITS);
  assertEquals(entries, [{ folder: "shut", kind: "folder" }]);
});
