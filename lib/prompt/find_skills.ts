import { dirname, join } from "@std/path";
import type { Files } from "../host/files.ts";
import { placeText, type Problem, Problems } from "../persona/problems.ts";
import type { Skill, SkillLimits } from "../persona/skill.ts";
import { firstOfEachName, readSkills } from "../persona/skills.ts";
import { gitRoot } from "./hints.ts";

/** The folders of a workspace that may hold skills, the first one first. */
const PROJECT_FOLDERS = [".agents/skills", ".goose/skills", ".claude/skills"];
/** The same of the home folder. */
const HOME_FOLDER = ".agents/skills";

/** Where skills are looked for. */
export interface SkillPlaces {
  /** The workspace, canonical. */
  readonly cwd: string;
  /** Undefined where there is none. */
  readonly home: string | undefined;
  /** Those of the persona's pack, which are known already. */
  readonly pack: readonly Skill[];
}

/** What looking for skills takes of the files. */
export type SurveyFiles = Pick<Files, "readInside" | "realPath" | "stat" | "list" | "lstat">;

/** What looking for skills came to. */
export interface SkillSurvey {
  readonly skills: readonly Skill[];
  /** Those of a name that another one has. */
  readonly hidden: readonly { readonly skill: Skill; readonly by: Skill }[];
  readonly problems: readonly Problem[];
  /** The folders that were looked through, in the order in which their skills count. */
  readonly folders: readonly string[];
}

/**
 * The skills of a session: those of the workspace, of the pack, and of the home folder. Of one name the
 * first is taken. A link may lead elsewhere in the workspace's repository or among the person's own skills.
 *
 * @returns what is wrong with a skill, or keeps it from loading, as well: one notice for each.
 */
export async function findSkills(
  places: SkillPlaces,
  files: SurveyFiles,
  limits: SkillLimits,
): Promise<{ readonly skills: readonly Skill[]; readonly notices: readonly string[] }> {
  const { skills, hidden, problems } = await surveySkills(places, files, limits);
  const notices = problems.map((problem) => {
    const leftOut = problem.severity === "error" ? `${problem.part} is left out. ` : "";
    return `${leftOut}${placeText(problem)}: ${problem.reason}`;
  });
  // One of a place that counts less gives way on purpose; a pack's own were told with the pack.
  const twins = hidden.filter(({ skill, by }) =>
    dirname(skill.folder) === dirname(by.folder) && skill.source !== "pack"
  );
  const told = twins.map(({ skill, by }) =>
    `skill "${skill.name}" in ${skill.folder} is left out: ${by.folder} has one of that name`
  );
  return { skills, notices: [...notices, ...told] };
}

/** As {@linkcode findSkills}, with all that it met on the way. */
export async function surveySkills(
  { cwd, home, pack }: SkillPlaces,
  files: SurveyFiles,
  limits: SkillLimits,
): Promise<SkillSurvey> {
  const problems = new Problems();
  const realHome = home === undefined
    ? undefined
    : await files.realPath(home).catch(() => undefined);
  const root = await gitRoot(cwd, files) ?? cwd;
  const own = realHome === undefined ? undefined : join(realHome, HOME_FOLDER);
  const roots = own === undefined ? [root] : [root, own];
  const project: Skill[] = [];
  // Where the person works in the home folder, its own are not the workspace's.
  const folders = PROJECT_FOLDERS.map((folder) => join(cwd, folder)).filter((path) => path !== own);
  for (const path of folders) {
    project.push(...await readSkills(path, roots, "project", files, limits, problems));
  }
  const mine = own === undefined || realHome === undefined
    ? []
    : await readSkills(own, [realHome], "home", files, limits, problems);
  const hidden: SkillSurvey["hidden"][number][] = [];
  const skills = firstOfEachName(
    [...project, ...pack, ...mine],
    (skill, by) => void hidden.push({ skill, by }),
  );
  const all = own === undefined ? folders : [...folders, own];
  return { skills, hidden, problems: problems.all, folders: all };
}
