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
}

/** What git looks for before it takes a folder for a repository. */
const IN_REPOSITORY: readonly string[] = ["HEAD", "objects", "refs"];

/** What is large and holds no work of the person's. */
const SKIPPED: readonly string[] = ["node_modules", ".git"];

/**
 * Finds the repositories of a workspace, the nearest first: the walk is bounded, and a person works in what is
 * near. It follows no link, and does not enter a repository's `.git` or `node_modules`.
 */
export async function findGitEntries(
  workspace: string,
  files: Pick<Host["files"], "lstat" | "list">,
  { maxGitWalkEntries, maxGitWalkDepth }: GitWalkLimits,
): Promise<GitEntries> {
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
      const names = await namesIn(join(workspace, folder), files);
      if (IN_REPOSITORY.every((name) => names.includes(name))) {
        entries.push({ folder, kind: "bare" });
      }
      if (names.length > left) isWhole = false;
      const looked = names.slice(0, left);
      left -= looked.length;
      below.push(...await foldersOf(workspace, folder, looked, files));
    }
    if (depth === maxGitWalkDepth && below.length > 0) return { entries, isWhole: false };
    level = below;
  }
  return { entries, isWhole };
}

async function foldersOf(
  workspace: string,
  folder: string,
  names: readonly string[],
  files: Pick<Host["files"], "lstat">,
): Promise<string[]> {
  const paths = names.map((name) => folder === "" ? name : `${folder}/${name}`);
  const facts = await Promise.all(paths.map((path) => factsOf(join(workspace, path), files)));
  return paths.filter((_, index) => facts[index]?.isDirectory);
}

async function namesIn(path: string, files: Pick<Host["files"], "list">): Promise<string[]> {
  const names = await files.list(path).catch(() => []); // of another user, or gone meanwhile
  return names.filter((name) => !SKIPPED.includes(name)).sort();
}

/** Nothing, too, where this user may not look: nor does the person's git. */
function factsOf(
  path: string,
  files: Pick<Host["files"], "lstat">,
): ReturnType<Host["files"]["lstat"]> {
  return files.lstat(path).catch(() => undefined);
}
