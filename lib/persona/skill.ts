import { basename, join, sep } from "@std/path";
import { messageOf } from "../errors.ts";
import { decodeText } from "../host/decode_text.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import type { Problems } from "./problems.ts";

/** A folder with instructions that the model loads when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Canonical path of the folder. */
  readonly folder: string;
  /** The folder that SKILL.md must lie inside, links followed: canonical. */
  readonly root: string;
  readonly source: SkillSource;
}

/** Whose word a skill is: the workspace's, the pack's, or the person's own. */
export type SkillSource = "project" | "pack" | "home";

/** What reading skills takes of the files. */
export type SkillFiles = Pick<Files, "readInside" | "realPath" | "stat" | "list">;
/** The bounds of skills. */
export type SkillLimits = Pick<Limits, "maxConfigFileBytes" | "maxPersonaBodyBytes">;

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

const KNOWN = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const NAME = /^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/**
 * Reads the skill in a folder. Its SKILL.md may be a link, and so may the folder, as long as both lead
 * into one of `roots`.
 *
 * @param path Of the folder.
 * @param roots Canonical folders.
 * @returns undefined when the folder holds no SKILL.md, or one that cannot be used, which `problems` are told.
 * @see Agent Skills, https://agentskills.io/specification
 */
export async function readSkill(
  path: string,
  roots: readonly string[],
  source: SkillSource,
  files: SkillFiles,
  limits: SkillLimits,
  problems: Problems,
): Promise<Skill | undefined> {
  const file = join(path, SKILL_FILE);
  try {
    if (await files.stat(file) === undefined) return undefined;
    const [folder, real] = [await files.realPath(path), await files.realPath(file)];
    const root = roots.find((each) => isInside(real, each) && isInside(folder, each));
    if (root === undefined) {
      return void problems.error(file, `it leads out of ${roots.join(" and ")}, to ${real}`);
    }
    const found = await files.readInside(root, file, skillFileBytes(limits));
    if (found === undefined) return undefined;
    const text = decodeText(found.bytes);
    const head = readHead(text, file, basename(path), limits, problems);
    return head && { ...head, folder, root, source };
  } catch (cause) {
    return void problems.error(file, messageOf(cause), { cause });
  }
}

/** The most bytes of one SKILL.md. */
export function skillFileBytes(limits: SkillLimits): number {
  return limits.maxConfigFileBytes + limits.maxPersonaBodyBytes;
}

/** Name and description in the text of a SKILL.md, whose folder has a name of its own. */
function readHead(
  text: string,
  file: string,
  folderName: string,
  limits: SkillLimits,
  problems: Problems,
): Pick<Skill, "name" | "description"> | undefined {
  const before = problems.all.length;
  const parsed = parseFrontmatter(text, file, limits, problems, quoted);
  if (parsed === undefined) return undefined;
  const { fields } = parsed;
  const name = fields.requiredText("name").trim();
  const description = fields.requiredText("description").trim();
  if (problems.all.slice(before).some(({ severity }) => severity === "error")) return undefined;
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  if (/[/\\\x00-\x1f\x7f]/.test(name)) {
    fields.error("name", `${JSON.stringify(name)} is no name that load_skill could be given`);
    return undefined;
  }
  if (!NAME.test(name)) {
    const wanted = "1 to 64 of a-z, 0-9 and single hyphens between them";
    fields.warn("name", `"name" should be ${wanted}, not ${JSON.stringify(name)}`);
  }
  if (name !== folderName) {
    fields.warn("name", `its name "${name}" differs from that of its folder, "${folderName}"`);
  }
  if (description.length > MAX_DESCRIPTION) {
    const reason =
      `its description has ${description.length} characters, the most is ${MAX_DESCRIPTION}`;
    fields.warn("description", `${reason}: the rest is left out`);
  }
  const compatibility = fields.text("compatibility") ?? "";
  if (compatibility.length > MAX_COMPATIBILITY) {
    fields.warn("compatibility", `"compatibility" has over ${MAX_COMPATIBILITY} characters`);
  }
  for (const key of fields.keys().filter((each) => !KNOWN.includes(each))) {
    fields.warn(key, `the field "${key}" is not used`);
  }
  return { name, description: description.slice(0, MAX_DESCRIPTION) };
}

/** What people write without quotes although it holds a colon. */
const UNQUOTED = /^(name|description|license|compatibility): +([^\s"'|>[{&*!%@`][^\n]*)$/gm;

/** The YAML with such values in quotes; undefined when there is none. */
function quoted(yaml: string): string | undefined {
  const mended = yaml.replaceAll(
    UNQUOTED,
    (_line, key: string, value: string) => `${key}: ${JSON.stringify(value.trim())}`,
  );
  return mended === yaml ? undefined : mended;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
