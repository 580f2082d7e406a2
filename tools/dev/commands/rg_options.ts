import { FILE_TYPES } from "./file_types.ts";

/** What the command was asked for. */
export interface RgOptions {
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
  readonly mode:
    | "lines"
    | "files_with_matches"
    | "files_without_match"
    | "count"
    | "files"
    | "quiet";
  readonly globs: readonly { readonly glob: string; readonly isCaseIgnored: boolean }[];
  readonly types: readonly string[];
  readonly excludedTypes: readonly string[];
  readonly before: number;
  readonly after: number;
  readonly isFixed: boolean;
  readonly isCaseIgnored: boolean;
  readonly isSmartCase: boolean;
  readonly isWord: boolean;
  readonly isLine: boolean;
  readonly isInverted: boolean;
  readonly isOnlyMatching: boolean;
  readonly isNumbered: boolean;
  /** Undefined: as many files as there are decide. */
  readonly hasFileNames: boolean | undefined;
  readonly isHeading: boolean;
  /** A NUL stands behind each file's name, whatever the name holds. */
  readonly hasNulls: boolean;
  readonly isText: boolean;
  readonly isHiddenTaken: boolean;
  readonly isIgnoredTaken: boolean;
  readonly maxCount: number;
  readonly maxDepth: number;
  readonly maxColumns: number;
  readonly isPreviewed: boolean;
}

/** What else it can be asked for, or why it cannot be done. */
export type RgRequest =
  | { readonly kind: "search"; readonly options: RgOptions }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly reason: string };

type Draft = {
  -readonly [Name in keyof RgOptions]: RgOptions[Name] extends readonly (infer I)[] ? I[]
    : RgOptions[Name];
};

/** Flags without a value: what each does. Its reason for being accepted is the text beside those that do nothing. */
const SWITCHES: Readonly<Record<string, (draft: Draft) => void>> = {
  "--fixed-strings": (draft) => draft.isFixed = true,
  "--ignore-case": (draft) => [draft.isCaseIgnored, draft.isSmartCase] = [true, false],
  "--smart-case": (draft) => [draft.isCaseIgnored, draft.isSmartCase] = [false, true],
  "--case-sensitive": (draft) => [draft.isCaseIgnored, draft.isSmartCase] = [false, false],
  "--word-regexp": (draft) => draft.isWord = true,
  "--line-regexp": (draft) => draft.isLine = true,
  "--invert-match": (draft) => draft.isInverted = true,
  "--only-matching": (draft) => draft.isOnlyMatching = true,
  "--line-number": (draft) => draft.isNumbered = true,
  "--no-line-number": (draft) => draft.isNumbered = false,
  "--with-filename": (draft) => draft.hasFileNames = true,
  "--no-filename": (draft) => draft.hasFileNames = false,
  "--heading": (draft) => draft.isHeading = true,
  "--no-heading": (draft) => draft.isHeading = false,
  "--null": (draft) => draft.hasNulls = true,
  "--files": (draft) => draft.mode = "files",
  "--files-with-matches": (draft) => draft.mode = "files_with_matches",
  "--files-without-match": (draft) => draft.mode = "files_without_match",
  "--count": (draft) => draft.mode = "count",
  "--quiet": (draft) => draft.mode = "quiet",
  "--text": (draft) => draft.isText = true,
  "--hidden": (draft) => draft.isHiddenTaken = true,
  "--no-hidden": (draft) => draft.isHiddenTaken = false,
  "--no-ignore": (draft) => draft.isIgnoredTaken = true,
  "--unrestricted": (draft) => {
    if (draft.isHiddenTaken) draft.isText = true;
    if (draft.isIgnoredTaken) draft.isHiddenTaken = true;
    draft.isIgnoredTaken = true;
  },
  "--max-columns-preview": (draft) => draft.isPreviewed = true,
  "--no-config": () => {}, // there is no configuration
  "--no-require-git": () => {}, // it never is required
  "--no-messages": () => {}, // a problem is worth its line
  "--no-ignore-global": () => {}, // the global rules are not read
  "--no-mmap": () => {},
  "--line-buffered": () => {},
  "--crlf": () => {},
};

/** Flags with a value. Each returns what is wrong with it. */
const SETTINGS: Readonly<Record<string, (draft: Draft, value: string) => string | undefined>> = {
  "--regexp": (draft, value) => void draft.patterns.push(value),
  "--glob": (draft, glob) => void draft.globs.push({ glob, isCaseIgnored: false }),
  "--iglob": (draft, glob) => void draft.globs.push({ glob, isCaseIgnored: true }),
  "--type": (draft, type) => knownType(type) ?? void draft.types.push(type),
  "--type-not": (draft, type) => knownType(type) ?? void draft.excludedTypes.push(type),
  "--context": (draft, value) => number(value, (count) => draft.before = draft.after = count),
  "--after-context": (draft, value) => number(value, (count) => draft.after = count),
  "--before-context": (draft, value) => number(value, (count) => draft.before = count),
  "--max-count": (draft, value) => number(value, (count) => draft.maxCount = count),
  "--max-depth": (draft, value) => number(value, (count) => draft.maxDepth = count),
  "--max-columns": (draft, value) => number(value, (count) => draft.maxColumns = count),
  "--color": () => undefined, // there is none
  "--colors": () => undefined,
  "--threads": () => undefined, // there is one
  "--sort": (_draft, value) =>
    value === "path" || value === "none" ? undefined : "only path is sorted by",
};

