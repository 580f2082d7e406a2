import { SkepError } from "../errors.ts";

/** The hooks that are called, by the names of the tools that servers offer for them. */
export const HOOKS = [
  "_SessionStart",
  "_UserPromptSubmit",
  "_PreToolUse",
  "_PostToolUse",
  "_Stop",
  "_PostCompact",
  "_SessionEnd",
] as const;

/** One of {@linkcode HOOKS}. */
export type HookName = typeof HOOKS[number];

/** Hooks that can forbid something, and so can be made to forbid it when they fail. */
const CLOSABLE: readonly HookName[] = ["_UserPromptSubmit", "_PreToolUse", "_PostToolUse"];

/** Which servers' hooks are called. */
export interface HookSettings {
  /** `*`: of every server. */
  readonly servers: "*" | readonly string[];
  /** Security hooks: when one fails or is missing, what it was to judge is forbidden. */
  readonly closed: readonly { readonly server: string; readonly hook: HookName }[];
}

/** Nobody's hooks are called. */
export const NO_HOOKS: HookSettings = { servers: [], closed: [] };

/**
 * Reads `SKEP_HOOK_SERVERS`, else `MCP_HOOK_SERVERS`: a list of names with commas, or `*` alone for all;
 * and `SKEP_CLOSED_HOOKS`: a list of `server:_Hook`. Servers with a closed hook are called without
 * being named again.
 *
 * @throws {SkepError} `CONFIG_INVALID`.
 */
export function readHookSettings(env: (name: string) => string | undefined): HookSettings {
  const source = env("SKEP_HOOK_SERVERS") ?? env("MCP_HOOK_SERVERS") ?? "";
  const closed = listOf(env("SKEP_CLOSED_HOOKS") ?? "").map((entry) => {
    const at = entry.lastIndexOf(":");
    if (at === -1) throw unusable(entry, "SKEP_CLOSED_HOOKS");
    return closedHook(entry.slice(0, at), entry.slice(at + 1), "SKEP_CLOSED_HOOKS");
  });
  return settings(source.trim() === "*" ? "*" : listOf(source), closed);
}

/**
 * Reads the value of `hooks:` in a policy file: `servers` (a list, or `*`) and `closed` (a server's name
 * to a list of hooks).
 *
 * @throws {SkepError} `CONFIG_INVALID`, naming the entry and what was wanted.
 */
export function parseHooks(value: unknown, source: string): HookSettings {
  if (value === undefined || value === null) return NO_HOOKS;
  if (!isMapping(value)) throw invalid(source, "hooks", "it must be a mapping");
  const { servers = [], closed = {}, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(source, `hooks.${other}`, "the keys are servers, closed");
  if (servers !== "*" && !isTexts(servers)) {
    throw invalid(source, "hooks.servers", 'it must be a list of names, or "*"');
  }
  if (!isMapping(closed)) throw invalid(source, "hooks.closed", "it must map servers to hooks");
  const hooks = Object.entries(closed).flatMap(([server, names]) => {
    if (!isTexts(names)) throw invalid(source, `hooks.closed.${server}`, "it must be a list");
    return names.map((name) => closedHook(server, name, `hooks.closed in ${source}`));
  });
  return settings(servers, hooks);
}

/** What both say together. */
export function mergeHooks(a: HookSettings, b: HookSettings): HookSettings {
  const servers = a.servers === "*" || b.servers === "*" ? "*" : [...a.servers, ...b.servers];
  return settings(servers, [...a.closed, ...b.closed]);
}

function settings(servers: HookSettings["servers"], closed: HookSettings["closed"]): HookSettings {
  if (servers === "*") return { servers, closed };
  return { servers: [...new Set([...servers, ...closed.map(({ server }) => server)])], closed };
}

function closedHook(server: string, hook: string, where: string): HookSettings["closed"][number] {
  const known = CLOSABLE.find((each) => each === hook);
  if (known !== undefined && server !== "") return { server, hook: known };
  throw unusable(`${server}:${hook}`, where);
}

function unusable(entry: string, where: string): SkepError {
  const message = `Cannot use "${entry}" of ${where}: it is a server's name and one of ` +
    `${CLOSABLE.join(", ")}, as server:_Hook`;
  return new SkepError("CONFIG_INVALID", message, { source: where });
}

function listOf(text: string): string[] {
  return text.split(",").map((each) => each.trim()).filter((each) => each !== "");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(source: string, at: string, wanted: string): SkepError {
  return new SkepError("CONFIG_INVALID", `Cannot use ${at} in ${source}: ${wanted}`, { source });
}
