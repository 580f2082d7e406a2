import { assertEquals } from "@std/assert";
import { folderWith, MANIFEST, skillText } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { loadPack } from "./pack.ts";

function persona(name: string, skills: string): string {
  return `---\nname: ${name}\ndisplay_name: N\ndescription: d\nskills: ${skills}\n---\n`;
}

/** The names of the skills that each persona has. */
async function skillsOf(
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string[]>> {
  await using folder = await folderWith({
    ".plugin/plugin.json": JSON.stringify({ ...MANIFEST, personas: ["a.md", "b.md"] }),
    ...files,
  });
  const { pack } = await loadPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  return Object.fromEntries([...pack.skills].map(([name, skills]) => [
    name,
    skills.map((skill) => skill.name),
  ]));
}

Deno.test("a skill that a persona claims is for those that claim it, the others are for all", async () => {
  assertEquals(
    await skillsOf({
      "a.md": persona("a", "[./skills/mine/, both]"),
      "b.md": persona("b", "[skills/both]"),
      "skills/mine/SKILL.md": skillText("mine"),
      "skills/both/SKILL.md": skillText("both"),
      "skills/free/SKILL.md": skillText("free"),
    }),
    { a: ["both", "free", "mine"], b: ["both", "free"] },
  );
});

Deno.test("a pack without skills gives none", async () => {
  assertEquals(await skillsOf({ "a.md": persona("a", "[]"), "b.md": persona("b", "") }), {
    a: [],
    b: [],
  });
});
