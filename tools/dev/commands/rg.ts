import { basename, join, relative, resolve } from "@std/path";
import type { Limits } from "../../../lib/limits.ts";
import { FILE_TYPES } from "./file_types.ts";
import { loadMatcher } from "./ignore_rules.ts";
import { readPattern } from "./rg_pattern.ts";
import { readRgArguments, type RgOptions } from "./rg_options.ts";
import { searchText } from "./search_text.ts";
import { type CommandWorld, Output } from "./output.ts";
import { walk, type WalkedFolder, type WalkOptions } from "./walk.ts";

/**
 * The command `rg`, for machines without ripgrep: the flags of it that people use, its output, its exit
 * codes (0 found, 1 nothing found, 2 something went wrong). One thread, in the order of names.
 *
 * @param hasInput Something stands on stdin, so it is searched when no path is given.
 */
export async function rg(
  args: readonly string[],
  world: CommandWorld,
  limits: Pick<Limits, "maxSearchedFileBytes">,
  hasInput: boolean,
): Promise<number> {
  const request = readRgArguments(args);
  using out = new Output(world);
  if (request.kind === "refused") return out.fail(`rg: ${request.reason}`);
  if (request.kind === "text") {
    out.write(request.text);
    return 0;
  }
  try {
    const { options } = request;
    const matcherOf = await loadMatcher();
    const walking = { ...options, overrides: globsOf(options, world.cwd(), matcherOf) };
    const isWanted = wantedBy(options, matcherOf);
    return await new Search(options, walking, isWanted, world, limits, out).run(hasInput);
  } catch (error) {
    if (out.isClosed) return 0; // a reader such as head has seen enough
    return out.fail(`rg: ${error instanceof Error ? error.message : error}`);
  }
}

class Search {
  readonly #pattern: RegExp;
  #hasFound = false;
  #hasProblem = false;
  #hasWritten = false;

  constructor(
    private readonly options: RgOptions,
    private readonly walking: WalkOptions,
    private readonly isWanted: (path: string) => boolean,
    private readonly world: CommandWorld,
    private readonly limits: Pick<Limits, "maxSearchedFileBytes">,
    private readonly out: Output,
  ) {
    this.#pattern = readPattern(options.patterns, options);
  }

