import { assertEquals } from "@std/assert";
import { folderWith, skillText, told, writeFiles } from "../../tests/packs.ts";
import { tempFolder } from "../../tests/harness.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { Problems } from "./problems.ts";
import type { Skill } from "./skill.ts";
import { firstOfEachName, readSkills } from "./skills.ts";

async function read(
  folder: string,
  roots: readonly string[] = [folder],
): Promise<{ skills: readonly Skill[]; lines: string[] }> {
  const problems = new Problems();
  const skills = await readSkills(
    `${folder}/skills`,
    roots,
    "project",
    denoFiles(),
    DEFAULT_LIMITS,
    problems,
  );
  return { skills, lines: told(problems, folder) };
}

Deno.test("readSkills() reads each subfolder that has a SKILL.md, one level deep, by name", async () => {
  await using folder = await folderWith({
    "skills/b/SKILL.md": skillText("b", "second"),
    "skills/a/SKILL.md": skillText("a", "first"),
    "skills/a/inner/SKILL.md": skillText("inner"),
    "skills/none/README.md": "",
    "skills/.hidden/SKILL.md": skillText("hidden"),
    "skills/file.md": "",
  });
  const { skills, lines } = await read(folder.path);
  assertEquals(skills.map(({ name, description }) => [name, description]), [
    ["a", "first"],
    ["b", "second"],
  ]);
  assertEquals(lines, []);
});

Deno.test("readSkills() takes CRLF, a byte order mark, and colons in a description (T112)", async () => {
  await using folder = await folderWith({
    "skills/a/SKILL.md": skillText("a").replaceAll("\n", "\r\n"),
    "skills/b/SKILL.md": `\uFEFF${skillText("b")}`,
    "skills/c/SKILL.md": skillText("c", "Use when: x: y"),
  });
  const { skills, lines } = await read(folder.path);
  assertEquals(skills.map(({ description }) => description), ["d", "d", "Use when: x: y"]);
  assertEquals(lines, [
    'warning PACK/skills/c/SKILL.md:3:22: skill "c": its YAML is wrong: bad indentation of a mapping entry; it is read as if the values were in quotes',
  ]);
});

Deno.test("readSkills() tells of a bad skill and loads the others (T112)", async () => {
  await using folder = await folderWith({
    "skills/good/SKILL.md": skillText("good"),
    "skills/slash/SKILL.md": skillText("a/b"),
    "skills/bare/SKILL.md": "no frontmatter",
    "skills/nameless/SKILL.md": "---\ndescription: d\n---\n",
  });
  const { skills, lines } = await read(folder.path);
  assertEquals(skills.map(({ name }) => name), ["good"]);
  assertEquals(lines, [
    'error PACK/skills/bare/SKILL.md:1:1: skill "bare": it must begin with a line of "---"',
    'error PACK/skills/nameless/SKILL.md:1:1: skill "nameless": the required field "name" is missing',
    'error PACK/skills/slash/SKILL.md:2:1: skill "slash": "a/b" is no name that load_skill could be given',
  ]);
});

Deno.test("readSkills() follows links inside the allowed roots, and none that leads out (T112)", async () => {
  await using outside = await tempFolder();
  await using folder = await folderWith({
    "real/one/SKILL.md": skillText("one"),
    "skills/two/README.md": "",
    "skills/three/README.md": "",
    "text/SKILL.md": skillText("two"),
  });
  await writeFiles(outside.path, { "x/SKILL.md": skillText("x") });
  await Deno.symlink("../real/one", `${folder.path}/skills/one`);
  await Deno.symlink("../../text/SKILL.md", `${folder.path}/skills/two/SKILL.md`);
  await Deno.symlink(`${outside.path}/x/SKILL.md`, `${folder.path}/skills/three/SKILL.md`);
  await Deno.symlink(`${outside.path}/x`, `${folder.path}/skills/x`);
  const held = await read(folder.path);
  assertEquals(held.skills.map(({ name }) => name), ["one", "two"]);
  assertEquals(held.lines, [
    `error PACK/skills/three/SKILL.md: skill "three": it leads out of PACK, to ${outside.path}/x/SKILL.md`,
    `error PACK/skills/x/SKILL.md: skill "x": it leads out of PACK, to ${outside.path}/x/SKILL.md`,
  ]);
  const wider = await read(folder.path, [folder.path, outside.path]);
  assertEquals(wider.skills.map(({ name }) => name), ["one", "two", "x"]);
});

Deno.test("readSkills() takes a description of 1024 characters, and cuts one more", async () => {
  await using folder = await folderWith({
    "skills/a/SKILL.md": skillText("a", "x".repeat(1024)),
    "skills/b/SKILL.md": skillText("b", "x".repeat(1025)),
  });
  const { skills, lines } = await read(folder.path);
  assertEquals(skills.map(({ description }) => description.length), [1024, 1024]);
  assertEquals(lines, [
    'warning PACK/skills/b/SKILL.md:3:1: skill "b": its description has 1025 characters, the most is 1024: the rest is left out',
  ]);
});

Deno.test("firstOfEachName() keeps the first, and tells which one hides another", () => {
  const skill = (name: string, folder: string): Skill => (
    { name, folder, description: "", root: "/", source: "home" }
  );
  const hidden: string[] = [];
  const kept = firstOfEachName(
    [skill("a", "/1"), skill("b", "/2"), skill("a", "/3"), skill("a", "/1")],
    (each, by) => hidden.push(`${each.folder} by ${by.folder}`),
  );
  assertEquals([kept.map(({ folder }) => folder), hidden], [["/1", "/2"], ["/3 by /1"]]);
});
