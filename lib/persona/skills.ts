import { join } from "@std/path";
import { messageOf } from "../errors.ts";
import { Problems } from "./problems.ts";
import {
  readSkill,
  type Skill,
  type SkillFiles,
  type SkillLimits,
  type SkillSource,
} from "./skill.ts";

/** How many folders are looked at side by side. */
const AT_ONCE = 16;

/**
 * Reads each direct subfolder of a folder that holds a SKILL.md, in the order of their names. A bad one
 * is left out and told; it keeps no other from loading (T112).
 *
 * @param roots Canonical folders that links may lead into.
 * @returns none when there is no such folder.
 */
export async function readSkills(
  folder: string,
  roots: readonly string[],
  source: SkillSource,
  files: SkillFiles,
  limits: SkillLimits,
  problems: Problems,
): Promise<readonly Skill[]> {
  let names: readonly string[];
  try {
    if (!(await files.stat(folder))?.isDirectory) return [];
    names = (await files.list(folder)).filter((name) => !name.startsWith("."));
  } catch (cause) {
    problems.error(folder, messageOf(cause), { cause });
    return [];
  }
  const skills: Skill[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const read = await Promise.all(
      names.slice(from, from + AT_ONCE).map(async (name) => {
        const own = new Problems();
        const path = join(folder, name);
        return { name, own, skill: await readSkill(path, roots, source, files, limits, own) };
      }),
    );
    for (const { name, own, skill } of read) {
      problems.addPart(`skill "${name}"`, own);
      if (skill !== undefined) skills.push(skill);
    }
  }
  return skills;
}

/** The skills of several places, of which the first of a name is taken; each further one is told. */
export function firstOfEachName(
  skills: readonly Skill[],
  onHidden: (hidden: Skill, by: Skill) => void,
): readonly Skill[] {
  const byName = new Map<string, Skill>();
  for (const skill of skills) {
    const first = byName.get(skill.name);
    if (first === undefined) byName.set(skill.name, skill);
    else if (first.folder !== skill.folder) onHidden(skill, first);
  }
  return [...byName.values()];
}
