import { assertEquals } from "@std/assert";
import { tempFolder } from "../../tests/harness.ts";
import { folderWith } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type FoundHints, readHints } from "./hints.ts";

const LIMITS = DEFAULT_LIMITS;

function read(cwd: string, home?: string, limits = LIMITS): Promise<FoundHints> {
  return readHints(cwd, home, denoFiles(), limits);
}

/** The texts of what was found, in order. */
async function texts(cwd: string, home?: string): Promise<string[]> {
  return (await read(cwd, home)).hints.map(({ text }) => text);
}

Deno.test("readHints() reads cwd alone outside of a repository, and nothing where there is nothing", async () => {
  await using folder = await folderWith({ "AGENTS.md": "top", "a/AGENTS.md": "a", "b/x": "" });
  assertEquals(await texts(`${folder.path}/a`), ["a"]);
  assertEquals(await texts(`${folder.path}/b`), []);
});

Deno.test("readHints() reads from the repository's root down to cwd, root first", async () => {
  await using folder = await folderWith({
    "AGENTS.md": "above",
    "r/.git/HEAD": "",
    "r/AGENTS.md": "root",
    "r/a/b/AGENTS.md": "b",
    "r/other/AGENTS.md": "other",
  });
  assertEquals(await texts(`${folder.path}/r/a/b`), ["root", "b"]);
});

Deno.test("readHints() takes a worktree's .git file for a repository's root", async () => {
  await using folder = await folderWith({
    "AGENTS.md": "root",
    ".git": "gitdir: x",
    "a/AGENTS.md": "a",
  });
  assertEquals(await texts(`${folder.path}/a`), ["root", "a"]);
});

Deno.test("readHints() reads the home folder first, and once", async () => {
  await using home = await folderWith({ "AGENTS.md": "home", ".git/HEAD": "", "w/AGENTS.md": "w" });
  await using work = await folderWith({ "AGENTS.md": "work" });
  assertEquals(await texts(work.path, home.path), ["home", "work"]);
  assertEquals(await texts(`${home.path}/w`, home.path), ["home", "w"]);
  assertEquals(await texts(work.path, `${home.path}/none`), ["work"]);
});

Deno.test("readHints() leaves out what is no text or leads out, and says so", async () => {
  await using outside = await folderWith({ "secret": "s" });
  await using folder = await folderWith({ ".git": "", "a/b/AGENTS.md": "b" });
  await Deno.symlink(`${outside.path}/secret`, `${folder.path}/AGENTS.md`);
  await Deno.writeFile(`${folder.path}/a/AGENTS.md`, new Uint8Array([0xff, 0xfe]));
  const { hints, notices } = await read(`${folder.path}/a/b`);
  assertEquals(hints.map(({ text }) => text), ["b"]);
  assertEquals(notices.map((notice) => notice.replaceAll(folder.path, "W")), [
    'W/AGENTS.md is left out: Cannot read "W/AGENTS.md": it leads out of W',
    "W/a/AGENTS.md is left out: it is not UTF-8 text",
  ]);
});

Deno.test("readHints() follows a link inside the repository", async () => {
  await using folder = await folderWith({ ".git": "", "docs/rules.md": "rules", "a/x": "" });
  await Deno.symlink("../docs/rules.md", `${folder.path}/a/AGENTS.md`);
  assertEquals(await texts(`${folder.path}/a`), ["rules"]);
});

Deno.test("readHints() leaves out a folder of that name, and says so", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/AGENTS.md`);
  const { hints, notices } = await read(folder.path);
  assertEquals([hints.length, notices.length], [0, 1]);
});

Deno.test("readHints() takes hints exactly at their limit; past it cuts with a mark, and names the rest", async () => {
  await using folder = await folderWith({
    ".git": "",
    "AGENTS.md": "1234",
    "a/AGENTS.md": "5678",
    "a/b/AGENTS.md": "9",
  });
  const at = (maxHintsBytes: number) =>
    read(`${folder.path}/a/b`, undefined, { ...LIMITS, maxHintsBytes });
  assertEquals((await at(9)).notices, []);
  const { hints, notices } = await at(7);
  assertEquals(hints.map(({ text }) => text), [
    "1234",
    "567\n[cut here: these are the first 3 of 4 bytes]",
  ]);
  assertEquals(notices.map((notice) => notice.replaceAll(folder.path, "W")), [
    "W/a/AGENTS.md is cut: 3 of its 4 bytes fit",
    "W/a/b/AGENTS.md is left out: the hints before it have 7 bytes, the limit",
  ]);
});