  async run(hasInput: boolean): Promise<number> {
    const { options } = this;
    const isImplied = options.paths.length === 0;
    if (isImplied && hasInput && options.mode !== "files") {
      this.#searchBytes(await this.#input(), "<stdin>", options.hasFileNames ?? false, true);
    } else {
      await this.#searchPaths(isImplied ? ["."] : options.paths, isImplied);
    }
    if (this.#hasProblem && !(options.mode === "quiet" && this.#hasFound)) return 2;
    return this.#hasFound ? 0 : 1;
  }

  async #searchPaths(paths: readonly string[], isImplied: boolean): Promise<void> {
    const { options, world } = this;
    for (const path of paths) {
      if (this.#isDone) return;
      if (path === "-") {
        this.#searchBytes(await this.#input(), "<stdin>", options.hasFileNames ?? false, true);
        continue;
      }
      const root = resolve(world.cwd(), path);
      const facts = await world.stat(root).catch((error) => void this.#tell(path, error));
      if (facts === undefined) continue;
      if (facts.isDirectory) {
        const folder = await walk(root, this.walking, world);
        await this.#searchFolder(folder, root, isImplied ? "" : path, 1);
      } else {
        const hasNames = options.hasFileNames ?? paths.length > 1;
        await this.#searchFile(root, path, hasNames, true);
      }
    }
  }

  async #searchFolder(
    folder: WalkedFolder,
    at: string,
    shown: string,
    depth: number,
  ): Promise<void> {
    if (folder.problem !== undefined) this.#tell(shown || at, folder.problem);
    if (depth > this.options.maxDepth) return;
    for (const entry of folder.entries) {
      if (this.#isDone) return;
      const name = shown === "" ? entry.name : join(shown, entry.name);
      if (entry.isFolder) {
        await this.#searchFolder(await folder.enter(entry), entry.path, name, depth + 1);
      } else if (this.isWanted(entry.path)) {
        const isDotted = shown.startsWith("./") || shown === ".";
        const path = isDotted && !name.startsWith("./") ? `./${name}` : name;
        await this.#searchFile(entry.path, path, this.options.hasFileNames ?? true, false);
      }
    }
  }

  async #searchFile(
    path: string,
    shown: string,
    hasNames: boolean,
    isGiven: boolean,
  ): Promise<void> {
    if (this.options.mode === "files") {
      this.#hasFound = true;
      return this.out.write(this.#named(shown, "\n"));
    }
    try {
      const { size, isFile } = await this.world.stat(path);
      const { maxSearchedFileBytes } = this.limits;
      if (isFile && size > maxSearchedFileBytes) {
        return this.#tell(shown, `it has ${size} bytes, the limit is ${maxSearchedFileBytes}`);
      }
      if (!isFile) return this.#tell(shown, "it is not a regular file");
      this.#searchBytes(await this.world.readFile(path), shown, hasNames, isGiven);
    } catch (error) {
      if (this.out.isClosed) throw error;
      this.#tell(shown, error);
    }
  }

  /** @param isGiven It was named, and not come upon in a folder. */
  #searchBytes(bytes: Uint8Array, shown: string, hasNames: boolean, isGiven: boolean): void {
    const { mode, isText, isInverted, before, after, maxCount } = this.options;
    const nul = isText ? -1 : bytes.subarray(0, BINARY_BYTES).indexOf(0);
    const text = decoded(bytes);
    const search = { pattern: this.#pattern, isInverted, before, after, maxCount };
    const isBinary = nul !== -1 && !isUtf16(bytes);
    // Like ripgrep: in a folder binary files are passed over, one that was named is told.
    if (isBinary && !isGiven) return;
    if (isBinary && mode === "lines") {
      if (searchText(text, search).next().done) return;
      this.#hasFound = true;
      const start = hasNames ? `${shown}: ` : "";
      return this.out.write(
        `${start}binary file matches (found "\\0" byte around offset ${nul})\n`,
      );
    }
    if (mode === "lines") return this.#writeLines(text, search, shown, hasNames);
    let count = 0;
    for (const { isMatch } of searchText(text, search)) {
      if (isMatch) count++;
      if (isMatch && mode !== "count") break;
    }
    if ((count > 0) === (mode !== "files_without_match")) this.#hasFound = true;
    const isListed = mode === "files_without_match" ? count === 0 : count > 0;
    if (mode === "quiet" || !isListed) return;
    if (mode !== "count") return this.out.write(this.#named(shown, "\n"));
    this.out.write(`${hasNames ? this.#named(shown, ":") : ""}${count}\n`);
  }

  #writeLines(
    text: string,
    search: Parameters<typeof searchText>[1],
    shown: string,
    hasNames: boolean,
  ): void {
    const { isNumbered, isHeading, isOnlyMatching, before, after } = this.options;
    let isFirst = true;
    for (const line of searchText(text, search)) {
      this.#hasFound = true;
      const hasContext = before > 0 || after > 0;
      if (isFirst && this.#hasWritten && isHeading) this.out.write("\n");
      else if (hasContext && (isFirst ? this.#hasWritten : line.isAfterGap)) this.out.write("--\n");
      if (isFirst && isHeading && hasNames) this.out.write(this.#named(shown, "\n"));
      isFirst = false;
      this.#hasWritten = true;
      const mark = line.isMatch ? ":" : "-";
      const start = `${hasNames && !isHeading ? this.#named(shown, mark) : ""}${
        isNumbered ? `${line.number}${mark}` : ""
      }`;
      if (!isOnlyMatching) this.out.write(`${start}${this.#cut(line.text, line.isMatch)}\n`);
      else if (line.isMatch) {
        for (const match of matchesIn(line.text, this.#pattern)) {
          this.out.write(`${start}${match}\n`);
        }
      }
    }
  }

  #named(shown: string, mark: string): string {
    return shown + (this.options.hasNulls ? "\0" : mark);
  }

  #cut(line: string, isMatch: boolean): string {
    const { maxColumns, isPreviewed } = this.options;
    if (line.length <= maxColumns || maxColumns === 0) return line;
    if (!isPreviewed) {
      return isMatch ? "[Omitted long matching line]" : "[Omitted long context line]";
    }
    return `${line.slice(0, maxColumns).toWellFormed()} [... omitted end of long line]`;
  }

  get #isDone(): boolean {
    return this.options.mode === "quiet" && this.#hasFound;
  }

  #tell(path: string, problem: unknown): void {
    this.#hasProblem = true;
    this.out.warn(`rg: ${path}: ${problem instanceof Error ? problem.message : problem}`);
  }

  async #input(): Promise<Uint8Array> {
    return await new Response(this.world.stdin.readable).bytes();
  }
}

/** All matches in a line, but for an empty one right behind another. */
function* matchesIn(line: string, pattern: RegExp): Generator<string> {
  pattern.lastIndex = 0; // where the search for this line has left it
  let end = -1;
  for (const { 0: match, index } of line.matchAll(pattern)) {
    if (match !== "" || index !== end) yield match;
    end = index + match.length;
  }
}

/** Text has no NUL this early. */
const BINARY_BYTES = 64 * 1024;

function isUtf16(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0xfe && bytes[1] === 0xff;
}

function decoded(bytes: Uint8Array): string {
  const encoding = !isUtf16(bytes) ? "utf-8" : bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return new TextDecoder(encoding).decode(bytes);
}

type Matcher = Awaited<ReturnType<typeof loadMatcher>>;

/** Whether the types want a file. */
function wantedBy(
  { types, excludedTypes }: RgOptions,
  matcherOf: Matcher,
): (path: string) => boolean {
  const named = types.map((type) => matcherOf(FILE_TYPES[type] ?? []));
  const excluded = excludedTypes.map((type) => matcherOf(FILE_TYPES[type] ?? []));
  return (path) => {
    const name = basename(path);
    if (named.length > 0 && !named.some((matcher) => matcher.ignores(name))) return false;
    return !excluded.some((matcher) => matcher.ignores(name));
  };
}

/**
 * What the globs say of a path, before any rule: a glob is a line of `.gitignore` that takes in what it
 * matches, or leaves it out with `!`; the last one that matches decides. A file that none matches is
 * left out when some would take in.
 */
function globsOf(
  options: RgOptions,
  cwd: string,
  matcherOf: Matcher,
): (path: string, isFolder: boolean) => boolean | undefined {
  const isAnyPositive = options.globs.some(({ glob }) => !glob.startsWith("!"));
  const globs = options.globs.map(({ glob, isCaseIgnored }) => ({
    isNegative: glob.startsWith("!"),
    matcher: matcherOf(expandBraces(glob.replace(/^!/, "")), isCaseIgnored),
  })).reverse();
  return (path, isFolder) => {
    const below = relative(cwd, path);
    if (below === "" || below.startsWith("../")) return undefined;
    const decisive = globs.find(({ matcher }) => matcher.ignores(isFolder ? `${below}/` : below));
    if (decisive !== undefined) return !decisive.isNegative;
    return isAnyPositive && !isFolder ? false : undefined;
  };
}

/** `*.{ts,tsx}` as two globs; git's patterns know no braces. */
export function expandBraces(glob: string): string[] {
  const [whole, before = "", inner = "", after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  if (whole === undefined) return [glob];
  const all = inner.split(",").flatMap((part) => expandBraces(`${before}${part}${after}`));
  return [...new Set(all)];
}
