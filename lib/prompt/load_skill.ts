import { join } from "@std/path";
import { messageOf } from "../errors.ts";
import { decodeText } from "../host/decode_text.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { splitFrontmatter } from "../persona/frontmatter.ts";
import { type Skill, SKILL_FILE, skillFileBytes, type SkillLimits } from "../persona/skill.ts";
import { nearest } from "../suggest.ts";
import { cutText } from "./cut_text.ts";
import { listSkillFiles } from "./skill_files.ts";
import { LOAD_SKILL } from "./skills_section.ts";

/** The skills of a session. */
export interface SkillShelf {
  /** As they were found last. */
  readonly skills: readonly Skill[];
  /** Looks again: skills come and go while a session runs. */
  refresh(): Promise<readonly Skill[]>;
}

/** What loading came to. */
export interface LoadedSkill {
  readonly text: string;
  readonly isError: boolean;
}

/** What loading a skill takes of the world. */
export interface LoadSkillWorld {
  readonly files: Pick<Files, "readInside" | "realPath" | "stat" | "list">;
  readonly limits: SkillLimits & Pick<Limits, "maxSkillTextBytes" | "maxSkillFiles">;
}

/**
 * Loads a skill's instructions for the model, by `NAME`, or one of its supporting files, by `NAME/PATH`.
 * Everything is read from the disk as it is now, through one open that must lie inside the skill. What
 * cannot be loaded is an answer that names what there is.
 */
export async function loadSkill(
  wanted: unknown,
  shelf: SkillShelf,
  world: LoadSkillWorld,
): Promise<LoadedSkill> {
  if (typeof wanted !== "string" || wanted.trim() === "") {
    return failed(`${LOAD_SKILL} needs "name": the name of a skill, or NAME/PATH for a file of it`);
  }
  const [name, path] = splitName(wanted.trim());
  const skill = find(name, shelf.skills) ?? find(name, await shelf.refresh());
  if (skill === undefined) return unknownSkill(name, shelf.skills);
  try {
    return path === undefined ? await loadBody(skill, world) : await loadFile(skill, path, world);
  } catch (error) {
    return failed(`Cannot load "${wanted}": ${messageOf(error)}`);
  }
}

function splitName(wanted: string): [name: string, path: string | undefined] {
  const normal = wanted.replaceAll("\\", "/");
  const slash = normal.indexOf("/");
  return slash === -1 ? [normal, undefined] : [normal.slice(0, slash), normal.slice(slash + 1)];
}

function find(name: string, skills: readonly Skill[]): Skill | undefined {
  return skills.find((skill) => skill.name === name);
}

function unknownSkill(name: string, skills: readonly Skill[]): LoadedSkill {
  const names = skills.map((skill) => skill.name);
  const near = nearest(name, names);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return failed(`There is no skill "${name}". There are: ${names.join(", ") || "none"}.${hint}`);
}

async function loadBody(skill: Skill, { files, limits }: LoadSkillWorld): Promise<LoadedSkill> {
  const text = await readText(skill.root, join(skill.folder, SKILL_FILE), files, limits);
  if (text === undefined) {
    return failed(`The skill "${skill.name}" is gone: it has no ${SKILL_FILE}`);
  }
  const parts = splitFrontmatter(text);
  const body = (typeof parts === "string" ? text : parts.body).trim();
  const listed = await listSkillFiles(skill.folder, files, limits.maxSkillFiles);
  const lines = listed.paths.map((path) => `- ${path} (${LOAD_SKILL} "${skill.name}/${path}")`);
  for (const { path, reason } of listed.leftOut) {
    lines.push(`- ${path} cannot be loaded: ${reason}`);
  }
  if (listed.isCut) lines.push(`- … and more than ${limits.maxSkillFiles}`);
  const support = lines.length === 0
    ? ""
    : ["", "", "## Supporting Files", "", `In ${skill.folder}:`, ...lines].join("\n");
  const origin = skill.source === "project"
    ? "(This skill comes from the workspace. It ranks as project_hints do.)\n\n"
    : "";
  return cut(`${origin}${body}${support}`, limits);
}

async function loadFile(
  skill: Skill,
  path: string,
  { files, limits }: LoadSkillWorld,
): Promise<LoadedSkill> {
  const { paths, leftOut } = await listSkillFiles(skill.folder, files, limits.maxSkillFiles);
  const name = `${skill.name}/${path}`;
  const left = leftOut.find((each) => each.path === path);
  if (left !== undefined) return failed(`Cannot load "${name}": ${left.reason}`);
  if (!paths.includes(path)) {
    const there = paths.length === 0 ? "it has no supporting files" : `it has ${paths.join(", ")}`;
    return failed(`The skill "${skill.name}" has no file "${path}": ${there}`);
  }
  const text = await readText(skill.folder, join(skill.folder, path), files, limits);
  if (text === undefined) return failed(`The file "${name}" is gone`);
  return cut(`# Loaded: ${name}\n\n${text}\n\n---\nThis is the end of ${name}.`, limits);
}

async function readText(
  root: string,
  path: string,
  files: Pick<Files, "readInside">,
  limits: SkillLimits,
): Promise<string | undefined> {
  const found = await files.readInside(root, path, skillFileBytes(limits));
  return found && decodeText(found.bytes);
}

function cut(text: string, { maxSkillTextBytes }: LoadSkillWorld["limits"]): LoadedSkill {
  return { text: cutText(text, maxSkillTextBytes).text, isError: false };
}

function failed(text: string): LoadedSkill {
  return { text, isError: true };
}