const SHORT: Readonly<Record<string, string>> = {
  "-F": "--fixed-strings",
  "-i": "--ignore-case",
  "-S": "--smart-case",
  "-s": "--case-sensitive",
  "-w": "--word-regexp",
  "-x": "--line-regexp",
  "-v": "--invert-match",
  "-o": "--only-matching",
  "-n": "--line-number",
  "-N": "--no-line-number",
  "-0": "--null",
  "-H": "--with-filename",
  "-I": "--no-filename",
  "-l": "--files-with-matches",
  "-c": "--count",
  "-q": "--quiet",
  "-a": "--text",
  "-.": "--hidden",
  "-u": "--unrestricted",
  "-e": "--regexp",
  "-g": "--glob",
  "-t": "--type",
  "-T": "--type-not",
  "-C": "--context",
  "-A": "--after-context",
  "-B": "--before-context",
  "-m": "--max-count",
  "-d": "--max-depth",
  "-M": "--max-columns",
  "-j": "--threads",
};

/** The help of the command, made from its flags. */
export function rgHelp(): string {
  const short = new Map(Object.entries(SHORT).map(([short, long]) => [long, short]));
  const row = (value: string) => (long: string) =>
    `  ${short.has(long) ? `${short.get(long)}, ` : "    "}${long}${value}`;
  return [
    "rg (skep): searches files for a regular expression, in the manner of ripgrep",
    "",
    "usage: rg [flags] PATTERN [PATH…]   rg [flags] -e PATTERN… [PATH…]   rg --files [PATH…]",
    "",
    ...Object.keys(SWITCHES).map(row("")),
    ...Object.keys(SETTINGS).map(row(" VALUE")),
    "",
  ].join("\n");
}

/** Reads the arguments of `rg` as ripgrep does: short flags may be joined, values may be attached. */
export function readRgArguments(args: readonly string[]): RgRequest {
  const draft: Draft = {
    ...DEFAULTS,
    patterns: [],
    paths: [],
    globs: [],
    types: [],
    excludedTypes: [],
  };
  const plain: string[] = [];
  const rest = [...args];
  for (let word; (word = rest.shift()) !== undefined;) {
    if (word === "--") {
      plain.push(...rest);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      plain.push(word);
      continue;
    }
    if (word === "--help" || word === "-h") return { kind: "text", text: rgHelp() };
    if (word === "--version" || word === "-V") return { kind: "text", text: "rg of skep\n" };
    if (word === "--type-list") return { kind: "text", text: typeList() };
    const isShort = !word.startsWith("--");
    const [flag = "", attached] = isShort
      ? [SHORT[word.slice(0, 2)] ?? word.slice(0, 2), word.slice(2) || undefined]
      : split(word);
    const turn = SWITCHES[flag];
    const set = SETTINGS[flag];
    if (turn !== undefined) {
      turn(draft);
      if (attached === undefined) continue;
      if (!isShort) return refused(`${flag} takes no value`);
      rest.unshift(`-${attached}`);
    } else if (set !== undefined) {
      const value = attached?.replace(/^=/, "") ?? rest.shift();
      if (value === undefined) return refused(`${flag} needs a value`);
      const problem = set(draft, value);
      if (problem !== undefined) return refused(`${flag} ${value}: ${problem}`);
    } else {return refused(
        `there is no flag ${isShort ? word.slice(0, 2) : flag} here, see rg --help`,
      );}
  }
  if (draft.patterns.length === 0 && draft.mode !== "files") {
    const pattern = plain.shift();
    if (pattern === undefined) return refused("a pattern is needed");
    draft.patterns.push(pattern);
  }
  draft.paths = plain;
  return { kind: "search", options: draft };
}

const DEFAULTS = {
  mode: "lines",
  before: 0,
  after: 0,
  isFixed: false,
  isCaseIgnored: false,
  isSmartCase: false,
  isWord: false,
  isLine: false,
  isInverted: false,
  isOnlyMatching: false,
  isNumbered: false,
  hasFileNames: undefined,
  isHeading: false,
  hasNulls: false,
  isText: false,
  isHiddenTaken: false,
  isIgnoredTaken: false,
  maxCount: Infinity,
  maxDepth: Infinity,
  maxColumns: Infinity,
  isPreviewed: false,
} as const;

function split(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function refused(reason: string): RgRequest {
  return { kind: "refused", reason };
}

function knownType(type: string): string | undefined {
  return Object.hasOwn(FILE_TYPES, type) ? undefined : "there is no such type, see rg --type-list";
}

function number(value: string, set: (count: number) => void): string | undefined {
  if (!/^\d{1,9}$/.test(value)) return "it must be a whole number";
  set(Number(value));
  return undefined;
}

function typeList(): string {
  return Object.entries(FILE_TYPES).map(([type, globs]) => `${type}: ${globs.join(", ")}\n`)
    .join("");
}
