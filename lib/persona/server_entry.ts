import { messageOf } from "../errors.ts";
import { parsePermissions } from "../sandbox/permissions.ts";
import { bridgeTo } from "../sandbox/remote.ts";
import type { Origin, Permissions, ServerSpec } from "../sandbox/spec.ts";
import type { Fields } from "./fields.ts";
import { referenceProblem } from "./references.ts";
import { withoutAbsent } from "./without_absent.ts";

/** The fields that every form of a server's entry has. */
export const SERVER_FIELDS: readonly string[] = [
  "command",
  "url",
  "headers",
  "type",
  "args",
  "env",
  "permissions",
  "enabled",
  "disabled",
  "enabled_tools",
  "disabled_tools",
];

/**
 * Reads one MCP server's entry, of a persona or a server file. What is wrong is told to the entry's problems;
 * the spec is of use only when there is none. An entry that only switches off needs no command.
 *
 * @returns undefined for a server that is switched off.
 */
export function readServerEntry(
  name: string,
  fields: Fields,
  origin: Origin,
): ServerSpec | undefined {
  const isOff = fields.flag("enabled") === false || fields.flag("disabled") === true;
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  if (name.trim() === "" || /[\x00-\x1f\x7f]/.test(name)) {
    fields.error("name", `${JSON.stringify(name)} is no name for a server`);
  }
  const [hasUrl, hasCommand] = ["url", "command"].map((key) => fields.raw(key) !== undefined);
  if (isOff && !hasUrl && !hasCommand) return undefined;
  if (hasUrl && hasCommand) {
    fields.error("url", `server "${name}" has a command and a url: leave one out`);
  }
  const permissions = readPermissions(fields, "permissions", name);
  const spec: ServerSpec = {
    name,
    origin,
    ...(permissions === undefined ? {} : { permissions }),
    ...(hasUrl && !hasCommand
      ? readRemote(name, fields, permissions)
      : readCommandLine(name, fields)),
    ...withoutAbsent({
      enabledTools: fields.texts("enabled_tools") ?? fields.texts("enabledTools"),
      disabledTools: fields.texts("disabled_tools") ?? fields.texts("disabledTools"),
    }),
  };
  return isOff ? undefined : spec;
}

/** Tells of each `${…}` of an entry that is no whole reference, with its place. */
export function checkReferences(fields: Fields, { command, args, env }: ServerSpec): void {
  const isList = typeof fields.raw("command") === "object";
  const texts: (readonly [path: string, text: string])[] = [
    ["command", command],
    ...args.map((arg, place) => [isList ? "command" : `args[${place}]`, arg] as const),
    ...Object.entries(env).map(([name, value]) => [`env.${name}`, value] as const),
  ];
  for (const [path, text] of texts) {
    const problem = referenceProblem(text);
    if (problem !== undefined) fields.error(path, problem);
  }
}

/** Permissions of a server, or of all that a persona starts; undefined when there are none, or they are wrong. */
export function readPermissions(
  fields: Fields,
  key: string,
  owner: string,
): Permissions | undefined {
  const value = fields.raw(key);
  if (value === undefined) return undefined;
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
  // Each by itself, so that all that is wrong is told, and where.
  const parts: [path: string, value: unknown][] = isMapping
    ? Object.entries(value).map(([name, each]) => [`${key}.${name}`, { [name]: each }])
    : [[key, value]];
  const isRight = parts.map(([path, part]) => tellPermissions(path, part, fields, owner));
  return isRight.every(Boolean) ? parsePermissions(value, owner) : undefined;
}

function tellPermissions(path: string, value: unknown, fields: Fields, owner: string): boolean {
  try {
    parsePermissions(value, owner);
    return true;
  } catch (error) {
    fields.error(path, messageOf(error), error);
    return false;
  }
}

const TYPES: Readonly<Record<string, "http" | "sse">> = {
  http: "http",
  "streamable-http": "http",
  "streamableHttp": "http",
  sse: "sse",
};

/** A server with an address in place of a command. Its grant is the address's host and nothing else. */
function readRemote(
  name: string,
  fields: Fields,
  { secrets, limits, sandbox, ...lists }: Permissions = {},
): Pick<ServerSpec, "command" | "args" | "env" | "permissions"> {
  for (const key of ["args", "env"]) {
    if (fields.raw(key) === undefined) continue;
    fields.error(key, `server "${name}" is reached by its url, so it takes no ${key}`);
  }
  for (const key of Object.keys(lists)) {
    const reason =
      `server "${name}" is reached by its url, whose host is all that it is granted: it takes no ${key}`;
    fields.error("permissions", reason);
  }
  const type = fields.word("type", Object.keys(TYPES));
  const url = fields.requiredText("url");
  const headers = fields.textsByName("headers") ?? {};
  const none = { command: "", args: [], env: {} };
  if (url === "") return none;
  const remote = { url, headers, ...(type === undefined ? {} : { type: TYPES[type]! }) };
  try {
    return bridgeTo(remote, withoutAbsent({ secrets, limits, sandbox }));
  } catch (error) {
    fields.error("url", `server "${name}" ${messageOf(error)}`, error);
    return none;
  }
}

type CommandLine = Pick<ServerSpec, "command" | "args" | "env">;

/** A command in one of its forms: a text, a list whose rest are arguments, or `{ path, args, env }` as Zed has it. */
function readCommandLine(name: string, fields: Fields): CommandLine {
  const started = `server "${name}" is started by its command, and`;
  if (fields.raw("headers") !== undefined) {
    fields.warn("headers", `${started} its headers are not used`);
  }
  const type = fields.text("type");
  if (type !== undefined && type !== "stdio" && fields.raw("url") === undefined) {
    fields.warn("type", `${started} its type ${JSON.stringify(type)} is not used`);
  }
  const command = fields.raw("command");
  const args = fields.texts("args") ?? [];
  const env = fields.textsByName("env") ?? {};
  if (Array.isArray(command)) {
    const [program = "", ...more] = fields.texts("command") ?? [];
    if (program.trim() === "") fields.error("command", `the list "command" names no program`);
    return { command: program, args: [...more, ...args], env };
  }
  if (typeof command === "object" && command !== null) {
    const inner = fields.fields("command");
    inner?.checkKeys(["path", "args", "env"]);
    return {
      command: inner?.requiredText("path") ?? "",
      args: [...inner?.texts("args") ?? [], ...args],
      env: { ...inner?.textsByName("env"), ...env },
    };
  }
  return { command: fields.requiredText("command"), args, env };
}
