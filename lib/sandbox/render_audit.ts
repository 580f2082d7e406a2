import type { Audit, AuditedVariable } from "./audit.ts";
import { type AuditLine, type AuditLook, layOut } from "./audit_layout.ts";
import { BASE_VARIABLES } from "./environment.ts";
import type { Entry, SecretEntry } from "./grant.ts";
import { DEFAULT_LIMIT_ORIGIN } from "./grant_limits.ts";
import type { ResourceLimits } from "./spec.ts";
import { TOOLCHAIN_VARIABLES } from "./toolchains.ts";

/** Lists of the grant, in the order they are shown, with what each is called. */
const LISTS = [
  ["read", "reads"],
  ["write", "changes"],
  ["net", "reaches"],
  ["run", "starts"],
  ["sys", "system"],
  ["secrets", "secrets"],
] as const;
type List = (typeof LISTS)[number][0];

/** Origins whose entries are counted rather than named. */
const COUNTED: Readonly<Record<string, string>> = {
  "own files": "folders of its own code",
};
/** What a server is, by where its code comes from. */
const KINDS: Readonly<Record<Audit["kind"], string>> = {
  bundled: "a server that ships with skep",
  npm: "code of others, the npm package",
  script: "code of others, a script that Deno runs",
  native: "code of others, the program",
};
/** What the mode of a server's confinement means. */
const MODES: Readonly<Record<Audit["permissions"]["sandbox"], string>> = {
  require: "required: it does not start without",
  prefer: "preferred: where nothing can hold it, it starts without",
  off: "switched off by you",
};
/** Paths of one kind that are named; the rest is counted. */
const SHOWN_PATHS = 6;
/** Where a line of words is broken. */
const WIDTH = 96;

/**
 * An audit as text, a screen long: what the server is, dangers, what it may touch in plain words, then each entry of
 * its grant with who asked for it, what it does not get, what holds it and what does not, its environment, and
 * the exact command line.
 *
 * @param look A terminal has colours, columns and lines that fit; anything else gets plain text, a line for each entry.
 */
export function renderAudit(audit: Audit, look: AuditLook = { isColored: false }): string {
  const { permissions } = audit;
  const held = audit.backend === "flags" ? "Deno's flags alone" : audit.backend;
  const isTerminal = look.columns !== undefined;
  const warnings = (title: string, lines: readonly string[], tone: "danger" | "caution") =>
    section(title, lines.map((line) => `it ${line}`)).map((line) => ({ ...line, tone }));
  const lines: AuditLine[] = [
    { text: `${audit.server}: ${what(audit)}, listed in ${audit.source}`, hang: 2, tone: "title" },
    ...warnings("DANGER", audit.dangers, "danger"),
    ...section("in short", audit.summary),
    ...warnings("think about", audit.cautions, "caution"),
    title("every entry of its grant, and who asked for it"),
    ...LISTS.flatMap(([list, name]) => rows(list, name, entriesOf(list, audit), audit)),
    ...nothingRow(audit),
    ...limitRows(permissions.limits, audit),
    ...section(
      "asked for, and not granted",
      audit.cut.map(({ list, value, reason }) => `${list} ${value}: ${reason}`),
    ),
    title(
      `held by ${held} (${MODES[permissions.sandbox]})${
        audit.adds === undefined ? "" : `: ${audit.adds}`
      }`,
    ),
    row("network", audit.network),
    ...confinementRows(audit, isTerminal),
    ...section(
      "not confined",
      audit.unconfined.length > 0 ? audit.unconfined : ["nothing that skep knows of"],
    ),
    title("its environment, made anew"),
    ...environmentRows(audit, isTerminal),
    title(
      `command, started in ${audit.cwd}${isTerminal ? " (on one line, to be copied: --json)" : ""}`,
    ),
    ...commandLines(audit, isTerminal),
  ];
  const shown = lines.map((line) => ({
    ...line,
    text: printable(line.text),
    ...(line.asker === undefined ? {} : { asker: printable(line.asker) }),
  }));
  return layOut(shown, look).map((line) => `${line}\n`).join("");
}

