import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { folderWith, packOf } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import {
  checkContent,
  contentDigest,
  type PackEntry,
  pathProblem,
  readContent,
} from "./pack_content.ts";

const LIMITS = DEFAULT_LIMITS;

function entry(path: string, text = "", isExecutable = false): PackEntry {
  return { path, bytes: new TextEncoder().encode(text), isExecutable };
}

function refusal(entries: readonly PackEntry[], limits = LIMITS): string {
  return assertThrows(() => checkContent(entries, "A", limits), Error).message
    .replace("Cannot use A: ", "");
}

Deno.test("checkContent() takes plain paths, deep ones and ones of other scripts too", () => {
  const paths = [".plugin/plugin.json", "a/b/c/d.md", "skills/größe/SKILL.md", "x..y", "a b"];
  checkContent(paths.map((path) => entry(path)), "A", LIMITS);
});

Deno.test("checkContent() refuses paths that lead out, or mean something else on another system", () => {
  const paths = [
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a/./b",
    "a//b",
    "a/",
    "a\\..\\b",
    "C:/x",
    "C:x",
    "a\0b",
    "a\nb",
    "con",
    "a/NUL.txt",
    "a.",
    "a ",
    "a*",
    "e\u0301",
    "\ud800",
    "x".repeat(513),
  ];
  for (const path of paths) {
    assertEquals([path, refusal([entry(path)]).startsWith("its entry ")], [path, true]);
  }
});

Deno.test("checkContent() refuses two names that one system takes for the same, and a file that is a folder", () => {
  assertEquals(refusal([entry("a/B"), entry("A/b")]), '"a/B" and "A/b" are one name');
  assertEquals(refusal([entry("a"), entry("a")]), '"a" and "a" are one name');
  assertEquals(refusal([entry("x"), entry("X/y")]), '"x" is a file and a folder');
});

Deno.test("checkContent() takes a pack exactly at each limit, and refuses one more", () => {
  const limits = { ...LIMITS, maxPackArchiveBytes: 4, maxPackFileBytes: 3, maxPackFiles: 2 };
  checkContent([entry("a", "123"), entry("b", "4")], "A", limits);
  assertEquals(refusal([entry("a", "1234")], limits), 'its entry "a" has 4 bytes, the limit is 3');
  assertEquals(
    refusal([entry("a", "123"), entry("b", "45")], limits),
    "it unpacks to more than 4 bytes, the limit",
  );
  assertEquals(
    refusal([entry("a"), entry("b"), entry("c")], limits),
    "it has 3 files, the limit is 2",
  );
});

Deno.test("readContent() reads all files sorted, without what is no part of a pack", async () => {
  await using folder = await folderWith({
    ...packOf(),
    "hooks/x.sh": "echo",
    ".git/HEAD": "",
    "skills/a/node_modules/x": "",
  });
  await Deno.chmod(`${folder.path}/hooks/x.sh`, 0o755);
  const entries = await readContent(folder.path, denoFiles(), LIMITS);
  assertEquals(entries.map(({ path, isExecutable }) => [path, isExecutable]), [
    [".plugin/plugin.json", false],
    ["agents/a.persona.md", false],
    ["hooks/x.sh", true],
  ]);
});

Deno.test("readContent() refuses a link, wherever it leads", async () => {
  for (const target of ["agents/a.persona.md", "/etc/passwd", "agents"]) {
    await using folder = await folderWith(packOf());
    await Deno.symlink(target, `${folder.path}/link`);
    const error = await assertRejects(() => readContent(folder.path, denoFiles(), LIMITS), Error);
    assertEquals(
      error.message.replace(folder.path, "P"),
      "Cannot use P/link: a pack that moves has plain files and folders alone",
    );
  }
});

Deno.test("contentDigest() is the same for the same files in any order, and another for any other", async () => {
  const files = [entry("a", "1"), entry("b", "2")];
  const digest = await contentDigest(files);
  assertEquals(digest, "sha256:e5bbca4b604dbda37b93792a3af53a95b48e2949f9ff620f68f006c02496af18");
  assertEquals(await contentDigest(files.toReversed()), digest);
  const others = [
    [entry("a", "1"), entry("b", "3")],
    [entry("a", "1"), entry("c", "2")],
    [entry("a", "1", true), entry("b", "2")],
    [entry("a", "1")],
    [entry("a", "12"), entry("b", "")],
  ];
  const digests = new Set([digest, ...await Promise.all(others.map(contentDigest))]);
  assertEquals(digests.size, 6);
});

Deno.test("pathProblem() took characters that a terminal acts on or hides", () => {
  for (const each of ["a\u001b[2J", "a\u0085b", "a\u202eb", "a\u200bb", "a\u2028b"]) {
    assertEquals(pathProblem(each), "has a character that not every system takes");
  }
  assertEquals(pathProblem("skills/größe/SKILL.md"), undefined);
});
