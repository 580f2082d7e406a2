import { basename, dirname, join } from "@std/path";
import type { Host } from "../host/host.ts";
import type { LaunchContext } from "./context.ts";
import { gitRepositories, nestedRepositories } from "./git_repositories.ts";
import { gitTargets, MAX_GIT_FILE_BYTES } from "./git_targets.ts";
import { relativeTo } from "./paths.ts";
import type { Placeholder } from "./placeholders.ts";
import {
  HELD_WHEN_MISSING,
  IN_HOME,
  OWN_PROGRAM,
  PROTECTED_FILES,
  PROTECTED_GROUPS,
} from "./protected_names.ts";

/**
 * What stands for a missing one of these, by the last part of its path; an empty folder stands for any
 * other. `.` makes git take the repository itself, as it does when there is nothing.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  config: "",
  "config.worktree": "",
  commondir: ".\n",
};

/** One protected path, absolute. */
export interface ProtectedFile {
  readonly path: string;
  /** What `protect` of a policy calls it. */
  readonly name: string;
  readonly kind: "folder" | "file" | "link" | "missing";
  readonly reason: string;
  /** What stands there while a server runs, when it is missing; an empty folder unless given. */
  readonly placeholder?: Placeholder;
}

type Files = Pick<Host["files"], "lstat" | "list" | "readText" | "realPath">;
type World =
  & Pick<LaunchContext, "programRoot" | "configuration" | "policy" | "limits" | "addedFolders">
  & {
    readonly host: Pick<LaunchContext["host"], "env" | "platform"> & { readonly files: Files };
  };

/** The mode of the folders that skep makes, and of hardly any other. */
const PRIVATE_MODE = 0o700;

/**
 * The protected paths of a workspace and of other writable folders: those of the tables, each module's and
 * worktree's own, those of the repositories nested in it, what their settings take programs from, skep's
 * program, and what this run was configured from. A `.git` that is a file names the repository elsewhere,
 * so it is protected itself. A policy with `protect` keeps those it lists, and no others.
 *
 * @param others Writable folders outside the workspace, absolute.
 */
export async function protectedFiles(
  workspace: string,
  context: World,
  others: readonly string[] = [],
): Promise<ProtectedFile[]> {
  const { files } = context.host;
  const protect = context.policy?.protect;
  const worked = [workspace, ...context.addedFolders ?? []];
  const below = await Promise.all(
    [workspace, ...others].map(async (root) => {
      const found = await protectedBelow(root, context);
      // A folder that is written to, and no place to work in, gets nothing put into it.
      const isWorkedIn = worked.includes(root) ||
        await files.lstat(join(root, ".git")) !== undefined;
      return isWorkedIn ? found : found.filter(({ kind }) => kind !== "missing");
    }),
  );
  const there = await Promise.all(
    outside(worked, context).map(({ path, name, reason }) =>
      protectedFile(path, name, reason, files)
    ),
  );
  return [...below.flat(), ...there]
    .filter(({ name, kind }) =>
      HELD_WHEN_MISSING.includes(name) ||
      kind !== "missing" && (kind !== "link" || protect !== undefined)
    )
    .filter(({ name }) => protect === undefined || protect.includes(name));
}

async function protectedBelow(root: string, context: World): Promise<ProtectedFile[]> {
  const { files } = context.host;
  const git = await files.lstat(join(root, ".git"));
  const own = (context.policy?.protect ?? [])
    .filter((name) => !Object.hasOwn(PROTECTED_GROUPS, name));
  const names = Object.keys({
    ...PROTECTED_FILES,
    ...Object.fromEntries(own.map((each) => [each, ""])),
  });
  const inGit = names.filter((name) => name.startsWith(".git/"));
  const written = names.filter((name) => !inGit.includes(name))
    .map((name) => ({ path: name, name }));
  if (git?.isDirectory) {
    written.push(...inGit.map((name) => ({ path: name, name })));
    for (const repository of await gitRepositories(root, files)) {
      for (const name of repository.names) {
        written.push({ path: `${repository.path}/${name}`, name: `.git/${name}` });
      }
    }
  } else if (git !== undefined) written.push({ path: ".git", name: ".git/config" });
  const nested = await nestedRepositories(root, files, context.limits);
  written.push(...nested.files);
  const folders = ["", ...nested.folders].map((folder) => join(root, folder));
  const [found, targets] = await Promise.all([
    Promise.all(written.map(({ path, name }) => {
      const reason = PROTECTED_FILES[name] ?? "the policy protects it";
      return protectedFile(join(root, path), name, reason, files);
    })),
    Promise.all(folders.map((folder) => gitTargets(folder, root, files))),
  ]);
  const named = targets.flat().map(({ path, placeholder }) =>
    protectedFile(path, ".git/config", "git's configuration names it", files, placeholder)
  );
  return [...await withoutIdle(found, files), ...await Promise.all(named)];
}

