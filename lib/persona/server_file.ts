import { messageOf, SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import type { Origin, ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";
import type { Fields } from "./fields.ts";
import { jsonFields } from "./manifest.ts";
import type { SwitchedOff } from "./persona.ts";
import { personaInvalid, placeText, type Problem, Problems, type ServerAt } from "./problems.ts";
import { checkReferences, readServerEntry, SERVER_FIELDS } from "./server_entry.ts";

/** The servers of a file, and what of it could not be used, a line each. */
export interface ServerFile {
  readonly specs: readonly ServerSpec[];
  readonly problems: readonly string[];
  /** The entries that cannot be used; `problems` has them too. */
  readonly unusable: readonly UnusableEntry[];
  /** Entries that come to no server, and why: the rest of a sentence about it. */
  readonly off: ReadonlyMap<string, string>;
}

/** The keys that hold the servers: Claude desktop's and its kin, VS Code's, and Zed's. */
const KEYS = ["mcpServers", "servers", "context_servers"] as const;
/** What may stand beside the servers: an editor's schema, and its questions. */
const BESIDE: readonly string[] = ["$schema", "inputs"];
/** Fields that other programs use and that change nothing here. */
const IGNORED: readonly string[] = [
  "source",
  "description",
  "autoApprove",
  "alwaysAllow",
  "enabledTools",
  "disabledTools",
];

/**
 * Reads a file of MCP servers, in the form of Claude desktop's configuration, of VS Code's `mcp.json` or
 * of Zed's settings. Comments and trailing commas are allowed. A server that is switched off is left out
 * silently, a bad entry with a problem that names it.
 *
 * @param path Absolute.
 * @throws {SkepError} `CONFIG_INVALID` when the file cannot be read or parsed, with line and column.
 */
export async function readServerFile(
  path: string,
  files: Pick<Files, "readText">,
  limits: Pick<Limits, "maxConfigFileBytes">,
): Promise<ServerFile> {
  let text: string;
  try {
    text = await files.readText(path, limits.maxConfigFileBytes);
  } catch (cause) {
    const message = `Cannot use the server file "${path}": ${messageOf(cause)}`;
    throw new SkepError("CONFIG_INVALID", message, { source: path }, { cause });
  }
  const { specs, off, refused, notes } = parseServers(text, path, { kind: "file", where: path });
  const leftOut = refused.flatMap(({ name, problems }) =>
    problems.all.map((problem) => (
      { name, why: `Server "${name}" is left out. ${personaInvalid(problem).message}` }
    ))
  );
  const why = [
    ...off.map((name) => [name, whyOff({ name, where: path })] as const),
    ...refused.map(({ name, problems: { all: [first] } }) =>
      [name, `is left out. ${first && personaInvalid(first).message}`] as const
    ),
  ];
  const problems = [...leftOut.map(({ why }) => why), ...notes.map(noteLine)];
  return { specs, problems, unusable: leftOut, off: new Map(why) };
}

/** Why a server is off: the rest of a sentence about it. */
export function whyOff({ where }: SwitchedOff): string {
  return `is switched off by its entry in ${where}`;
}

/** The servers in the text of such a file. */
export interface ParsedServers {
  readonly specs: readonly ServerSpec[];
  /** Names of those that are switched off. */
  readonly off: readonly string[];
  /** The entries that cannot be used. */
  readonly refused: readonly { readonly name: string; readonly problems: Problems }[];
  /** What is not used of the others. */
  readonly notes: readonly Problem[];
  readonly at: ServerAt;
}

/**
 * Reads the text of such a file.
 *
 * @param origin What the specs say of where they come from.
 * @throws {SkepError} `CONFIG_INVALID` when it cannot be parsed, with line and column.
 */
export function parseServers(text: string, file: string, origin: Origin): ParsedServers {
  const problems = new Problems();
  const parsed = readServers(text, file, origin, problems);
  if (parsed !== undefined) return parsed;
  const { message } = personaInvalid(problems.all[0]!);
  throw new SkepError("CONFIG_INVALID", message, { source: file });
}

/** {@linkcode parseServers}; undefined when the file cannot be parsed, and `problems` are told. */
export function readServers(
  text: string,
  file: string,
  origin: Origin,
  problems: Problems,
): ParsedServers | undefined {
  const top = jsonFields(text, file, problems);
  const entries = entriesOf(top);
  if (top === undefined || entries === undefined) return undefined;
  const specs: ServerSpec[] = [];
  const off: string[] = [];
  const refused: ParsedServers["refused"][number][] = [];
  // A pack's file is for its servers alone; that of another program has settings of its own.
  const notes: Problem[] = origin.kind === "pack" ? unknownKeys(top) : [];
  for (const name of entries.keys()) {
    const problems = new Problems();
    const all = entries.toldTo(problems);
    const entry = all.fields(name);
    if (entry === undefined && !problems.hasErrors) all.error(name, "it is null");
    const spec = entry && readServerEntry(name, entry, origin);
    if (entry !== undefined && spec !== undefined) checkReferences(entry, spec);
    if (problems.hasErrors) refused.push({ name, problems });
    else if (spec === undefined) off.push(name);
    else {
      specs.push(spec);
      notes.push(...problems.all, ...unknownFields(name, entry!));
    }
  }
  return { specs, off, refused, notes, at: (name, path) => entries.at(`${name}.${path}`) };
}

/** A note as a line for people. */
export function noteLine(note: Problem): string {
  return `${placeText(note)}: ${note.reason}`;
}

/** What stands beside the servers and is not used. */
function unknownKeys(top: Fields): Problem[] {
  const [used] = KEYS.filter((each) => top.raw(each) !== undefined);
  return top.keys().filter((key) => key !== used && !BESIDE.includes(key)).map((key) => {
    const meant = nearest(key, KEYS);
    const hint = meant === undefined || meant === used ? "" : `, did you mean "${meant}"?`;
    return { severity: "warning", ...top.at(key), reason: `"${key}" is not used${hint}` };
  });
}

function entriesOf(top: Fields | undefined): Fields | undefined {
  const key = KEYS.find((candidate) => top?.raw(candidate) !== undefined);
  if (key !== undefined) return top?.fields(key);
  top?.error("", `it has none of ${KEYS.map((each) => `"${each}"`).join(", ")}`);
  return undefined;
}

function unknownFields(name: string, entry: Fields): Problem[] {
  const known = [...SERVER_FIELDS, ...IGNORED];
  return entry.keys().filter((key) => !known.includes(key)).map((key) => {
    const meant = nearest(key, SERVER_FIELDS);
    const hint = meant === undefined ? "" : `, did you mean "${meant}"?`;
    const reason = `the field "${key}" of server "${name}" is not used${hint}`;
    return { severity: "warning", ...entry.at(key), reason };
  });
}
