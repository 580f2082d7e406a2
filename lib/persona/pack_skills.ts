import { basename, join } from "@std/path";
import type { Naming, PackFiles, PackLimits } from "./pack_files.ts";
import type { PersonaFile } from "./persona_file.ts";
import { type Skill, SKILL_FILE } from "./skill.ts";
import { firstOfEachName, readSkills } from "./skills.ts";

const SKILLS_PATH = "skills";

/**
 * The skills of a pack's `skills` folder, by the name of the persona that has them. One that some persona
 * names is for those that name it alone; the others are for all.
 *
 * @param options `areSharedGiven` is false for a persona file alone: it has what it names.
 */
export async function readPackSkills(
  personas: readonly PersonaFile[],
  inside: PackFiles,
  limits: PackLimits,
  { areSharedGiven }: { readonly areSharedGiven: boolean },
): Promise<ReadonlyMap<string, readonly Skill[]>> {
  const claims = new Map(personas.map((persona) => [persona.file, claimsOf(persona, inside)]));
  const claimed = new Set([...claims.values()].flatMap((names) => [...names.keys()]));
  if (!areSharedGiven && claimed.size === 0) return new Map();
  const { folder, files, problems } = inside;
  const path = join(folder, SKILLS_PATH);
  const found = await readSkills(path, [folder], "pack", files, limits, problems);
  const byFolder = new Map(found.map((skill) => [basename(skill.folder), skill]));
  for (const [name, by] of [...claims.values()].flatMap((names) => [...names])) {
    const isTold = problems.all.some(({ part }) => part === `skill "${name}"`);
    if (byFolder.has(name) || isTold) continue;
    const reason = `there is no skill "${name}": ${join(path, name)} has no SKILL.md`;
    problems.add({ severity: "error", ...by(), reason });
  }
  // Once for all personas: there may be hundreds of those, and thousands of skills.
  const shared = areSharedGiven
    ? new Set([...byFolder].filter(([name]) => !claimed.has(name)).map(([, skill]) => skill))
    : new Set<Skill>();
  const sharedList = [...shared];
  const told = new Set<Skill>();
  const tellTwins = (skills: readonly Skill[]) => {
    firstOfEachName(skills, (skill, by) => {
      if (told.has(skill)) return;
      told.add(skill);
      const reason = `it is left out: ${by.folder} has a skill of the name "${skill.name}" as well`;
      problems.warn(join(skill.folder, SKILL_FILE), reason);
    });
    return skills;
  };
  tellTwins(sharedList);
  return new Map(personas.map(({ name, file }) => {
    const own = [...claims.get(file)?.keys() ?? []].flatMap((each) => byFolder.get(each) ?? []);
    if (own.length === 0) return [name, sharedList];
    const mine = new Set(own);
    return [name, tellTwins(found.filter((skill) => mine.has(skill) || shared.has(skill)))];
  }));
}

/** The folders of the skills that a persona names, and where it does. */
function claimsOf({ skills, at }: PersonaFile, inside: PackFiles): ReadonlyMap<string, Naming> {
  return new Map(skills.flatMap((written, place): [string, Naming][] => {
    const by = () => at(`skills[${place}]`);
    const name = folderName(written, by, inside);
    return name === undefined ? [] : [[name, by]];
  }));
}

/** `x`, `./skills/x/` and `skills/x` all name the folder `x`. */
function folderName(written: string, by: Naming, inside: PackFiles): string | undefined {
  const parts = written.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
  const [first = "", second] = parts;
  const name = parts.length === 1
    ? first
    : parts.length === 2 && first === SKILLS_PATH
    ? second
    : "";
  if (name !== undefined && name !== "" && name !== ".." && !name.includes("\0")) return name;
  const reason = `${
    JSON.stringify(written)
  } in "skills" must be the name of a folder in ${SKILLS_PATH}`;
  return void inside.problems.add({ severity: "error", ...by(), reason });
}
