import { showExactly } from "../approval/show_exactly.ts";
import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";
import {
  type InspectedField,
  type InspectedPersona,
  inspectPersona,
  type Operator,
} from "../persona/inspect.ts";
import type { Pack } from "../persona/pack.ts";
import type { GrantedAtMost } from "../sandbox/granted_at_most.ts";
import type { Invocation } from "./flags.ts";
import { THINKING_VARIABLES } from "./persona_settings.ts";
import { readGivenPack } from "./read_given_pack.ts";
import { hintsOffBy, readSettings, type Settings } from "./settings.ts";
import { type WithoutEffect, withoutEffect } from "./without_effect.ts";

/**
 * `skep pack inspect PACK`: what each persona of a pack comes to, `PACK#NAME` for one alone, and where each field
 * comes from. Values of variables are not shown.
 *
 * @throws {SkepError} `PERSONA_INVALID` for the first thing that keeps the pack from loading.
 */
export async function run(
  [path = ""]: readonly string[],
  invocation: Invocation,
  host: Host,
): Promise<number> {
  const settings = await readSettings(invocation, host);
  const { cwd, isJson, limits } = settings;
  const { pack, problems, named } = await readGivenPack(path, cwd, host, limits);
  problems.throwFirst();
  const operator = operatorOf(invocation, settings, host);
  const asked = pack!.personas.filter(({ name }) => named === undefined || name === named);
  const personas = asked.map((persona) => ({
    ...inspectPersona(persona, pack!, operator),
    without_effect: withoutEffect(persona, pack!, settings.policy),
  }));
  const { folder, manifest } = pack!;
  const { form, id, name, version, description, author, license, homepage } = manifest;
  if (isJson) {
    const head = { folder, form, id, name, version, description, author, license, homepage };
    await host.print(`${JSON.stringify({ ...head, personas })}\n`);
  } else {
    // No text of a pack may look like a line of ours.
    const lines = [...packLines(pack!), ...personas.flatMap(personaLines)].map(showExactly);
    await host.print([...lines, ""].join("\n"));
  }
  return 0;
}

/** What the operator's flags, variables and policy say. */
function operatorOf(
  invocation: Invocation,
  { limits, policy, cwd, sandbox }: Settings,
  { env, platform }: Pick<Host, "env" | "platform">,
): Operator {
  const isSet = (name: string) => env(name) !== undefined;
  return {
    fields: operatorsFields(invocation, env),
    limits,
    limitOrigin: (name) => LIMITS[name].override.find(isSet) ?? "built-in",
    hintsOffBy: hintsOffBy(invocation, env),
    policy,
    env,
    workspace: cwd,
    os: platform.os,
    isUnconfined: sandbox === "off",
  };
}

function operatorsFields(invocation: Invocation, env: Host["env"]): Operator["fields"] {
  const flag = invocation.value("model");
  const variables: [field: string, names: readonly string[]][] = [
    ["model", ["SKEP_MODEL"]],
    ["thinking", THINKING_VARIABLES],
    ["max_context_tokens", LIMITS.maxContextTokens.override],
  ];
  const found = variables.flatMap(([field, names]): [string, InspectedField][] => {
    const origin = names.find((name) => env(name)?.trim());
    const value = origin === undefined ? "" : env(origin)!.trim();
    if (origin === undefined) return [];
    return [[field, { value: /^\d+$/.test(value) ? Number(value) : value, origin }]];
  });
  return {
    ...Object.fromEntries(found),
    ...(flag === undefined ? {} : { model: { value: flag, origin: "--model" } }),
  };
}

function packLines({ folder, manifest }: Pack): string[] {
  const { name, id, version, description, author, license } = manifest;
  return [
    `${name} (${id}) ${version}`,
    ...(description === undefined ? [] : [`  ${description}`]),
    ...rows([["folder", folder], ["author", author], ["license", license]]),
  ];
}

type Shown = InspectedPersona & { readonly without_effect: readonly WithoutEffect[] };

