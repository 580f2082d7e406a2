import { assertEquals } from "@std/assert";
import { folderWith, skillText } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Skill } from "../persona/skill.ts";
import { findSkills } from "./find_skills.ts";

const PACK: Skill = { name: "p", description: "pack", folder: "/p/p", root: "/p", source: "pack" };

Deno.test("findSkills() takes the workspace's before the pack's before the home folder's", async () => {
  await using home = await folderWith({
    ".agents/skills/a/SKILL.md": skillText("a", "home"),
    ".agents/skills/h/SKILL.md": skillText("h", "home"),
    ".agents/skills/p/SKILL.md": skillText("p", "home"),
    ".claude/skills/x/SKILL.md": skillText("x", "home"),
  });
  await using work = await folderWith({
    ".agents/skills/a/SKILL.md": skillText("a", "agents"),
    ".goose/skills/a/SKILL.md": skillText("a", "goose"),
    ".goose/skills/g/SKILL.md": skillText("g", "goose"),
    ".claude/skills/c/SKILL.md": skillText("c", "claude"),
  });
  const places = { cwd: work.path, home: home.path, pack: [PACK] };
  const { skills, notices } = await findSkills(places, denoFiles(), DEFAULT_LIMITS);
  assertEquals(skills.map(({ name, description }) => `${name} ${description}`), [
    "a agents",
    "g goose",
    "c claude",
    "p pack",
    "h home",
  ]);
  assertEquals(notices, []);
});

Deno.test("findSkills() counts the home folder's own as the person's when that is the workspace", async () => {
  await using home = await folderWith({ ".agents/skills/h/SKILL.md": skillText("h") });
  const places = { cwd: home.path, home: home.path, pack: [] };
  const { skills } = await findSkills(places, denoFiles(), DEFAULT_LIMITS);
  assertEquals(skills.map(({ name, source }) => [name, source]), [["h", "home"]]);
});

Deno.test("findSkills() loads a workspace's link to a skill of the person's own, and tells of one that leads out (T112)", async () => {
  await using home = await folderWith({ ".agents/skills/h/SKILL.md": skillText("h") });
  await using outside = await folderWith({ "o/SKILL.md": skillText("o") });
  await using work = await folderWith({ ".agents/skills/w/SKILL.md": skillText("w") });
  await Deno.symlink(`${home.path}/.agents/skills/h`, `${work.path}/.agents/skills/h`);
  await Deno.symlink(`${outside.path}/o`, `${work.path}/.agents/skills/o`);
  const places = { cwd: work.path, home: home.path, pack: [] };
  const { skills, notices } = await findSkills(places, denoFiles(), DEFAULT_LIMITS);
  assertEquals(skills.map(({ name }) => name), ["h", "w"]);
  assertEquals(notices.length, 1);
  assertEquals(notices[0]?.startsWith('skill "o" is left out. '), true);
});

Deno.test("a workspace's skill with a warning, and the second of one name in one folder, were dropped without a word", async () => {
  await using folder = await folderWith({
    ".agents/skills/s/SKILL.md": skillText("s"),
    ".agents/skills/t/SKILL.md": skillText("s"),
  });
  const { skills, notices } = await findSkills(
    { cwd: folder.path, home: undefined, pack: [] },
    denoFiles(),
    DEFAULT_LIMITS,
  );
  const at = `${folder.path}/.agents/skills`;
  assertEquals(skills.map((skill) => skill.folder), [`${at}/s`]);
  assertEquals(notices, [
    `${at}/t/SKILL.md:2:1: its name "s" differs from that of its folder, "t"`,
    `skill "s" in ${at}/t is left out: ${at}/s has one of that name`,
  ]);
});