/** What runs: a package by its name and version, a program by its path. */
function what({ kind, command, remote }: Audit): string {
  if (remote !== undefined) return `the server at ${remote}, through a bridge of skep's`;
  const named = kind === "npm"
    ? command.find((word) => word.startsWith("npm:"))?.slice("npm:".length)
    : kind === "native"
    ? command[0]
    : undefined;
  return named === undefined ? KINDS[kind] : `${KINDS[kind]} ${named}`;
}

/** Shows what a terminal would act on, or hide: a folder's name may hold anything. */
export function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (each) => {
    return `\\u{${each.codePointAt(0)?.toString(16)}}`;
  });
}

/** What may be written may be read: that is not said twice. */
function entriesOf(list: List, { permissions }: Audit): readonly Entry[] {
  const { write } = permissions;
  if (list !== "read") return permissions[list];
  return permissions.read.filter(({ value }) => !write.some((entry) => entry.value === value));
}

function rows(list: List, title: string, entries: readonly Entry[], audit: Audit): AuditLine[] {
  const isReading = list === "read" && audit.permissions.write.length > 0;
  const open = isOpen(list, audit) ? ["any program that it sees: it is one itself"] : [];
  if (entries.length + open.length === 0) {
    return isReading ? [row(title, "all that it changes")] : [];
  }
  const named = entries.filter(({ origin }) => COUNTED[origin] === undefined);
  const counted = Object.entries(COUNTED).map(([origin, what]) =>
    [entries.filter((entry) => entry.origin === origin).length, what] as const
  ).filter(([count]) => count > 0);
  const texts = [
    ...named.map((entry) => [known(entry, audit), asker(entry.origin, audit)] as const),
    ...counted.map(([count, what]) => [`${count} ${what}`] as const),
    ...open.map((text) => [text] as const),
  ];
  return texts.map(([text, by], index) => row(index === 0 ? title : "", text, by));
}

/** What a native server starts, no list tells: it is not asked. */
function isOpen(list: List, { kind }: Pick<Audit, "kind">): boolean {
  return list === "run" && kind === "native";
}

/** The lists that have no entry, on a line. */
function nothingRow(audit: Audit): AuditLine[] {
  const empty = LISTS
    .filter(([list]) => audit.permissions[list].length === 0 && !isOpen(list, audit))
    .map(([, title]) => title);
  return empty.length === 0 ? [] : [row("none of", empty.join(", "))];
}

/** A path with what it is, where a person knows it by that; a secret with where it comes from. */
function known(entry: Entry | SecretEntry, { cwd, tmp, home }: Audit): string {
  const { value } = entry;
  if ("from" in entry) return `${value}, which is ${entry.from}`;
  if (value === cwd) return `${value}, the workspace`;
  if (value === tmp) return `${value}, private and removed at its end`;
  return value === home ? `${value}, its private home` : value;
}

/** Who asked for an entry: the place at the top of the screen is not repeated. */
function asker(origin: string, { source }: Pick<Audit, "source">): string {
  const plain = origin.replace(/^pack /, "");
  return plain.endsWith(source) ? `${plain.slice(0, -source.length)}its entry` : origin;
}

/** How the limits are called, in this order. */
const LIMITS: Readonly<Record<keyof ResourceLimits, (value: number) => string>> = {
  memory_mb: (value) => `${value} MiB of memory`,
  processes: (value) => `${value} processes`,
  cpu_seconds: (value) => `${value} s of processor time`,
  open_files: (value) => `${value} open files`,
  file_mb: (value) => `files of ${value} MiB`,
};

/** The limits, those of one origin on a line. */
function limitRows(limits: ResourceLimits, audit: Audit): AuditLine[] {
  const origins = audit.limitOrigins;
  const names = Object.keys(LIMITS) as (keyof ResourceLimits)[];
  const set = names.filter((name) => limits[name] !== undefined);
  if (set.length === 0) return [row("limits", "none")];
  const byOrigin = Map.groupBy(set, (name) => origins[name] ?? DEFAULT_LIMIT_ORIGIN);
  return [...byOrigin].map(([origin, same], index) => {
    const texts = same.map((name) => LIMITS[name](limits[name] ?? 0));
    return row(index === 0 ? "limits" : "", texts.join(", "), asker(origin, audit));
  });
}

