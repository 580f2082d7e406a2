import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Skill } from "../persona/skill.ts";
import { loadSkillTools } from "./load_skill_tool.ts";

const SKILL: Skill = { name: "a", description: "d", folder: "/s/a", root: "/s", source: "home" };
const WORLD = {
  limits: DEFAULT_LIMITS,
  files: {
    readInside: (_folder: string, path: string) =>
      Promise.resolve({ path, bytes: new TextEncoder().encode("---\nname: a\n---\nBody") }),
    realPath: (path: string) => Promise.resolve(path),
    stat: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
  },
};

Deno.test("loadSkillTools() offers load_skill while a session has skills", () => {
  const shelf = { skills: [] as Skill[], refresh: () => Promise.resolve(shelf.skills) };
  const [tool] = loadSkillTools(shelf, WORLD);
  assertEquals(tool?.isListed?.(), false);
  shelf.skills = [SKILL];
  assertEquals(tool?.isListed?.(), true);
  assertEquals([tool?.definition.name, tool?.definition.inputSchema.required], ["load_skill", [
    "name",
  ]]);
});

Deno.test("load_skill gives a skill's text as its result, and a failure as an error result", async () => {
  const skills = [SKILL];
  const [tool] = loadSkillTools({ skills, refresh: () => Promise.resolve(skills) }, WORLD);
  const { signal } = new AbortController();
  assertEquals(await tool?.run({ name: "a" }, signal), {
    isError: false,
    content: [{ type: "text", text: "Body" }],
  });
  const failed = await tool?.run({ name: "other" }, signal);
  assertEquals([failed?.isError, failed?.content[0]], [
    true,
    { type: "text", text: 'There is no skill "other". There are: a.' },
  ]);
});
