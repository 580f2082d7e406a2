import { basename, dirname, join } from "@std/path";
import { explain, type Explanation, type Look } from "../explanation.ts";
import { placeText } from "../persona/problems.ts";
import { SKILL_FILE, type SkillLimits } from "../persona/skill.ts";
import {
  type SkillPlaces,
  type SkillSurvey,
  type SurveyFiles,
  surveySkills,
} from "./find_skills.ts";
import { foldersBetween, gitRoot } from "./hints.ts";

/** Where skills are looked for, and whether they are. */
export interface SkillSearch extends SkillPlaces {
  /** What switches hints off, in words: skills other than the pack's with them; undefined: they are on. */
  readonly offBy: string | undefined;
  /** The pack's folder. */
  readonly packFolder: string;
}

/** Folders that other programs, or people, keep skills in, and that are not looked through here. */
const OTHER_FOLDERS = [
  "skills",
  ".claude/skills",
  ".codex/skills",
  ".goose/skills",
  ".cursor/skills",
];

/**
 * Why a skill is, or is not, there: hints are on, its folder is one that is looked through, its
 * frontmatter can be read, no other skill of its name comes first. By the skill's name or its folder's.
 *
 * @returns undefined when there is no trace of such a skill.
 */
export async function whySkill(
  asked: string,
  search: SkillSearch,
  files: SurveyFiles,
  limits: SkillLimits,
): Promise<Explanation | undefined> {
  const survey = await surveySkills(search, files, limits);
  const isMeant = ({ name, folder }: { readonly name: string; readonly folder: string }) =>
    name === asked || basename(folder) === asked;
  const skill = survey.skills.find(({ name }) => name === asked) ?? survey.skills.find(isMeant);
  const hidden = survey.hidden.filter(({ skill, by }) => isMeant(skill) || isMeant(by));
  const problem = survey.problems.find(({ part, severity }) =>
    severity === "error" && part === `skill "${asked}"`
  );
  const place = skill?.folder ?? (problem === undefined ? undefined : dirname(problem.file));
  if (place !== undefined) {
    const isOn = search.offBy === undefined || skill?.source === "pack";
    return explain("skill", skill?.name ?? asked, [
      hintsLook(isOn ? undefined : search.offBy, skill?.source === "pack"),
      { what: "folder", passed: `${dirname(place)} is looked through` },
      frontmatterLook(asked, skill === undefined ? problem : undefined, skill?.name),
      shadowLook(hidden),
    ]);
  }
  const elsewhere = isPlainSegment(asked) ? await find(asked, search, survey, files) : undefined;
  if (elsewhere === undefined) return undefined;
  return explain("skill", asked, [
    hintsLook(search.offBy, false),
    folderLook(elsewhere, survey, search),
  ]);
}

function hintsLook(offBy: string | undefined, isPack: boolean): Look {
  return {
    what: "hints",
    passed: isPack ? "it is of the persona's pack" : "they are on",
    fault: offBy === undefined
      ? undefined
      : `skills of the workspace and the home folder are off: ${offBy}`,
    advice: "take that away",
  };
}

function frontmatterLook(
  asked: string,
  problem: SkillSurvey["problems"][number] | undefined,
  name: string | undefined,
): Look {
  const isOther = name !== undefined && name !== asked;
  return {
    what: "frontmatter",
    passed: isOther ? `its name is "${name}", its folder's "${asked}"` : "it can be read",
    isNoted: isOther,
    fault: problem && `${placeText(problem)}: ${problem.reason}`,
    advice: `mend that file: it begins with a block of name and description between lines of ---`,
  };
}

/** One that comes first is there; what it hides is said. */
function shadowLook(hidden: SkillSurvey["hidden"]): Look {
  const clauses = hidden.map(({ skill, by }) => `${by.folder} comes before ${skill.folder}`);
  return {
    what: "shadow",
    passed: clauses.length === 0 ? "no other skill has its name" : clauses.join("; "),
    isNoted: clauses.length > 0,
  };
}

function folderLook(
  { folder, hasFile }: { readonly folder: string; readonly hasFile: boolean },
  { folders }: SkillSurvey,
  { packFolder }: SkillSearch,
): Look {
  const [first = ""] = folders;
  if (dirname(folder) === join(packFolder, "skills")) {
    return {
      what: "folder",
      passed: "",
      fault: `${folder} is a skill of the pack that this persona does not have`,
      advice: `name it in "skills" of the persona's file`,
    };
  }
  return {
    what: "folder",
    passed: "",
    fault: hasFile
      ? `${folder} is in none of the folders that are looked through: ${folders.join(", ")}`
      : `${folder} has no ${SKILL_FILE}`,
    advice: hasFile ? `move it into ${first}` : `write ${join(folder, SKILL_FILE)}`,
  };
}

/** A folder of that name where a skill could be meant to be. One with a SKILL.md counts more. */
async function find(
  name: string,
  { cwd, home, packFolder }: SkillSearch,
  { folders }: SkillSurvey,
  files: SurveyFiles,
): Promise<{ readonly folder: string; readonly hasFile: boolean } | undefined> {
  const root = await gitRoot(cwd, files) ?? cwd;
  const bases = [...foldersBetween(root, cwd), ...(home === undefined ? [] : [home])];
  const own = [".agents/skills", ...OTHER_FOLDERS];
  const places = [
    ...folders,
    ...bases.flatMap((base) => own.map((folder) => join(base, folder))),
    join(packFolder, "skills"),
  ].map((place) => join(place, name));
  let empty: string | undefined;
  for (const folder of new Set(places)) {
    const found = await files.stat(folder).catch(() => undefined); // not ours to look at
    if (!found?.isDirectory) continue;
    if ((await files.stat(join(folder, SKILL_FILE)).catch(() => undefined))?.isFile) {
      return { folder, hasFile: true };
    }
    if (folders.includes(dirname(folder))) empty ??= folder;
  }
  return empty === undefined ? undefined : { folder: empty, hasFile: false };
}

function isPlainSegment(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name);
}
