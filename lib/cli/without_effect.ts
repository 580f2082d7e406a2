import { couldMatch } from "../approval/could_match.ts";
import { parseApprovals } from "../approval/parse_approvals.ts";
import type { Rule } from "../approval/rules.ts";
import { READ_ARTIFACT } from "../mcp/elide.ts";
import { serverMeant } from "../mcp/configured_names.ts";
import { nameServers } from "../mcp/server_names.ts";
import type { Pack } from "../persona/pack.ts";
import type { PersonaFile } from "../persona/persona_file.ts";
import type { Problems } from "../persona/problems.ts";
import { resolvePersona } from "../persona/resolve.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import { isDevServer } from "../sandbox/command.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { FIND_TOOL } from "../session/find_tool_tool.ts";
import { parseHooks } from "../session/hook_settings.ts";
import { nearest } from "../suggest.ts";

/** The tools of the server `dev`, which is known before it starts. */
export const DEV_TOOLS: readonly string[] = [
  "read_file",
  "write_file",
  "str_replace",
  "view_image",
  "todo",
  "shell",
  "shell_job",
  "rg",
  "tree",
];
const OWN_TOOLS = [LOAD_SKILL, READ_ARTIFACT, FIND_TOOL];
/** What a tool's name is made of where it is not mapped to another one. */
const PLAIN = /^[A-Za-z0-9_-]{1,30}$/;

/** Something that is written down and speaks of nothing that the persona has. */
export interface WithoutEffect {
  /** As people read it, such as `ask dve__shell`. */
  readonly what: string;
  readonly reason: string;
  /** `persona`, or the policy's file. */
  readonly origin: string;
}

/**
 * What a persona's rules and the operator's policy say about tools and servers that this persona does not have. A server
 * that is added by a flag or a client may have them: none of it is a mistake for certain.
 */
export function withoutEffect(
  persona: PersonaFile,
  pack: Pack,
  policy: Policy | undefined,
): WithoutEffect[] {
  const servers = serversOf(persona, pack);
  const own = unmatched(persona.approvals, persona.file, servers)
    .map(({ what, reason }) => ({ what, reason, origin: "persona" }));
  if (policy === undefined) return own;
  const origin = policy.file;
  const names = servers.map(({ name }) => name);
  const called = (name: string) => serverMeant(name, servers) !== undefined;
  const hooks = parseHooks(policy.hooks, origin);
  const unknown = (name: string) => !name.startsWith("npm:") && !called(name);
  return [
    ...own,
    ...unmatched(policy.approvals, origin, servers)
      .map(({ what, reason }) => ({ what, reason, origin })),
    ...Object.keys(policy.servers).filter(unknown)
      .map((name) => ({ what: `servers.${name}`, reason: noServer(names), origin })),
    ...(hooks.servers === "*" ? [] : hooks.servers).filter(unknown)
      .map((name) => ({ what: `hooks of ${name}`, reason: noServer(names), origin })),
  ];
}

/** Warns of a persona's rules, and of tools that its entries name, that speak of nothing it has. */
export function checkEffect(pack: Pack, problems: Problems): void {
  for (const persona of pack.personas) {
    const { approvals, file, at } = persona;
    const servers = serversOf(persona, pack);
    const list = Array.isArray(approvals) ? "approvals" : "approvals.rules";
    for (const { index, what, reason } of unmatched(approvals, file, servers)) {
      const told = `the rule "${what}" speaks of no call: ${reason}`;
      problems.add({ severity: "warning", ...at(`${list}[${index}]`), reason: told });
    }
    for (const spec of persona.servers.filter(isDevServer)) {
      for (
        const [key, names = []] of [["enabled_tools", spec.enabledTools], [
          "disabled_tools",
          spec.disabledTools,
        ]] as const
      ) {
        for (const [place, name] of names.entries()) {
          if (DEV_TOOLS.includes(name) || name.startsWith("_")) continue;
          const reason = `server "${spec.name}" has no tool "${name}"${hint(name, DEV_TOOLS)}`;
          problems.add({
            severity: "warning",
            ...persona.serverAt(spec.name, `${key}[${place}]`),
            reason,
          });
        }
      }
    }
  }
}

/** Under the names that they are known by. */
function serversOf(persona: PersonaFile, pack: Pack): readonly ServerSpec[] {
  return nameServers(resolvePersona(persona, pack).servers);
}

function unmatched(
  approvals: unknown,
  file: string,
  servers: readonly ServerSpec[],
): (Pick<WithoutEffect, "what" | "reason"> & { readonly index: number })[] {
  const tools = [
    ...OWN_TOOLS,
    ...servers.flatMap(toolsOf),
    ...configured(servers).flatMap(toolsOf),
  ];
  return rulesOf(approvals, file).flatMap(({ action, tool }, index) => {
    if (tools.some((each) => couldMatch(tool, each))) return [];
    const known = tools.filter((each) => !each.includes("*"));
    const names = servers.map(({ name }) => name);
    const isServers = names.some((name) => couldMatch(tool, `${name}__*`));
    const reason = isServers
      ? `there is no such tool${hint(tool, known)}`
      : noServer(names) + hint(tool, known);
    return [{ index, what: `${action} ${tool}`, reason }];
  });
}

/** None when they cannot be read, which is told elsewhere. */
function rulesOf(approvals: unknown, file: string): readonly Rule[] {
  try {
    return parseApprovals(approvals, file).rules;
  } catch {
    return [];
  }
}

/** Those that are known by another name, as they were configured: rules may call them so. */
function configured(servers: readonly ServerSpec[]): readonly ServerSpec[] {
  return servers.flatMap(({ configuredName: name, ...spec }) =>
    name === undefined ? [] : [{ ...spec, name }]
  );
}

/** A server's tools as patterns: by their names where these are known before it starts. */
function toolsOf(spec: ServerSpec): readonly string[] {
  const names = spec.enabledTools ?? (isDevServer(spec) ? DEV_TOOLS : undefined);
  if (names === undefined || !names.every((name) => PLAIN.test(name))) return [`${spec.name}__*`];
  const off = spec.disabledTools ?? [];
  return names.filter((name) => !off.includes(name)).map((name) => `${spec.name}__${name}`);
}

function noServer(names: readonly string[]): string {
  const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  return `the persona has no such server (${there})`;
}

function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `, did you mean "${near}"?`;
}
