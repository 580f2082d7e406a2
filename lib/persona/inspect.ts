import { basename } from "@std/path";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { maskArguments } from "../sandbox/mask_arguments.ts";
import { type GrantedAtMost, grantedAtMost } from "../sandbox/granted_at_most.ts";
import type { Os } from "../sandbox/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { remoteOf } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { type Defaults, SPELLING } from "./defaults.ts";
import { hookSpec } from "./hook_spec.ts";
import type { HookPoint } from "./hooks.ts";
import { allowedVariables, interpolated } from "./interpolate.ts";
import type { Pack } from "./pack.ts";
import type { PersonaFile } from "./persona_file.ts";
import { resolvePersona } from "./resolve.ts";
import { isLower } from "./persona_limits.ts";
import { spelled } from "./spelled.ts";
import { unusedFields } from "./unused_fields.ts";

/** A resolved field: what holds, and who said so. */
export interface InspectedField {
  readonly value: unknown;
  /** `persona`, `pack defaults`, `built-in`, or the operator's flag, variable or policy. */
  readonly origin: string;
}

/** Something that has a name of its own in a persona. */
export interface InspectedName {
  readonly name: string;
  /** `persona` or `pack`. */
  readonly origin: string;
}

/** A persona as `skep pack inspect` shows it. No value of a variable is in it, since that may be a secret. */
export interface InspectedPersona {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly file: string;
  readonly version?: string;
  readonly author?: string;
  readonly avatar?: string;
  readonly runtime?: string;
  readonly fields: Readonly<Record<string, InspectedField>>;
  readonly servers: readonly InspectedServer[];
  /** Those that an entry switches off. */
  readonly servers_off: readonly InspectedName[];
  readonly skills: readonly (InspectedName & { readonly description: string })[];
  readonly hooks: Readonly<Record<string, InspectedHook>>;
  /** Ceilings, all of which hold. */
  readonly permissions: readonly InspectedField[];
  /** Rules on calls; the strictest of these decides. */
  readonly approvals: readonly InspectedField[];
  /** The bounds that it says something about. */
  readonly limits: Readonly<Record<string, InspectedField>>;
  readonly env: readonly InspectedName[];
  readonly secrets: readonly (InspectedName & { readonly source: string })[];
  readonly hints: InspectedField;
  readonly prompt_bytes: number;
  readonly team_instructions_bytes: number;
  /** Fields that it sets and that nothing reads in a chat or under ACP. */
  readonly not_used: readonly string[];
}

/** A script as `skep pack inspect` shows it. */
export interface InspectedHook {
  readonly script: string;
  readonly origin: string;
  readonly permissions?: unknown;
  readonly granted_at_most: GrantedAtMost | string;
}

/** A server as `skep pack inspect` shows it. */
export interface InspectedServer extends InspectedName {
  readonly command: readonly string[];
  /** Where one lies that is reached by a url: its scheme, host and port, since the rest may be a secret. */
  readonly url?: string;
  /** Names of the headers that it is sent. */
  readonly headers?: readonly string[];
  /** Names of the variables that it sets. */
  readonly env: readonly string[];
  /** What it asks for, as written; absent: a known server's profile, or the default grant. */
  readonly permissions?: unknown;
  /** What ceilings leave of that; a sentence when it comes to no grant. */
  readonly granted_at_most: GrantedAtMost | string;
  readonly enabled_tools?: readonly string[];
  readonly disabled_tools?: readonly string[];
}

/** The operator's own word, which wins over a persona's. */
export interface Operator {
  /** On fields, by their spelling. */
  readonly fields: Readonly<Record<string, InspectedField>>;
  /** The bounds in force, and who set each: a variable, or `built-in`. */
  readonly limits: Limits;
  readonly limitOrigin: (name: keyof Limits) => string;
  /** The flag or variable that switches hints off. */
  readonly hintsOffBy?: string | undefined;
  readonly policy?: Policy | undefined;
  /** Where the persona would work: canonical. */
  readonly workspace: string;
  readonly os: Os;
  /** True for `--sandbox off`. */
  readonly isUnconfined: boolean;
  readonly env: Host["env"];
}

