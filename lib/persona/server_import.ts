import { remoteOf } from "../sandbox/remote.ts";
import type { Permissions, ServerSpec } from "../sandbox/spec.ts";
import { inOwnSpelling } from "./interpolate.ts";
import { parseJsonc } from "./jsonc.ts";
import { withoutAbsent } from "./without_absent.ts";

/**
 * The entries of a server file of ours, `{"mcpServers": {…}}`, from servers that were read from any form, with
 * variables in skep's spelling. They have no permissions: a file that asks for some, such as a workspace's own,
 * would be granted them in skep's own file without a question.
 */
export function serverEntries(
  specs: readonly ServerSpec[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(specs.map((spec) => [
    spec.name,
    withoutAbsent({
      ...(remoteEntry(spec) ?? commandEntry(spec)),
      enabled_tools: spec.enabledTools,
      disabled_tools: spec.disabledTools,
    }),
  ]));
}

function commandEntry({ command, args, env }: ServerSpec): Record<string, unknown> {
  return {
    command: inOwnSpelling(command),
    args: args.length === 0 ? undefined : args.map(inOwnSpelling),
    env: spelledValues(env),
  };
}

function remoteEntry(spec: ServerSpec): Record<string, unknown> | undefined {
  const remote = remoteOf(spec);
  return remote && { ...remote, headers: spelledValues(remote.headers) };
}

/** The permissions that a spec asks for and that its entry is without; of one with a url the host is no such. */
export function permissionsLeftOut(spec: ServerSpec): Permissions | undefined {
  const { net, ...others } = spec.permissions ?? {};
  const left = remoteOf(spec) === undefined ? { ...withoutAbsent({ net }), ...others } : others;
  return Object.keys(left).length === 0 ? undefined : left;
}

/** The values in skep's spelling; undefined for none. */
function spelledValues(
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(values).map(([name, value]) => [name, inOwnSpelling(value)]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** What adding entries to a file comes to. */
export interface MergedEntries {
  /** The file's new text; the old one's comments are gone. */
  readonly text: string;
  readonly added: readonly string[];
  /** Names that the file has with other content, which stay as they are. */
  readonly conflicts: readonly string[];
}

/**
 * Adds entries to a server file of ours.
 *
 * @param before The file's text; undefined when there is none yet.
 * @returns undefined when that is no server file of ours.
 */
export function mergeEntries(
  before: string | undefined,
  entries: Readonly<Record<string, unknown>>,
): MergedEntries | undefined {
  const json = parseJsonc(before ?? '{ "mcpServers": {} }');
  if (!json.ok || !isMapping(json.value)) return undefined;
  const there = json.value.mcpServers ?? {};
  if (!isMapping(there)) return undefined;
  const names = Object.keys(entries);
  const isThere = (name: string) => Object.hasOwn(there, name);
  const added = names.filter((name) => !isThere(name));
  const conflicts = names.filter((name) =>
    isThere(name) && JSON.stringify(there[name]) !== JSON.stringify(entries[name])
  );
  const servers = { ...there, ...Object.fromEntries(added.map((name) => [name, entries[name]])) };
  const text = `${JSON.stringify({ ...json.value, mcpServers: servers }, undefined, 2)}\n`;
  return { text, added, conflicts };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
