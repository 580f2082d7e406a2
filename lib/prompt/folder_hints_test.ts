import { assertEquals } from "@std/assert";
import { folderWith } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { FolderHints } from "./folder_hints.ts";

Deno.test("FolderHints gives the hints of a folder once, when a call first works there", async () => {
  await using folder = await folderWith({
    "AGENTS.md": "top",
    "a/AGENTS.md": "in a",
    "a/b/AGENTS.md": "in b",
    "a/b/x.ts": "",
    "c/x.ts": "",
  });
  const hints = new FolderHints(folder.path, denoFiles(), DEFAULT_LIMITS);
  const first = await hints.after({ path: "a/b/x.ts" });
  assertEquals(first?.match(/^in [ab]$/gm), ["in a", "in b"]);
  assertEquals(first?.includes("top"), false);
  assertEquals(await hints.after({ path: "a/b/x.ts" }), undefined);
  assertEquals(await hints.after({ workdir: `${folder.path}/a` }), undefined);
  assertEquals(await hints.after({ path: "c/x.ts" }), undefined);
});

Deno.test("FolderHints takes a path and a command's folder relative to the call's own folder", async () => {
  await using folder = await folderWith({
    "a/AGENTS.md": "in a",
    "a/b/AGENTS.md": "in b",
    "c/AGENTS.md": "in c",
  });
  const hints = new FolderHints(folder.path, denoFiles(), DEFAULT_LIMITS);
  const given = async (...call: Parameters<FolderHints["after"]>) =>
    (await hints.after(...call))?.match(/^in [abc]$/gm);
  assertEquals(await given({ path: "b/x.ts" }), undefined);
  assertEquals(await given({ workdir: "a", path: "b/x.ts" }), ["in a", "in b"]);
  assertEquals(await given({ workdir: "a", command: "cd ../c" }, ["../c"]), ["in c"]);
});

Deno.test("hints of a folder that cannot be used were left out without a word", async () => {
  await using outside = await folderWith({ "AGENTS.md": "outside" });
  await using folder = await folderWith({ "a/x.ts": "" });
  const path = `${folder.path}/a/AGENTS.md`;
  await Deno.symlink(`${outside.path}/AGENTS.md`, path);
  const told: string[] = [];
  const tell = (text: string) => void told.push(text);
  const hints = new FolderHints(folder.path, denoFiles(), DEFAULT_LIMITS, tell);
  const text = await hints.after({ path: "a/x.ts" });
  assertEquals(told.length, 1);
  assertEquals(told[0]?.startsWith(`${path} is left out: `), true);
  assertEquals(text?.includes(told[0] ?? "?"), true);
  assertEquals(text?.includes("outside"), false);
});

Deno.test("FolderHints looks at folders of the workspace alone", async () => {
  await using outside = await folderWith({ "AGENTS.md": "outside" });
  await using folder = await folderWith({ "a/x": "" });
  await Deno.symlink(outside.path, `${folder.path}/link`);
  const hints = new FolderHints(folder.path, denoFiles(), DEFAULT_LIMITS);
  for (const path of [`${outside.path}/x`, "../x", "\0", "", "."]) {
    assertEquals([path, await hints.after({ path })], [path, undefined]);
  }
  assertEquals((await hints.after({ path: "link/x" }))?.includes("\noutside"), false);
  assertEquals(await hints.after({ path: 7, text: "a/x" }), undefined);
});