/** One persona of a pack with all that its pack gives it, and the origin of each field. */
export function inspectPersona(
  persona: PersonaFile,
  pack: Pack,
  operator: Operator,
): InspectedPersona {
  const resolved = resolvePersona(persona, pack);
  const { avatar, runtime, version } = resolved;
  const { author } = persona;
  const { policy } = operator;
  const names = (each: Readonly<Record<string, unknown>>) =>
    Object.keys(each).map((name) => ({ name, origin: "persona" }));
  const { env } = operator;
  const variables = { persona: resolved, allowed: allowedVariables(env), env };
  const atMost = (spec: ServerSpec): GrantedAtMost | string => {
    const filled = interpolated(spec, variables);
    return filled.problem?.message ?? grantedAtMost(filled, { ...operator, pack: pack.folder });
  };
  const fields = (Object.keys(resolved.settings) as (keyof Defaults)[])
    .map((key): [string, InspectedField] => {
      const name = SPELLING[key];
      return [name, {
        value: asWritten(resolved.settings[key], key),
        origin: resolved.origins[name] ?? "built-in",
      }];
    });
  return {
    name: resolved.name,
    display_name: resolved.displayName,
    description: resolved.description,
    file: resolved.file,
    ...(version === undefined ? {} : { version }),
    ...(author === undefined ? {} : { author }),
    ...(avatar === undefined ? {} : { avatar }),
    ...(runtime === undefined ? {} : { runtime }),
    fields: { ...Object.fromEntries(fields), ...operator.fields },
    servers: resolved.servers.map((spec) => inspectServer(spec, persona, atMost)),
    servers_off: resolved.serversOff.map(({ name, where }) => ({
      name,
      origin: where === persona.file ? "persona" : "pack",
    })),
    skills: resolved.skills.map(({ name, description, folder }) => ({
      name,
      description,
      origin: isNamed(basename(folder), persona) ? "persona" : "pack",
    })),
    hooks: Object.fromEntries(
      Object.entries(resolved.hooks).map(([point, { script, permissions }]) => [point, {
        script,
        origin: Object.hasOwn(persona.hooks, point) ? "persona" : "pack",
        ...(permissions === undefined ? {} : { permissions }),
        granted_at_most: atMost(hookSpec(point as HookPoint, resolved)!),
      }]),
    ),
    permissions: said(resolved.permissions, policy?.permissions, policy?.file),
    approvals: said(resolved.approvals, policy?.approvals, policy?.file),
    limits: inspectLimits(persona, operator),
    env: names(resolved.env),
    secrets: names(resolved.secrets).map((each) => ({
      ...each,
      source: resolved.secrets[each.name]!,
    })),
    hints: inspectHints(persona, operator),
    prompt_bytes: byteLength(resolved.prompt),
    team_instructions_bytes: byteLength(resolved.team ?? ""),
    not_used: unusedFields(resolved),
  };
}

function inspectServer(
  spec: ServerSpec,
  { servers }: PersonaFile,
  atMost: (spec: ServerSpec) => GrantedAtMost | string,
): InspectedServer {
  const { permissions, enabledTools, disabledTools } = spec;
  const remote = remoteOf(spec);
  return {
    name: spec.name,
    command: maskArguments([spec.command, ...spec.args]),
    ...(remote === undefined
      ? { env: Object.keys(spec.env) }
      : { url: new URL(remote.url).origin, headers: Object.keys(remote.headers), env: [] }),
    ...(permissions === undefined ? {} : { permissions }),
    granted_at_most: atMost(spec),
    ...(enabledTools === undefined ? {} : { enabled_tools: enabledTools }),
    ...(disabledTools === undefined ? {} : { disabled_tools: disabledTools }),
    origin: servers.some(({ name }) => name === spec.name) ? "persona" : "pack",
  };
}

/** What persona and policy say, each for itself. */
function said(own: unknown, operators: unknown, policy = ""): InspectedField[] {
  const isSaid = operators !== undefined && JSON.stringify(operators) !== "{}";
  return [
    ...(own === undefined ? [] : [{ value: own, origin: "persona" }]),
    ...(isSaid ? [{ value: operators, origin: policy }] : []),
  ];
}

function inspectLimits(
  { limits: own }: PersonaFile,
  { limits, limitOrigin }: Operator,
): Readonly<Record<string, InspectedField>> {
  const entries = Object.entries(own) as [keyof Limits, number][];
  return Object.fromEntries(entries.map(([name, value]) => [
    spelled(name),
    isLower(name, value, limits)
      ? { value, origin: "persona" }
      : { value: limits[name], origin: limitOrigin(name) },
  ]));
}

function inspectHints({ hints }: PersonaFile, { hintsOffBy }: Operator): InspectedField {
  if (hintsOffBy !== undefined) return { value: false, origin: hintsOffBy };
  return { value: hints ?? true, origin: hints === undefined ? "built-in" : "persona" };
}

/** Whether the persona names the skill of that folder, in one of the ways in which it may. */
function isNamed(folder: string, { skills }: PersonaFile): boolean {
  return skills.some((written) => basename(written) === folder);
}

/** Triggers are the one field whose names a file spells otherwise; a provider's options are its own. */
function asWritten(value: unknown, key: keyof Defaults): unknown {
  if (key !== "triggers") return value;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([name, each]) => [spelled(name), each]));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