/** On a terminal, which has less room, what lies in the workspace is named as it lies there. */
function confinementRows({ confinement, cwd }: Audit, isTerminal: boolean): AuditLine[] {
  if (confinement === undefined) return [];
  const { base, toolchains, hidden } = confinement;
  const sees = `what programs need to run: ${some(base)}`;
  const rows: [name: string, text: string][] = [
    ["also sees", toolchains.length === 0 ? sees : `${sees}; toolchains: ${some(toolchains)}`],
    ["hidden", some(hidden, isTerminal ? cwd : undefined)],
    ["read-only", some(confinement.protected, isTerminal ? cwd : undefined)],
  ];
  return rows.filter(([, text]) => text !== "").map(([name, text]) => row(name, text));
}

function some(paths: readonly string[], folder?: string): string {
  const more = paths.length - SHOWN_PATHS;
  const start = `${folder}/`;
  const named = paths.slice(0, SHOWN_PATHS)
    .map((path) => path.startsWith(start) ? `./${path.slice(start.length)}` : path).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Variables that share their reason on a line; what its own entry sets in full. */
function environmentRows({ environment, ...audit }: Audit, isTerminal: boolean): AuditLine[] {
  const isBase = ({ name, reason }: AuditedVariable) =>
    (Object.hasOwn(BASE_VARIABLES, name) && BASE_VARIABLES[name] === reason) ||
    Object.hasOwn(TOOLCHAIN_VARIABLES, name);
  const byReason = Map.groupBy(environment.filter(isBase), ({ reason }) => reason);
  const base = [...byReason].map(([reason, same]) => {
    const names = same.map(({ name, value }) =>
      value === undefined ? `${name} (set, not shown)` : name
    );
    return `${names.join(" ")}: ${reason};`;
  });
  const lines = isTerminal ? [base.join(" ")] : wrapped(base);
  return [
    ...lines.filter((line) => line !== "").map((line) => ({
      text: `    ${line.replace(/;$/, "")}`,
    })),
    ...environment.filter((each) => !isBase(each)).map(({ name, value, reason }) => ({
      text: `    ${name}=${value ?? "(set, not shown)"}`,
      asker: asker(reason.replace(/, env$/, ""), audit),
      hang: 6,
    })),
  ];
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function row(list: string, text: string, by?: string): AuditLine {
  const line = { text: `    ${list.padEnd(10)}${text}`, hang: 14 };
  return by === undefined ? line : { ...line, asker: by };
}

function title(text: string): AuditLine {
  return { text: `  ${text}`, tone: "title" };
}

function section(name: string, lines: readonly string[]): AuditLine[] {
  if (lines.length === 0) return [];
  return [title(name), ...lines.map((line) => ({ text: `    ${line}`, hang: 6 }))];
}

/** The command line as a shell would take it, several short words on a line; on a terminal broken at its width. */
function commandLines({ command, permissions }: Audit, isTerminal: boolean): AuditLine[] {
  const own = permissions.read.filter(({ origin }) => COUNTED[origin] !== undefined)
    .map(({ value }) => value);
  const words = command.map((word) => shellWord(withoutOwn(word, own)));
  if (isTerminal) return [{ text: `    ${words.join(" ")}`, hang: 6 }];
  const lines = wrapped(words);
  return lines.map((line, index) => ({
    text: `    ${index === 0 ? "" : "  "}${line}${index < lines.length - 1 ? " \\" : ""}`,
  }));
}

/** A package is many folders: their list is for `--json`. */
function withoutOwn(word: string, own: readonly string[]): string {
  if (own.length <= SHOWN_PATHS || !word.startsWith("--allow-read=")) return word;
  const kept = word.split(",").filter((path) => !own.includes(path));
  return `${kept.join(",")},[${own.length} folders of its own code: see --json]`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
