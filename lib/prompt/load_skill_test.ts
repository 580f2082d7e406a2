import { assertEquals, assertStringIncludes } from "@std/assert";
import { folderWith, skillText, writeFiles } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { findSkills } from "./find_skills.ts";
import { type LoadedSkill, loadSkill, type SkillShelf } from "./load_skill.ts";

/** Loads skills of a workspace, as a session would. */
async function loader(
  cwd: string,
  limits = DEFAULT_LIMITS,
): Promise<(name: unknown) => Promise<LoadedSkill>> {
  const look = async () =>
    (await findSkills({ cwd, home: undefined, pack: [] }, denoFiles(), limits)).skills;
  const shelf: { skills: SkillShelf["skills"] } & SkillShelf = {
    skills: await look(),
    refresh: async () => shelf.skills = await look(),
  };
  return (name) => loadSkill(name, shelf, { files: denoFiles(), limits });
}

const AT = ".agents/skills";

Deno.test("loadSkill() gives the body without its frontmatter, and lists the supporting files", async () => {
  await using folder = await folderWith({
    [`${AT}/a/SKILL.md`]: skillText("a", "d", "\nDo this.\n"),
    [`${AT}/a/scripts/run.sh`]: "echo",
    [`${AT}/a/notes.md`]: "n",
    [`${AT}/a/inner/SKILL.md`]: skillText("inner"),
    [`${AT}/a/inner/more.md`]: "m",
    [`${AT}/b/SKILL.md`]: skillText("b", "d", "Alone."),
  });
  const load = await loader(folder.path);
  assertEquals((await load("a")).text.replaceAll(folder.path, "W").split("\n"), [
    "(This skill comes from the workspace. It ranks as project_hints do.)",
    "",
    "Do this.",
    "",
    "## Supporting Files",
    "",
    `In W/${AT}/a:`,
    '- notes.md (load_skill "a/notes.md")',
    '- scripts/run.sh (load_skill "a/scripts/run.sh")',
  ]);
  assertEquals((await load("b")).text.split("\n").at(-1), "Alone.");
});

Deno.test("loadSkill() gives a supporting file by NAME/PATH, with either slash", async () => {
  await using folder = await folderWith({
    [`${AT}/a/SKILL.md`]: skillText("a"),
    [`${AT}/a/x/y.md`]: "text",
  });
  const load = await loader(folder.path);
  for (const name of ["a/x/y.md", "a\\x\\y.md"]) {
    assertEquals(await load(name), {
      isError: false,
      text: "# Loaded: a/x/y.md\n\ntext\n\n---\nThis is the end of a/x/y.md.",
    });
  }
});

Deno.test("loadSkill() names what there is when it is asked for what is not", async () => {
  await using folder = await folderWith({
    [`${AT}/deploy/SKILL.md`]: skillText("deploy"),
    [`${AT}/deploy/x.md`]: "",
    [`${AT}/plain/SKILL.md`]: skillText("plain"),
  });
  const load = await loader(folder.path);
  const text = async (name: unknown) => {
    const { text, isError } = await load(name);
    assertEquals(isError, true);
    return text;
  };
  assertEquals(
    await text("deplyo"),
    'There is no skill "deplyo". There are: deploy, plain. Did you mean "deploy"?',
  );
  assertEquals(await text("deploy/y.md"), 'The skill "deploy" has no file "y.md": it has x.md');
  assertEquals(
    await text("plain/y"),
    'The skill "plain" has no file "y": it has no supporting files',
  );
  for (const name of [undefined, 7, "", " "]) {
    assertStringIncludes(await text(name), 'load_skill needs "name"');
  }
});

