import { join } from "@std/path";
import type { Host } from "../host/host.ts";
import { findGitEntries, type GitWalkLimits } from "./find_git_entries.ts";

type Files = Pick<Host["files"], "lstat" | "list">;

/** A repository below `.git`. */
export interface GitRepository {
  /** Relative to the workspace, with `/` between. */
  readonly path: string;
  /** What of `hooks`, `config` and the like it has for itself. */
  readonly names: readonly string[];
}

/** The repositories below a workspace's `.git` that have hooks and settings of their own: modules and worktrees. */
export async function gitRepositories(
  workspace: string,
  files: Files,
): Promise<GitRepository[]> {
  const modulesFolder = join(workspace, ".git", "modules");
  const worktreesFolder = join(workspace, ".git", "worktrees");
  const [inModules, inWorktrees] = await Promise.all([
    modules(modulesFolder, ".git/modules", files),
    folders(worktreesFolder, files),
  ]);
  return [
    ...inModules.map((path) => ({
      path,
      names: OWN_NAMES,
    })),
    ...inWorktrees.map((name) => ({
      path: `.git/worktrees/${name}`,
      names: ["config.worktree", "commondir"],
    })),
  ];
}

/** A path of a nested repository, relative to the workspace, and what `protect` of a policy calls it. */
export interface NestedFile {
  readonly path: string;
  readonly name: string;
}

/** What git takes programs from in a repository of its own. */
const OWN_NAMES = ["hooks", "config", "config.worktree", "commondir"];

/** The repositories nested in a workspace that are held. */
export interface NestedRepositories {
  /** Their hooks and settings, those below their own `.git` too. */
  readonly files: readonly NestedFile[];
  /** Where they lie, relative to the workspace, with `/` between. */
  readonly folders: readonly string[];
}

/** The repositories nested in a workspace, the nearest first, as many as its limit. */
export async function nestedRepositories(
  workspace: string,
  files: Files,
  limits: GitWalkLimits,
): Promise<NestedRepositories> {
  const { entries } = await findGitEntries(workspace, files, limits);
  const nested = entries.filter(({ folder }) => folder !== "").slice(0, limits.maxHeldRepositories);
  const found = await Promise.all(nested.map(async ({ folder, kind }) => {
    if (kind === "bare") {
      return OWN_NAMES.map((name) => ({ path: `${folder}/${name}`, name: `.git/${name}` }));
    }
    if (kind !== "folder") return [{ path: `${folder}/.git`, name: ".git/config" }];
    const below = await gitRepositories(join(workspace, folder), files);
    return [{ path: ".git", names: OWN_NAMES }, ...below].flatMap(({ path, names }) =>
      names.map((name) => ({ path: `${folder}/${path}/${name}`, name: `.git/${name}` }))
    );
  }));
  return { files: found.flat(), folders: nested.map(({ folder }) => folder) };
}

/** The repositories below `.git/modules`: each folder with a HEAD, and those nested in it. */
async function modules(folder: string, name: string, files: Files, depth = 0): Promise<string[]> {
  if (depth > 8) return [];
  const found: string[] = [];
  for (const entry of await folders(folder, files)) {
    const path = join(folder, entry);
    const isRepository = await files.lstat(join(path, "HEAD")) !== undefined;
    if (isRepository) found.push(`${name}/${entry}`);
    const [below, prefix] = isRepository ? [join(path, "modules"), "modules"] : [path, ""];
    found.push(...await modules(below, join(name, entry, prefix), files, depth + 1));
  }
  return found;
}

/** Names of the folders in a folder. A link is none: it may lead anywhere. */
async function folders(folder: string, files: Files): Promise<string[]> {
  if (!(await files.lstat(folder))?.isDirectory) return [];
  const names = await files.list(folder);
  const facts = await Promise.all(names.map((name) => files.lstat(join(folder, name))));
  return names.filter((_, index) => facts[index]?.isDirectory);
}
