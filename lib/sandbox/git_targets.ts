import { dirname, isAbsolute, join, resolve } from "@std/path";
import type { Host } from "../host/host.ts";
import { gitSettings, runsPrograms } from "./git_settings.ts";
import { isWithin } from "./paths.ts";
import type { Placeholder } from "./placeholders.ts";

type Files = Pick<Host["files"], "lstat" | "readText" | "realPath">;

/** Longest file of git's that is read: none of a person's is longer. */
export const MAX_GIT_FILE_BYTES = 256 * 1024;
/** Git includes files from included ones, up to this deep. */
const MAX_INCLUDES = 10;

/** What a repository's settings take programs or more settings from. */
export interface GitTarget {
  /** Absolute. */
  readonly path: string;
  /** What stands there when it is missing. */
  readonly placeholder: Placeholder;
}

/**
 * What the settings of a repository name inside `root`: files they include, the folder of its hooks, and
 * programs by a path. Who may write those needs no access to the settings.
 *
 * @param holder The folder that holds `.git`, or is a bare repository.
 */
export async function gitTargets(
  holder: string,
  root: string,
  files: Files,
): Promise<GitTarget[]> {
  const dotGit = join(holder, ".git");
  const facts = await files.lstat(dotGit);
  if (facts !== undefined && !facts.isDirectory) return []; // its settings lie where it leads
  if (facts === undefined && await files.lstat(join(holder, "HEAD")) === undefined) return [];
  const folder = facts === undefined ? holder : dotGit;
  const found = new Map<string, GitTarget>();
  const waiting = [{ path: join(folder, "config"), depth: 0 }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, depth } = next;
    const text = await files.readText(path, MAX_GIT_FILE_BYTES).catch(() => undefined);
    for (const setting of (text === undefined ? undefined : gitSettings(text)) ?? []) {
      const isInclude = /^include(?:if\..*)?\.path$/.test(setting.key);
      const base = isInclude ? dirname(path) : holder;
      const written = isInclude || setting.key === "core.hookspath"
        ? setting.value
        : runsPrograms(setting)
        ? programIn(setting.value)
        : undefined;
      if (written === undefined || written === "" || written.startsWith("~")) continue;
      const target = resolve(base, written);
      // A target that holds the repository would be all that there is to work on.
      if (!isWithin(target, root, "linux") || isWithin(folder, target, "linux")) continue;
      const first = await firstMissing(target, root, files);
      const isFile = first === target && setting.key !== "core.hookspath";
      const place = isFile ? { path: first, text: "" } : { path: first };
      found.set(first, { path: first, placeholder: place });
      if (isInclude && depth < MAX_INCLUDES) waiting.push({ path: target, depth: depth + 1 });
    }
  }
  return [...found.values()];
}

/** The program of a command, where it is named by a path: others come from PATH, which is not in a workspace. */
function programIn(value: string): string | undefined {
  const [word = ""] = value.replace(/^!/, "").trim().split(/\s+/);
  const plain = word.replaceAll(/["']/g, "");
  return plain.includes("/") || isAbsolute(plain) ? plain : undefined;
}

/** The path itself, or the nearest folder on the way to it that is missing: that is what can be held. */
async function firstMissing(path: string, root: string, files: Files): Promise<string> {
  let missing = path;
  for (let each = path; each !== root && each !== dirname(each); each = dirname(each)) {
    if (await files.lstat(each) === undefined) missing = each;
  }
  return missing;
}