/** Without the missing `config.worktree` of repositories whose settings say that git does not look at one. */
async function withoutIdle(
  found: readonly ProtectedFile[],
  files: Files,
): Promise<ProtectedFile[]> {
  const used = await Promise.all(found.map(async ({ path, kind }) => {
    if (kind !== "missing" || basename(path) !== "config.worktree") return true;
    const folder = dirname(path);
    const inRepository = basename(dirname(folder)) === "worktrees"
      ? dirname(dirname(folder))
      : folder;
    const text = await files.readText(join(inRepository, "config"), MAX_GIT_FILE_BYTES)
      .catch(() => undefined);
    return text === undefined || /worktreeconfig/i.test(text);
  }));
  return found.filter((_, index) => used[index]);
}

/**
 * What runs by itself in the person's home folder and lies in a workspace, there or not. A workspace that
 * is one of these was meant to be worked on.
 */
export function homeFiles(
  workspace: string,
  { env, platform: { os } }: Pick<World["host"], "env" | "platform">,
): Pick<ProtectedFile, "path" | "reason">[] {
  const home = env(os === "windows" ? "USERPROFILE" : "HOME");
  if (home === undefined) return [];
  return Object.entries(IN_HOME).map(([name, reason]) => ({ path: join(home, name), reason }))
    .filter(({ path }) => (relativeTo(path, workspace, os) ?? "") !== "");
}

/** What is protected wherever it lies, and only where it is there. */
function outside(
  worked: readonly string[],
  { programRoot, configuration = [], policy, host }: World,
): Pick<ProtectedFile, "path" | "name" | "reason">[] {
  return [
    ...OWN_PROGRAM.map((name) => ({
      path: join(programRoot, name),
      name: "${SKEP}",
      reason: "skep itself runs from it",
    })),
    ...configuration.map((path) => ({
      path,
      name: "${PACK}",
      reason: "skep starts servers by it",
    })),
    ...(policy === undefined
      ? []
      : [{ path: policy.file, name: "${POLICY}", reason: "it limits servers" }]),
    ...worked.flatMap((folder) => homeFiles(folder, host))
      .map((file) => ({ ...file, name: "${HOME}" })),
  ];
}

async function protectedFile(
  path: string,
  name: string,
  reason: string,
  files: Files,
  given?: Placeholder,
): Promise<ProtectedFile> {
  const text = STAND_INS[basename(path)];
  const placeholder = given ?? (text === undefined ? { path } : { path, text });
  const facts = await files.lstat(path);
  const kind = facts === undefined
    ? "missing"
    : facts.isSymlink
    ? "link"
    : facts.isDirectory
    ? "folder"
    : "file";
  const isOurs = Object.hasOwn(PROTECTED_FILES, name) &&
    facts?.mode === (kind === "file" ? 0o600 : PRIVATE_MODE) &&
    await isPlaceholder(placeholder, files);
  return { path, name, kind: isOurs ? "missing" : kind, reason, placeholder };
}

/** True for what a runtime left that was killed: it is taken over, and removed in its turn. */
async function isPlaceholder({ path, text }: Placeholder, files: Files): Promise<boolean> {
  try {
    return text === undefined
      ? (await files.list(path)).length === 0
      : await files.readText(path, text.length) === text;
  } catch (error) {
    // Longer, or of another kind; or removed a moment ago, as only placeholders are.
    return (error as { name?: unknown }).name === "NotFound";
  }
}
