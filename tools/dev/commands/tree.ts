import { basename } from "@std/path";
import type { Limits } from "../../../lib/limits.ts";
import { type CountedLines, countLines } from "./count_lines.ts";
import { shownName } from "../shown_name.ts";
import type { CommandWorld } from "./output.ts";
import { walk, type WalkedEntry, type WalkedFolder } from "./walk.ts";

/** How a folder is shown. */
export interface TreeOptions {
  /** Folders below the root that are opened; deeper ones are counted and not shown. */
  readonly depth: number;
  readonly hasSizes: boolean;
  readonly isHiddenTaken: boolean;
  readonly isIgnoredTaken: boolean;
  /** Most entries that are looked at. */
  readonly maxEntries: number;
  /** Larger files are not read to count their lines. */
  readonly maxFileBytes: number;
  readonly maxLines: number;
  readonly maxBytes: number;
}

/** A folder as a text, and whether all of it is there. */
export interface Tree {
  readonly text: string;
  /** What is missing, in words. */
  readonly notes: readonly string[];
}

/**
 * A folder as a tree: `name  [lines]` for a file, `name/  [sum]` for a folder, two spaces a level, sorted
 * by name. Links and special files are left out, and what the rules of git and ripgrep ignore. Sums are
 * of all that is below, shown or not.
 *
 * @throws What the system says of the root.
 */
export async function tree(
  root: string,
  options: TreeOptions,
  world: Pick<CommandWorld, "readDir" | "readTextFile" | "lstat" | "open">,
  signal: AbortSignal,
): Promise<Tree> {
  const folder = await walk(root, options, world);
  if (folder.problem !== undefined) throw new Error(folder.problem);
  const drawing = new Drawing(options, world, signal);
  const sum = await drawing.draw(folder, 1);
  const name = `${basename(root) || root}/`;
  const first = `${name}  [${drawing.isComplete ? "" : "at least "}${drawing.counted(sum)}]`;
  return drawing.finish(first);
}

/** How a folder is shown when nothing else is asked for. */
export function treeDefaults(limits: Limits): TreeOptions {
  return {
    depth: MAX_DEPTH,
    hasSizes: false,
    isHiddenTaken: false,
    isIgnoredTaken: false,
    maxEntries: limits.maxWalkedEntries,
    maxFileBytes: limits.maxReadFileBytes,
    maxLines: limits.maxSearchLines,
    maxBytes: limits.maxSearchBytes,
  };
}

/** Deeper than any project is meant to be. */
const MAX_DEPTH = 50;

class Drawing {
  readonly #lines: string[] = [];
  #entries = 0;
  #problems = 0;
  isComplete = true;

  constructor(
    private readonly options: TreeOptions,
    private readonly world: Pick<CommandWorld, "open">,
    private readonly signal: AbortSignal,
  ) {}

  async draw(folder: WalkedFolder, level: number): Promise<CountedLines> {
    const sum = { lines: 0, bytes: 0 };
    if (folder.problem !== undefined) this.#problems++;
    for (const entry of folder.entries) {
      if (this.signal.aborted || this.#entries >= this.options.maxEntries) {
        this.isComplete = false;
        break;
      }
      this.#entries++;
      const place = this.#lines.length;
      const isShown = level <= this.options.depth;
      if (isShown) this.#lines.push("");
      const counts = entry.isFolder
        ? await this.draw(await folder.enter(entry), level + 1)
        : await countLines(entry.path, this.options.maxFileBytes, this.world);
      if (typeof counts.lines === "number") sum.lines += counts.lines;
      sum.bytes += counts.bytes;
      if (isShown) this.#lines[place] = this.#shown(entry, level, counts);
    }
    return sum;
  }

  counted({ lines, bytes }: CountedLines): string {
    const size = shownSize(bytes);
    return this.options.hasSizes || typeof lines === "string" ? `${lines}, ${size}` : `${lines}`;
  }

  finish(first: string): Tree {
    const { maxLines, maxBytes, maxEntries } = this.options;
    const encoder = new TextEncoder();
    const kept: string[] = [];
    let bytes = 0;
    for (const line of [first, ...this.#lines]) {
      bytes += encoder.encode(line).length + 1;
      if (kept.length >= maxLines || bytes > maxBytes) break;
      kept.push(line);
    }
    const left = this.#lines.length + 1 - kept.length;
    const why = this.signal.aborted ? "it took too long" : `after ${maxEntries} entries`;
    return {
      text: kept.map((line) => `${line}\n`).join(""),
      notes: [
        ...(left > 0
          ? [`${left} more lines left out: give a smaller depth, or a folder below`]
          : []),
        ...(this.isComplete ? [] : [`not all was looked at (${why}): sums are too small`]),
        ...(this.#problems > 0 ? [`${this.#problems} folders could not be read`] : []),
      ],
    };
  }

  #shown({ name, isFolder }: WalkedEntry, level: number, counts: CountedLines): string {
    return `${"  ".repeat(level)}${shownName(name)}${isFolder ? "/" : ""}  [${
      this.counted(counts)
    }]`;
  }
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

function shownSize(bytes: number): string {
  let unit = 0;
  for (; bytes >= 1024 && unit < UNITS.length - 1; unit++) bytes /= 1024;
  return `${unit === 0 ? bytes : bytes.toFixed(1)} ${UNITS[unit]}`;
}
