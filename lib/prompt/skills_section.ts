import { LIMITS } from "../limits.ts";
import type { Skill } from "../persona/skill.ts";
import { section } from "./section.ts";

/** The tool that loads a skill. */
export const LOAD_SKILL = "load_skill";

/** Names and descriptions of the skills as one section of the prompt; empty when there are none. */
export function skillsSection(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const listed = skills.slice(0, LIMITS.maxListedSkills.value);
  const more = skills.length - listed.length;
  const lines = listed.map(({ name, description, source }) => {
    const origin = source === "project" ? " (of the workspace)" : "";
    return `- ${name}${origin}: ${description.replaceAll(/\s+/g, " ")}`;
  });
  return section(
    "skills",
    [
      `Call ${LOAD_SKILL} with a name before you do what a skill is about: it gives the instructions.`,
      ...lines,
      ...(more === 0
        ? []
        : [`… and ${more} more that are not listed; ${LOAD_SKILL} takes their names.`]),
    ].join("\n"),
  );
}
