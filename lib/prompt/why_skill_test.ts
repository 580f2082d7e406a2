import { assertEquals, assertStringIncludes } from "@std/assert";
import { folderWith, skillText } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Skill } from "../persona/skill.ts";
import { whySkill } from "./why_skill.ts";

const FILES = {
  ".agents/skills/good/SKILL.md": skillText("good"),
  ".agents/skills/twice/SKILL.md": skillText("twice"),
  ".claude/skills/twice/SKILL.md": skillText("twice"),
  ".agents/skills/bad/SKILL.md": "no frontmatter\n",
  ".agents/skills/empty/notes.md": "x",
  ".agents/skills/folder/SKILL.md": skillText("other"),
  "skills/lost/SKILL.md": skillText("lost"),
  "pack/skills/own/SKILL.md": skillText("own"),
  "pack/skills/theirs/SKILL.md": skillText("theirs"),
};

async function place(offBy?: string) {
  const folder = await folderWith(FILES);
  const packFolder = `${folder.path}/pack`;
  const own: Skill = {
    name: "own",
    description: "d",
    folder: `${packFolder}/skills/own`,
    root: packFolder,
    source: "pack",
  };
  const search = { cwd: folder.path, home: undefined, pack: [own], packFolder, offBy };
  return {
    why: (name: string) => whySkill(name, search, denoFiles(), DEFAULT_LIMITS),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("whySkill() goes through hints, folder, frontmatter and shadow of a skill that is there", async () => {
  await using skills = await place();
  for (const name of ["good", "own"]) {
    const found = await skills.why(name);
    assertEquals([found?.kind, found?.isThere, found?.advice], ["skill", true, undefined]);
    assertEquals(found?.checks.map(({ what, outcome }) => `${what} ${outcome}`), [
      "hints passed",
      "folder passed",
      "frontmatter passed",
      "shadow passed",
    ]);
  }
});

Deno.test("whySkill() names the check that keeps a skill away, and what to do", async () => {
  await using skills = await place();
  const cases: [name: string, what: string, text: string, advice: string][] = [
    ["bad", "frontmatter", "/bad/SKILL.md:1:1: ", "mend that file"],
    ["empty", "folder", "/empty has no SKILL.md", "write "],
    ["lost", "folder", "is in none of the folders that are looked through", "/.agents/skills"],
    ["theirs", "folder", "that this persona does not have", '"skills" of the persona'],
  ];
  for (const [name, what, text, advice] of cases) {
    const found = await skills.why(name);
    const last = found?.checks.at(-1);
    assertEquals([found?.isThere, last?.what, last?.outcome], [false, what, "failed"]);
    assertStringIncludes(last?.text ?? "", text);
    assertStringIncludes(found?.advice ?? "", advice);
  }
});

Deno.test("whySkill() says which skill comes before another of its name, and whose name is not its folder's", async () => {
  await using skills = await place();
  const twice = await skills.why("twice");
  assertEquals([twice?.isThere, twice?.checks.at(-1)?.outcome], [true, "noted"]);
  assertStringIncludes(twice?.checks.at(-1)?.text ?? "", "/.agents/skills/twice comes before ");
  const folder = await skills.why("folder");
  assertEquals([folder?.isThere, folder?.name], [true, "other"]);
  assertEquals(folder?.checks[2], {
    what: "frontmatter",
    outcome: "noted",
    text: 'its name is "other", its folder\'s "folder"',
  });
});

Deno.test("whySkill() lays the absence of a workspace's skill to what switches hints off, not the pack's", async () => {
  await using skills = await place("--no-hints");
  const good = await skills.why("good");
  assertEquals([good?.isThere, good?.checks.map(({ what }) => what)], [false, ["hints"]]);
  assertStringIncludes(good?.checks[0]?.text ?? "", "are off: --no-hints");
  assertEquals((await skills.why("own"))?.isThere, true);
});

Deno.test("whySkill() gives nothing for a name without a trace, or one that is a path", async () => {
  await using skills = await place();
  for (const name of ["nobody", "../skills/lost", ".", "", "a\0b"]) {
    assertEquals(await skills.why(name), undefined);
  }
});
