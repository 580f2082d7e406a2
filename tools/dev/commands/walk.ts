import { join } from "@std/path";
import type { World } from "../world.ts";
import { IgnoreRules } from "./ignore_rules.ts";

/** What the walk needs of the system. */
export type WalkWorld = Pick<World, "readDir" | "readTextFile" | "lstat">;

/** A file or folder that a walk came by. Links and special files are left out: a walk never leaves its folder. */
export interface WalkedEntry {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Which entries a walk takes. */
export interface WalkOptions {
  /** Names that begin with a dot, too. */
  readonly isHiddenTaken: boolean;
  /** Whatever rules say. */
  readonly isIgnoredTaken: boolean;
  /** Decides before anything else, unless it gives undefined. */
  readonly overrides?: (path: string, isFolder: boolean) => boolean | undefined;
}

/** A folder of a walk: its entries in the order of their names, and how to go into one of them. */
export interface WalkedFolder {
  readonly entries: readonly WalkedEntry[];
  /** Why the folder could not be read; then it has no entries. */
  readonly problem: string | undefined;
  enter(folder: WalkedEntry): Promise<WalkedFolder>;
}

/** Opens a folder to walk. @param root Absolute. */
export async function walk(
  root: string,
  options: WalkOptions,
  world: WalkWorld,
): Promise<WalkedFolder> {
  const rules = options.isIgnoredTaken
    ? IgnoreRules.none(world)
    : await IgnoreRules.above(root, world);
  return await open(root, rules, options, world);
}

async function open(
  folder: string,
  above: IgnoreRules,
  options: WalkOptions,
  world: WalkWorld,
): Promise<WalkedFolder> {
  const found: { name: string; isFolder: boolean }[] = [];
  const names = new Set<string>();
  let problem: string | undefined;
  try {
    for await (const { name, isFile, isDirectory } of world.readDir(folder)) {
      names.add(name);
      if (isFile || isDirectory) found.push({ name, isFolder: isDirectory });
    }
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  const rules = options.isIgnoredTaken ? above : await above.inside(folder, names);
  const entries = found
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
    .map(({ name, isFolder }) => ({ name, isFolder, path: join(folder, name) }))
    .filter((entry) => isTaken(entry, rules, options));
  return {
    entries: problem === undefined ? entries : [],
    problem,
    enter: (entry) => open(entry.path, rules, options, world),
  };
}

function isTaken(
  { name, path, isFolder }: WalkedEntry,
  rules: IgnoreRules,
  { isHiddenTaken, overrides }: WalkOptions,
): boolean {
  return overrides?.(path, isFolder) ?? rules.takes(path, isFolder) ??
    (isHiddenTaken || !name.startsWith("."));
}
