import { isAbsolute } from "@std/path";
import { messageOf } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { parsePermissions } from "../sandbox/permissions.ts";
import { bridgeTo } from "../sandbox/remote.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import type { SessionRequest } from "../session/session.ts";
import { isRecord } from "./is_record.ts";
import { invalid as invalidParams } from "./params.ts";

/** What `session/new` asks for, and what of it could not be used, a line each for people. */
export interface NewSession {
  readonly request: SessionRequest;
  readonly problems: readonly string[];
  /** What the client calls it, in `_meta.sessionTitle`, as buzz-acp does. */
  readonly title?: string;
}

/**
 * Reads the parameters of `session/new`, and of what opens a kept session. An entry of `mcpServers` that cannot be used is left out and
 * reported: one bad line in an editor's settings must not cost the person the whole session.
 *
 * @throws {SkepError} `INVALID_PARAMS` when the folder, the list or the system prompt cannot be used.
 */
export function readNewSession(params: unknown, method = "session/new"): NewSession {
  const invalid = (what: string) => invalidParams(method, what);
  if (!isRecord(params)) throw invalid("params must be an object");
  const { cwd, mcpServers, systemPrompt } = params;
  if (typeof cwd !== "string" || !isAbsolute(cwd)) {
    throw invalid(`cwd must be an absolute path, not ${JSON.stringify(cwd) ?? "missing"}`);
  }
  if (cwd.includes("\0")) throw invalid(`cwd ${JSON.stringify(cwd)} holds a NUL character`);
  if (!isListOrNothing(mcpServers)) throw invalid("mcpServers must be an array");
  if (!isTextOrNothing(systemPrompt)) throw invalid("systemPrompt must be text");
  const servers: ServerSpec[] = [];
  const unusable: UnusableEntry[] = [];
  for (const [index, entry] of (mcpServers ?? []).entries()) {
    try {
      servers.push(readServer(entry, method));
    } catch (error) {
      const why = `MCP server ${label(index, entry)} was left out: ${messageOf(error)}`;
      unusable.push({ name: nameOf(entry), why });
    }
  }
  const added = addedFolders(params.additionalDirectories, invalid);
  const hasPrompt = typeof systemPrompt === "string" && systemPrompt.trim() !== "";
  const title = isRecord(params._meta) ? params._meta.sessionTitle : undefined;
  return {
    request: {
      cwd,
      servers,
      ...(added.length === 0 ? {} : { addedFolders: added }),
      ...(hasPrompt ? { systemPrompt } : {}),
      ...(unusable.length === 0 ? {} : { unusable }),
    },
    problems: unusable.map(({ why }) => why),
    ...(typeof title === "string" && title.trim() !== "" ? { title: title.trim() } : {}),
  };
}

/**
 * The folders that a session works in besides its `cwd`.
 *
 * @throws {SkepError} `INVALID_PARAMS` for what is no list of absolute paths, or for too many.
 */
function addedFolders(list: unknown, invalid: (what: string) => Error): readonly string[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalid("additionalDirectories must be an array");
  const { value: most } = LIMITS.maxAddedFolders;
  if (list.length > most) {
    throw invalid(`additionalDirectories has ${list.length} entries: the limit is ${most}`);
  }
  for (const each of list) {
    if (typeof each === "string" && isAbsolute(each) && !each.includes("\0")) continue;
    const shown = JSON.stringify(each);
    throw invalid(`additionalDirectories must be absolute paths: ${shown} is none`);
  }
  return list;
}

/**
 * A server as ACP has it; `_meta.skep.permissions` says what it asks for, below a client's ceiling.
 *
 * @throws when it cannot be used, with the rest of a sentence about it.
 */
export function readServer(entry: unknown, where: string): ServerSpec {
  if (!isRecord(entry)) throw new TypeError("it must be an object");
  const { type, name, command, args, env, _meta } = entry;
  if (typeof name !== "string" || name.trim() === "") throw new TypeError("name must be text");
  if ((entry.url ?? "") !== "" && (command ?? "") !== "") {
    throw new TypeError("it has a command and a url: leave one out");
  }
  if (type === "http" || type === "sse") return readRemote(name, type, entry, where);
  if (type !== undefined && type !== "stdio") {
    throw new TypeError(`its type is ${JSON.stringify(type)}, not "stdio", "http" or "sse"`);
  }
  if (typeof command !== "string" || command.trim() === "") {
    throw new TypeError("command must be text");
  }
  if (!isListOrNothing(args) || !(args ?? []).every((arg) => typeof arg === "string")) {
    throw new TypeError("args must be an array of texts");
  }
  const own = isRecord(_meta) && isRecord(_meta.skep) ? _meta.skep.permissions : undefined;
  return {
    name,
    command,
    args: (args ?? []) as string[],
    env: readPairs("env", env),
    ...(own === undefined ? {} : { permissions: parsePermissions(own, name) }),
    origin: { kind: "client", where },
  };
}

function readRemote(
  name: string,
  type: "http" | "sse",
  { url, headers }: Readonly<Record<string, unknown>>,
  where: string,
): ServerSpec {
  if (typeof url !== "string") throw new TypeError("url must be text");
  const origin = { kind: "client", where } as const;
  const pairs = readPairs("headers", headers);
  try {
    return { name, ...bridgeTo({ url, type, headers: pairs }), origin };
  } catch (error) {
    throw new TypeError(`it ${messageOf(error)}`);
  }
}

/** Pairs to a record; of two with one name the later one counts. Values are never quoted: they are secrets. */
function readPairs(key: "env" | "headers", list: unknown): Record<string, string> {
  if (!isListOrNothing(list)) throw new TypeError(`${key} must be an array of {name, value}`);
  const pairs = (list ?? []).map((pair): [string, string] => {
    const { name, value } = isRecord(pair) ? pair : {};
    if (typeof name === "string" && typeof value === "string") return [name, value];
    throw new TypeError(`${key} must be an array of {name, value}, both texts`);
  });
  return Object.fromEntries(pairs);
}

function nameOf(entry: unknown): string {
  return isRecord(entry) && typeof entry.name === "string" ? entry.name : "";
}

function label(index: number, entry: unknown): string {
  const name = nameOf(entry);
  return name === "" ? `${index + 1}` : JSON.stringify(name);
}

function isListOrNothing(value: unknown): value is readonly unknown[] | null | undefined {
  return value === undefined || value === null || Array.isArray(value);
}

function isTextOrNothing(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === "string";
}
