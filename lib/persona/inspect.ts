import type { ServerSpec } from "../sandbox/spec.ts";
import { type Defaults, SPELLING } from "./defaults.ts";
import type { Pack } from "./pack.ts";
import type { PersonaFile } from "./persona_file.ts";
import { resolvePersona } from "./resolve.ts";
import { unusedFields } from "./unused_fields.ts";

/** A resolved field: what holds, and who said so. */
export interface InspectedField {
  readonly value: unknown;
  /** `persona`, `pack defaults`, `built-in`, or the flag or variable of the operator's that wins. */
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
  readonly skills: readonly { readonly name: string; readonly description: string }[];
  readonly hooks: Readonly<Record<string, { readonly script: string; readonly origin: string }>>;
  readonly permissions?: unknown;
  readonly approvals?: unknown;
  readonly limits: Readonly<Record<string, number>>;
  readonly env: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
  readonly hints: boolean;
  readonly prompt_bytes: number;
  readonly team_instructions_bytes: number;
  /** Fields that it sets and that nothing reads in a chat or under ACP. */
  readonly not_used: readonly string[];
}

/** A server as `skep pack inspect` shows it. */
export interface InspectedServer {
  readonly name: string;
  readonly command: readonly string[];
  /** Names of the variables that it sets. */
  readonly env: readonly string[];
  readonly permissions?: unknown;
  readonly enabled_tools?: readonly string[];
  readonly disabled_tools?: readonly string[];
  /** `pack` or `persona`. */
  readonly origin: string;
}

/** The operator's own word on a field, by its spelling, which wins over the persona's. */
export type Overrides = Readonly<Record<string, InspectedField>>;

/** One persona of a pack with all that its pack gives it, and the origin of each field. */
export function inspectPersona(
  persona: PersonaFile,
  pack: Pack,
  overrides: Overrides = {},
): InspectedPersona {
  const resolved = resolvePersona(persona, pack);
  const { avatar, runtime, version, permissions, approvals } = resolved;
  const { author } = persona;
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
    fields: { ...Object.fromEntries(fields), ...overrides },
    servers: resolved.servers.map((spec) => inspectServer(spec, persona)),
    skills: resolved.skills.map(({ name, description }) => ({ name, description })),
    hooks: Object.fromEntries(
      Object.entries(resolved.hooks).map(([point, { script }]) => [
        point,
        { script, origin: point in persona.hooks ? "persona" : "pack" },
      ]),
    ),
    ...(permissions === undefined ? {} : { permissions }),
    ...(approvals === undefined ? {} : { approvals }),
    limits: spelled(resolved.limits),
    env: Object.keys(resolved.env),
    secrets: resolved.secrets,
    hints: resolved.hints,
    prompt_bytes: byteLength(resolved.prompt),
    team_instructions_bytes: byteLength(resolved.team ?? ""),
    not_used: unusedFields(resolved),
  };
}

function inspectServer(spec: ServerSpec, { servers }: PersonaFile): InspectedServer {
  const { permissions, enabledTools, disabledTools } = spec;
  return {
    name: spec.name,
    command: [spec.command, ...spec.args],
    env: Object.keys(spec.env),
    ...(permissions === undefined ? {} : { permissions }),
    ...(enabledTools === undefined ? {} : { enabled_tools: enabledTools }),
    ...(disabledTools === undefined ? {} : { disabled_tools: disabledTools }),
    origin: servers.some(({ name }) => name === spec.name) ? "persona" : "pack",
  };
}

/** Triggers are the one field whose names a file spells otherwise; a provider's options are its own. */
function asWritten(value: unknown, key: keyof Defaults): unknown {
  return key === "triggers" ? spelled(value as Readonly<Record<string, unknown>>) : value;
}

/** Names as files spell them: `max_rounds`. */
function spelled<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