Deno.test("loadSkill() reaches nothing outside of the skill's folder", async () => {
  await using outside = await folderWith({ "secret.md": "secret" });
  await using folder = await folderWith({
    [`${AT}/a/SKILL.md`]: skillText("a"),
    [`${AT}/a/real.md`]: "real",
    [`${AT}/b/SKILL.md`]: skillText("b"),
    [`${AT}/secret.md`]: "secret",
  });
  await Deno.symlink(`${outside.path}/secret.md`, `${folder.path}/${AT}/a/link.md`);
  await Deno.symlink(outside.path, `${folder.path}/${AT}/a/folder`);
  await Deno.symlink(".", `${folder.path}/${AT}/a/loop`);
  const load = await loader(folder.path);
  const leftOut = (await load("a")).text.split("\n").filter((line) =>
    line.includes("cannot be loaded")
  );
  assertEquals(leftOut.sort(), [
    "- folder cannot be loaded: it is a link that leads out of the skill",
    "- link.md cannot be loaded: it is a link that leads out of the skill",
    "- loop cannot be loaded: it is a link back to the skill",
  ]);
  for (
    const name of [
      "a/link.md",
      "a/folder/secret.md",
      "a/../secret.md",
      "a/../b/SKILL.md",
      `a/${outside.path}/secret.md`,
      "a//real.md",
      "a/loop/real.md",
      "a/SKILL.md",
      "a/\0",
    ]
  ) {
    const { isError, text } = await load(name);
    assertEquals([name, isError, text.includes("secret\n")], [name, true, false]);
  }
});

Deno.test("loadSkill() never gives a file that is swapped for a link while it is read", async () => {
  await using outside = await folderWith({ "secret.md": "SECRET" });
  await using folder = await folderWith({
    [`${AT}/a/SKILL.md`]: skillText("a"),
    [`${AT}/a/x.md`]: "plain",
    "spare.md": "plain",
  });
  await Deno.symlink(`${outside.path}/secret.md`, `${folder.path}/evil.md`);
  const load = await loader(folder.path);
  const target = `${folder.path}/${AT}/a/x.md`;
  let isOver = false;
  const swapping = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const next = `${folder.path}/next`;
      if (turn % 2 === 0) await Deno.symlink(`${outside.path}/secret.md`, next);
      else await Deno.writeTextFile(next, "plain");
      await Deno.rename(next, target);
    }
  })();
  let good = 0;
  for (let round = 0; round < 200 || good === 0; round++) {
    const { text } = await load("a/x.md");
    assertEquals(text.includes("SECRET"), false);
    if (text.includes("plain")) good++;
  }
  isOver = true;
  await swapping;
});

Deno.test("loadSkill() reads what is on the disk now: a change, a new skill, one that is gone", async () => {
  await using folder = await folderWith({ [`${AT}/a/SKILL.md`]: skillText("a", "d", "old") });
  const load = await loader(folder.path);
  await writeFiles(folder.path, {
    [`${AT}/a/SKILL.md`]: skillText("a", "d", "new"),
    [`${AT}/b/SKILL.md`]: skillText("b", "d", "added"),
  });
  assertStringIncludes((await load("a")).text, "new");
  assertStringIncludes((await load("b")).text, "added");
  await Deno.remove(`${folder.path}/${AT}/a`, { recursive: true });
  assertEquals(await load("a"), {
    isError: true,
    text: 'The skill "a" is gone: it has no SKILL.md',
  });
});

Deno.test("loadSkill() cuts a long text with a mark, and a long list of files", async () => {
  await using folder = await folderWith({
    [`${AT}/a/SKILL.md`]: skillText("a", "d", "x".repeat(300)),
    [`${AT}/a/1.md`]: "y".repeat(300),
    [`${AT}/a/2.md`]: "",
  });
  const load = await loader(folder.path, {
    ...DEFAULT_LIMITS,
    maxSkillTextBytes: 256,
    maxSkillFiles: 1,
  });
  assertStringIncludes((await load("a")).text, "\n[cut here: these are the first 256 of ");
  assertStringIncludes((await load("a/1.md")).text, "\n[cut here: these are the first 256 of ");
  const wide = await loader(folder.path, { ...DEFAULT_LIMITS, maxSkillFiles: 1 });
  assertStringIncludes(
    (await wide("a")).text,
    '\n- 1.md (load_skill "a/1.md")\n- … and more than 1',
  );
});