function personaLines(persona: Shown): string[] {
  const { servers, servers_off, skills, hooks, fields, limits } = persona;
  const { permissions, approvals, env, secrets } = persona;
  return [
    "",
    `${persona.name}: ${persona.display_name}`,
    `  ${persona.description}`,
    ...rows([
      ["file", persona.file],
      ["version", persona.version],
      ["author", persona.author],
      ["avatar", persona.avatar],
      ["runtime", persona.runtime],
      ["prompt", `${persona.prompt_bytes} bytes`],
      ["team instructions", bytes(persona.team_instructions_bytes)],
      ...Object.entries(fields).map(([name, field]) => [name, withOrigin(field)] as const),
      ...permissions.map((each) => ["permissions", withOrigin(each)] as const),
      ...approvals.map((each) => ["approvals", withOrigin(each)] as const),
      ...Object.entries(limits).map(([name, each]) => [`limit ${name}`, withOrigin(each)] as const),
      ["env", list(env.map(({ name, origin }) => `${name} (${origin})`))],
      ["secrets", list(secrets.map((each) => `${each.name} from ${each.source} (${each.origin})`))],
      ["hints", withOrigin({ ...persona.hints, value: persona.hints.value ? "on" : "off" })],
      ["skills", list(skills.map(({ name, origin }) => `${name} (${origin})`))],
      ["not used in chat and acp", list(persona.not_used)],
      ...persona.without_effect.map(({ what, reason, origin }) =>
        ["without effect", `${what}: ${reason} (${origin})`] as const
      ),
    ]),
    ...Object.entries(hooks).flatMap((
      [point, { script, origin, permissions, granted_at_most }],
    ) => [
      `  hook ${point} (${origin}): ${script}`,
      ...rows([
        [
          "asks for",
          permissions === undefined ? "the default of hooks" : JSON.stringify(permissions),
        ],
        ...atMostRows(granted_at_most),
      ], "    "),
    ]),
    ...servers.flatMap((
      { name, command, url, headers = [], env, permissions, granted_at_most, ...rest },
    ) => [
      `  server ${name} (${rest.origin}): ${url ?? command.join(" ")}`,
      ...rows([
        ["env", list(env)],
        ["headers", list(headers)],
        ["asks for", permissions === undefined ? "the default grant" : JSON.stringify(permissions)],
        ...atMostRows(granted_at_most),
        [
          "only the tools",
          rest.enabled_tools === undefined ? undefined : rest.enabled_tools.join(", ") || "none",
        ],
        ["without the tools", list(rest.disabled_tools ?? [])],
      ], "    "),
    ]),
    ...servers_off.map(({ name, origin }) => `  server ${name} (${origin}): switched off`),
  ];
}

/** What ceilings leave, and what they take; what a machine never grants is shown by the audit. */
function atMostRows(granted: GrantedAtMost | string): (readonly [string, string])[] {
  if (typeof granted === "string") return [["granted", `nothing: ${granted}`]];
  const { cut, limits, sandbox, ...lists } = granted;
  const parts = [
    ...Object.entries(lists).filter(([, entries]) => entries.length > 0)
      .map(([name, entries]) => `${name} ${entries.join(", ")}`),
    ...Object.entries(limits).map(([name, value]) => `${name} ${value}`),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
  ];
  return [
    ["granted at most", parts.join("; ") || "its private folders"],
    ...cut.map(({ list, value, reason }) =>
      ["not granted", `${list} ${value}: ${reason}`] as const
    ),
  ];
}

function list(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(", ");
}

function bytes(count: number): string | undefined {
  return count === 0 ? undefined : `${count} bytes`;
}

function withOrigin({ value, origin }: InspectedField): string {
  return `${typeof value === "string" ? value : JSON.stringify(value)} (${origin})`;
}

function rows(
  values: readonly (readonly [name: string, value: string | undefined])[],
  indent = "  ",
): string[] {
  return values.filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${indent}${name}: ${value}`);
}
