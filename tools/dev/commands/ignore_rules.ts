import type { Ignore } from "ignore";
import { dirname, join } from "@std/path";
import type { World } from "../world.ts";

/** Where rules come from, the strongest first; within one the deeper folder is the stronger. */
const KINDS = [".rgignore", ".ignore", ".gitignore", "exclude"] as const;
type Kind = (typeof KINDS)[number];

interface Level {
  readonly kind: Kind;
  /** The folder that its patterns are relative to, absolute. */
  readonly folder: string;
  readonly matcher: Ignore;
}

/** Parents looked at for rules. */
const MAX_PARENTS = 64;

/**
 * What to leave out of a walk, by `.gitignore`, `.git/info/exclude`, `.ignore` and `.rgignore`, as git
 * and ripgrep read them; a repository is not needed. Rules that cannot be read count as none.
 */
export class IgnoreRules {
  private constructor(
    private readonly levels: readonly Level[],
    private readonly world: Pick<World, "readTextFile" | "lstat">,
  ) {}

  /** No rules at all. */
  static none(world: Pick<World, "readTextFile" | "lstat">): IgnoreRules {
    return new IgnoreRules([], world);
  }

  /** The rules of the folders above one: git's up to its repository, the others up to the root. */
  static async above(
    folder: string,
    world: Pick<World, "readTextFile" | "lstat">,
  ): Promise<IgnoreRules> {
    const levels: Level[] = [];
    let isInRepository = !await isThere(join(folder, ".git"), world);
    let parent = dirname(folder);
    for (let count = 0; count < MAX_PARENTS && parent !== dirname(parent); count++) {
      levels.push(...await readLevels(parent, [".rgignore", ".ignore"], world));
      if (isInRepository) {
        levels.push(...await readLevels(parent, [".gitignore", "exclude"], world));
        isInRepository = !await isThere(join(parent, ".git"), world);
      }
      parent = dirname(parent);
    }
    return new IgnoreRules(levels, world);
  }

  /**
   * The rules inside a folder, with those that it has itself.
   *
   * @param names What is in the folder.
   */
  async inside(folder: string, names: ReadonlySet<string>): Promise<IgnoreRules> {
    const present = KINDS.filter((kind) => names.has(kind === "exclude" ? ".git" : kind));
    if (present.length === 0) return this;
    const own = await readLevels(folder, present, this.world);
    return own.length === 0 ? this : new IgnoreRules([...own, ...this.levels], this.world);
  }

  /**
   * Tells whether a file or folder is to be taken, which a rule with `!` says, or left out; undefined
   * when no rule names it. A folder that is left out takes along all that is in it.
   */
  takes(path: string, isFolder: boolean): boolean | undefined {
    for (const kind of KINDS) {
      for (const level of this.levels) {
        if (level.kind !== kind) continue;
        const below = path.slice(level.folder.length + (level.folder.endsWith("/") ? 0 : 1));
        const { ignored, unignored } = level.matcher.test(isFolder ? `${below}/` : below);
        if (ignored || unignored) return unignored;
      }
    }
    return undefined;
  }
}

/**
 * Loads what makes one matcher of patterns in the form of `.gitignore`; it tells upper from lower case
 * unless asked not to.
 */
export async function loadMatcher(): Promise<
  (patterns: string | readonly string[], isCaseIgnored?: boolean) => Ignore
> {
  const { default: ignore } = await import("ignore");
  return (patterns, isCaseIgnored = false) =>
    ignore({ ignorecase: isCaseIgnored }).add(patterns as string | string[]);
}

async function readLevels(
  folder: string,
  kinds: readonly Kind[],
  world: Pick<World, "readTextFile">,
): Promise<Level[]> {
  const levels = await Promise.all(kinds.map(async (kind): Promise<Level | undefined> => {
    const path = kind === "exclude" ? ".git/info/exclude" : kind;
    const text = await world.readTextFile(join(folder, path)).catch(() => undefined);
    if (text === undefined) return undefined;
    const matcherOf = await loadMatcher();
    return { kind, folder, matcher: matcherOf(text) };
  }));
  return levels.filter((level) => level !== undefined);
}

async function isThere(path: string, world: Pick<World, "lstat">): Promise<boolean> {
  return await world.lstat(path).then(() => true, () => false);
}
