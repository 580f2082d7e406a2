import { loadSkill, type LoadSkillWorld, type SkillShelf } from "../prompt/load_skill.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import type { BuiltIn } from "./built_ins.ts";

/** The tool by which the model loads a skill, listed while the session has any. */
export function loadSkillTools(shelf: SkillShelf, world: LoadSkillWorld): readonly BuiltIn[] {
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
    isListed: () => shelf.skills.length > 0,
    run: async ({ name }) => {
      const { text, isError } = await loadSkill(name, shelf, world);
      return { isError, content: [{ type: "text", text }] };
    },
  }];
}
