import { DEFAULT_LIMITS } from "../../limits.ts";
import { maskArguments } from "../mask_arguments.ts";
import type { Os } from "../paths.ts";
import { LIMIT_NAMES } from "../permissions.ts";
import type { ResourceLimits, SandboxMode } from "../spec.ts";
import { type GrantRequest, meetEntries, REQUEST_LISTS } from "./grant_request.ts";

/** One thing that a server asks for beyond what was accepted or recorded. */
export interface Widening {
  readonly server: string;
  readonly field:
    | typeof REQUEST_LISTS[number]
    | "limits"
    | "sandbox"
    | "command"
    | "script"
    | "server";
  /** What it asks for now. */
  readonly asked: string;
  /** What it asked for before, where that is one thing. */
  readonly before?: string;
}

/** From the tightest to the loosest. */
const MODES: readonly SandboxMode[] = ["require", "prefer", "off"];

/** What a server has that asks for no limit; absent: no bound at all. */
const DEFAULTS: ResourceLimits = {
  memory_mb: DEFAULT_LIMITS.serverMemoryMb,
  processes: DEFAULT_LIMITS.serverProcesses,
  open_files: DEFAULT_LIMITS.serverOpenFiles,
  file_mb: DEFAULT_LIMITS.serverFileMb,
};

/**
 * What servers ask for beyond what they asked for before: a new server with all that it asks for, another
 * command, a script that holds something else, a variable with another value, an entry that lies within none of the old ones, a higher limit, a looser sandbox. Asking for less is none.
 */
export function widenings(
  before: readonly GrantRequest[],
  now: readonly GrantRequest[],
  os: Os,
): Widening[] {
  return now.flatMap((request) => {
    const old = before.find(({ server }) => server === request.server);
    if (old !== undefined) return widened(old, request, os);
    const { server, command } = request;
    const asked = { server, field: "server" as const, asked: shown(command) };
    return [asked, ...widened({ ...NOTHING, server, command }, request, os)];
  });
}

/** What a server asks for that asks for nothing. */
const NOTHING = {
  read: [],
  write: [],
  net: [],
  run: [],
  env: [],
  sys: [],
  secrets: [],
  limits: {},
  sandbox: "require",
} as const;

function widened(before: GrantRequest, now: GrantRequest, os: Os): Widening[] {
  const { server } = now;
  const found: Widening[] = [];
  const [commandBefore, command] = [before, now].map((each) => JSON.stringify(each.command));
  if (command !== commandBefore) {
    found.push({
      server,
      field: "command",
      asked: shown(now.command),
      before: shown(before.command),
    });
  }
  const isMaskedOther = [before.masked, now.masked].every((each) => each !== undefined) &&
    before.masked !== now.masked;
  if (command === commandBefore && isMaskedOther) {
    const asked = `${shown(now.command)} (another value where it says [secret])`;
    found.push({ server, field: "command", asked, before: shown(before.command) });
  }
  const { script } = now;
  if (script !== undefined && script !== before.script) {
    const known = before.script === undefined ? {} : { before: before.script };
    found.push({ server, field: "script", asked: script, ...known });
  }
  for (const list of REQUEST_LISTS) {
    // What may be written may be read.
    const allowed = list === "read" ? [...before.read, ...before.write] : before[list];
    const isNew = (asked: string) =>
      !(list === "read" || list === "write" ? ["${TMP}", ...allowed] : allowed)
        .some((each) => meetEntries(list, asked, each, os) === asked);
    found.push(...now[list].filter(isNew).map((asked) => ({ server, field: list, asked })));
  }
  const { values = {} } = now;
  const others = Object.keys(values).filter((name) =>
    before.values?.[name] !== undefined && before.values[name] !== values[name]
  );
  found.push(...others.map((name) => (
    { server, field: "env" as const, asked: `${name}, with another value` }
  )));
  for (const name of LIMIT_NAMES) {
    const [old, value] = [before, now].map(({ limits }) =>
      limits[name] ?? DEFAULTS[name] ?? Infinity
    );
    if (value! <= old!) continue;
    found.push({
      server,
      field: "limits",
      asked: limitText(name, value!),
      before: limitText(name, old!),
    });
  }
  if (MODES.indexOf(now.sandbox) > MODES.indexOf(before.sandbox)) {
    found.push({ server, field: "sandbox", asked: now.sandbox, before: before.sandbox });
  }
  return found;
}

function shown(command: readonly string[]): string {
  return maskArguments(command).join(" ");
}

function limitText(name: string, value: number): string {
  return `${name} ${value === Infinity ? "unbounded" : value}`;
}

/** Widenings as a diff that a person reads, grouped by server: `+` is what is asked for now. */
export function wideningLines(widenings: readonly Widening[]): string[] {
  const byServer = Map.groupBy(widenings, ({ server }) => server);
  return [...byServer].flatMap(([server, all]) => [
    `server ${server}`,
    ...all.flatMap(({ field, asked, before }) => [
      ...(before === undefined ? [] : [`  - ${field}: ${before}`]),
      `  + ${field === "server" ? "new server" : field}: ${asked}`,
    ]),
  ]);
}
