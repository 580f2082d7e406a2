import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";

/** The bounds of one walk. */
export type GitWalkLimits = Pick<
  Limits,
  "maxGitWalkEntries" | "maxGitWalkDepth" | "maxHeldRepositories"
>;

/** A repository that a walk came upon. */
export interface GitEntry {
  /** The folder that holds it, relative to the workspace with `/` between; `""` is the workspace itself. */
  readonly folder: string;
  /**
   * A link is held as what it is, whatever it leads to. `bare`: there is no `.git`, the folder itself is what
   * git takes for a repository.
   */
  readonly kind: "folder" | "file" | "link" | "bare";
}

/** What a walk came upon. */
export interface GitEntries {
  /** The nearest first, then by name. */
  readonly entries: readonly GitEntry[];
  /** False when a bound ended the walk before it had seen all. */
  readonly isWhole: boolean;
  /** Folders that could not be looked into, relative as those of `entries` are: git may still read what lies there. */
  readonly closed: readonly string[];
}

/** What git looks for before it takes a folder for a repository. */
const IN_REPOSITORY: readonly string[] = ["HEAD", "objects", "refs"];

/** What is large and holds no work of the person's. */
const SKIPPED: readonly string[] = ["node_modules", ".git"];

/**
 * Finds the repositories of a workspace, the nearest first: the walk is bounded, and a person works in what is
 * near. It follows no link, and does not enter a repository's `.git` or `node_modules`.
 *
 * @param open Makes a folder readable that cannot be looked into; false when it cannot either.
 */
export async function findGitEntries(
  workspace: string,
  files: Pick<Host["files"], "lstat" | "list">,
  { maxGitWalkEntries, maxGitWalkDepth }: GitWalkLimits,
  open: (path: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<GitEntries> {
  const closed: string[] = [];
  const entries: GitEntry[] = [];
  let left = maxGitWalkEntries;
  let isWhole = true;
  let level = [""];
  for (let depth = 0; level.length > 0; depth++) {
    const below: string[] = [];
    for (const folder of level) {
      // Asked for by name: a folder that cannot be listed may still hold one that git can read.
      const facts = await factsOf(join(workspace, folder, ".git"), files);
      if (facts !== undefined) {
        const kind = facts.isSymlink ? "link" : facts.isDirectory ? "folder" : "file";
        entries.push({ folder, kind });
      }
      const found = await namesIn(join(workspace, folder), files, open);
      if (found === undefined) closed.push(folder);
      const names = found ?? [];
      if (IN_REPOSITORY.every((name) => names.includes(name))) {
        entries.push({ folder, kind: "bare" });
      }
      if (names.length > left) isWhole = false;
      const looked = names.slice(0, left);
      left -= looked.length;
      const inside = await foldersOf(workspace, folder, looked, files);
      below.push(...inside.folders);
      closed.push(...inside.unnamed);
    }
    if (depth === maxGitWalkDepth && below.length > 0) return { entries, isWhole: false, closed };
    level = below;
  }
  return { entries, isWhole, closed };
}

/** What stands for the bytes of a name that are not UTF-8: by such a name nothing can be asked for. */
const UNNAMED = "\u{FFFD}";

async function foldersOf(
  workspace: string,
  folder: string,
  names: readonly string[],
  files: Pick<Host["files"], "lstat">,
): Promise<{ readonly folders: readonly string[]; readonly unnamed: readonly string[] }> {
  const paths = names.map((name) => folder === "" ? name : `${folder}/${name}`);
  const facts = await Promise.all(paths.map((path) => factsOf(join(workspace, path), files)));
  return {
    folders: paths.filter((_, index) => facts[index]?.isDirectory),
    unnamed: paths.filter((path, index) => facts[index] === undefined && path.includes(UNNAMED)),
  };
}

/** The names in a folder, but for those that are skipped; undefined when it cannot be looked into. */
async function namesIn(
  path: string,
  files: Pick<Host["files"], "lstat" | "list">,
  open: (path: string) => Promise<boolean>,
): Promise<string[] | undefined> {
  let names = await readable(path, files);
  if (names === undefined && await open(path)) names = await readable(path, files);
  return names?.filter((name) => !SKIPPED.includes(name)).sort();
}

/** Names alone are no look into a folder: without its `x` nothing is known of what they name. */
async function readable(
  path: string,
  files: Pick<Host["files"], "lstat" | "list">,
): Promise<string[] | undefined> {
  try {
    const names = await files.list(path);
    if (names[0] !== undefined) await files.lstat(join(path, names[0]));
    return names;
  } catch (error) {
    return error instanceof Error && error.name === "NotFound" ? [] : undefined; // gone meanwhile
  }
}

/** Nothing, too, where this user may not look: nor does the person's git. */
function factsOf(
  path: string,
  files: Pick<Host["files"], "lstat">,
): ReturnType<Host["files"]["lstat"]> {
  return files.lstat(path).catch(() => undefined);
}
