import { dirname, join, resolve } from "@std/path";
import type { Host } from "../host/host.ts";
import { gitRepositories } from "./git_repositories.ts";
import type { GitEntry } from "./find_git_entries.ts";
import { gitSettings, runsPrograms } from "./git_settings.ts";
import { MAX_GIT_FILE_BYTES } from "./git_targets.ts";

/** A file that makes a person's own tools run a program of its maker's choice. */
export interface Trap {
  /** Absolute. */
  readonly path: string;
  /** What it makes run, or by which setting. */
  readonly what: string;
  /** True when that happens by itself, so that it must not stay where it works. */
  readonly runsByItself: boolean;
}

type Files = Pick<Host["files"], "lstat" | "list" | "readText" | "realPath">;

/** Longest part of a setting or command that is shown. */
const SHOWN_VALUE = 120;

/** What looking at a repository came to. */
export interface Inspection {
  readonly traps: readonly Trap[];
  /** What of its settings and hooks is there at all, absolute. */
  readonly present: readonly string[];
}

/**
 * What a repository makes git run: settings that name programs, hooks, and a rebase under way with commands in
 * it; those of its modules and worktrees too. No traps in one that is as `git init` and `git clone` make it.
 *
 * @param root The folder that was walked, absolute.
 */
export async function inspectRepository(
  root: string,
  { folder, kind }: GitEntry,
  files: Files,
): Promise<Inspection> {
  const holder = join(root, folder);
  const folders = await gitFolders(holder, kind, files);
  const all = await Promise.all(folders.map((each) => inspectFolder(each, files)));
  return {
    traps: all.flatMap(({ traps }) => traps),
    present: all.flatMap(({ present }) => present),
  };
}

async function gitFolders(holder: string, kind: GitEntry["kind"], files: Files): Promise<string[]> {
  const dotGit = join(holder, ".git");
  if (kind === "bare") return [holder];
  if (kind === "folder") {
    const below = await gitRepositories(holder, files);
    return [dotGit, ...below.map(({ path }) => join(holder, path))];
  }
  const target = kind === "link" ? dotGit : await gitFileTarget(dotGit, holder, files);
  const real = target && await files.realPath(target).catch(() => undefined);
  return real ? [real] : [];
}

async function gitFileTarget(
  path: string,
  holder: string,
  files: Files,
): Promise<string | undefined> {
  const text = await files.readText(path, MAX_GIT_FILE_BYTES).catch(() => "");
  const [, target] = /^gitdir: ([^\n]+?)\s*$/.exec(text) ?? [];
  return target && resolve(holder, target);
}

async function inspectFolder(folder: string, files: Files): Promise<Inspection> {
  const parts = Object.entries(LOOKED_AT).map(async ([name, look]): Promise<Inspection> => {
    const path = join(folder, name);
    if (await files.lstat(path).catch(() => undefined) === undefined) return NOTHING;
    return { traps: await look(path, folder, files), present: [path] };
  });
  const all = await Promise.all(parts);
  return {
    traps: all.flatMap(({ traps }) => traps),
    present: all.flatMap(({ present }) => present),
  };
}

const NOTHING: Inspection = { traps: [], present: [] };

type Look = (path: string, folder: string, files: Files) => Promise<Trap[]>;

const LOOKED_AT: Readonly<Record<string, Look>> = {
  "config": settingTraps,
  "config.worktree": settingTraps,
  "hooks": hookTraps,
  "commondir": commonFolderTraps,
  "rebase-merge/git-rebase-todo": rebaseTraps,
};

async function settingTraps(path: string, _folder: string, files: Files): Promise<Trap[]> {
  const text = await textOf(path, files);
  if (text === undefined) return [unreadable(path, true)];
  return gitSettings(text)?.filter(runsPrograms).map(({ key, value }) => ({
    path,
    what: `${key} = ${value.slice(0, SHOWN_VALUE)}`,
    runsByItself: true,
  })) ?? [unreadable(path, true)];
}

/** Undefined for what cannot be read, or is no file at all. */
function textOf(path: string, files: Files): Promise<string | undefined> {
  return files.readText(path, MAX_GIT_FILE_BYTES).catch(() => undefined);
}

function unreadable(path: string, runsByItself: boolean): Trap {
  return { path, what: "it cannot be read as git reads it", runsByItself };
}

/** Git makes samples of all hooks, whose names it does not run. */
async function hookTraps(path: string, _folder: string, files: Files): Promise<Trap[]> {
  const names = await files.list(path).catch(() => []);
  return names.filter((name) => !name.endsWith(".sample"))
    .map((name) => ({ path, what: `the hook ${name}`, runsByItself: true }));
}

/** A worktree takes its configuration from the repository that it lies in; anywhere else is a detour. */
async function commonFolderTraps(path: string, folder: string, files: Files): Promise<Trap[]> {
  const text = (await textOf(path, files))?.trim();
  if (text === undefined) return [unreadable(path, true)];
  const target = resolve(folder, text);
  const isUsual = target === folder || target === dirname(dirname(folder));
  const what = `it takes its settings from ${text.slice(0, SHOWN_VALUE)}`;
  return isUsual ? [] : [{ path, what, runsByItself: true }];
}

/** It runs when the person goes on with the rebase: where a model has one under way, it is the work. */
async function rebaseTraps(path: string, _folder: string, files: Files): Promise<Trap[]> {
  const text = await textOf(path, files);
  if (text === undefined) return [unreadable(path, false)];
  return text.split("\n").filter((line) => /^\s*(?:x|exec)\s/.test(line)).map((line) => ({
    path,
    what: `git rebase --continue will ${line.trim().slice(0, SHOWN_VALUE)}`,
    runsByItself: false,
  }));
}
