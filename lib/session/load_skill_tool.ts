import { loadSkill, type LoadSkillWorld, type SkillShelf } from "../prompt/load_skill.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import type { BuiltIn } from "./built_ins.ts";

/** The tool by which the model loads a skill; none for a session that has no skills. */
export function loadSkillTools(shelf: SkillShelf, world: LoadSkillWorld): readonly BuiltIn[] {
  if (shelf.skills.length === 0) return [];
  return [{
    definition: {
      name: LOAD_SKILL,
      description:
        "Loads the instructions of a skill by its name, or one of its files by NAME/PATH.",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string", description: "The skill, or NAME/PATH" } },
        required: ["name"],
      },
    },
    run: async ({ name }) => {
      const { text, isError } = await loadSkill(name, shelf, world);
      return { isError, content: [{ type: "text", text }] };
    },
  }];
}
