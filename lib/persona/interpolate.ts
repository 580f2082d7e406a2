import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { keyReason } from "../sandbox/keys.ts";
import { HEADER_PREFIX, isBridge, secretMark } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Persona } from "./persona.ts";
import { withRegistries } from "./registries.ts";

/** What `${NAME}` may stand for. */
export interface Interpolation {
  /** What the persona names, for the servers of its pack; absent for a server of nobody's pack. */
  readonly persona?: Pick<Persona, "env" | "secrets" | "pack">;
  /** Names of the runtime's own variables that the operator allows. */
  readonly allowed: readonly string[];
  readonly env: Host["env"];
}

/** The operator's list of variables that server files and packs may take from the runtime. */
export const INTERPOLATE_VARIABLE = "SKEP_INTERPOLATE";

const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const WHOLE = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** What other programs call the workspace. */
const WORKSPACE_NAMES = ["WORKSPACE", "workspaceFolder", "workspaceRoot"];
const PACK_NAMES = ["PACK", "PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

/**
 * Fills in the variables of a server's arguments and environment: `${NAME}`, `${env:NAME}` and
 * `${NAME:-default}`. `${WORKSPACE}` stays, since it is known only when the server starts; `$${` is a `${`
 * that means nothing. `${REGISTRIES}` in its network stands for the operator's registries. A variable of the server's whose whole value is one reference to a secret, or to a
 * variable of the runtime's, becomes a secret of the server's own, whose value nobody writes down.
 *
 * @throws {SkepError} `CONFIG_INVALID` for a name that stands for nothing.
 */
export function interpolate(spec: ServerSpec, world: Interpolation): ServerSpec {
  const secrets: Record<string, string> = { ...spec.secrets };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(spec.env)) {
    if (isBridge(spec) && name.startsWith(HEADER_PREFIX)) {
      env[name] = fillHeader(value, spec, world, secrets);
      continue;
    }
    const source = secretSource(value, world);
    if (source === undefined) env[name] = fill(value, `env.${name}`, spec, world);
    else secrets[name] = source;
  }
  return {
    ...spec,
    command: fill(spec.command, "command", spec, world),
    args: spec.args.map((arg) => fill(arg, "args", spec, world)),
    env,
    ...(spec.permissions && { permissions: withRegistries(spec.permissions, world.env) }),
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
  };
}

/**
 * The value of a header. `${NAME}` in it must be a secret; the bridge fills it in, so that nobody writes it
 * down.
 *
 * @param secrets Gets the sources of those that the spec's own permissions do not have.
 */
function fillHeader(
  text: string,
  spec: ServerSpec,
  world: Interpolation,
  secrets: Record<string, string>,
): string {
  return text.replaceAll(REFERENCE, (whole, inner: string | undefined) => {
    if (inner === undefined) return "${";
    const name = inner.replace(/^env:/, "");
    const isDeclared = Object.hasOwn(spec.permissions?.secrets ?? {}, name);
    const source = isDeclared ? undefined : secretSource(whole, world);
    if (isDeclared || source !== undefined) {
      if (source !== undefined) secrets[name] = source;
      return secretMark(name);
    }
    if (world.persona !== undefined && Object.hasOwn(world.persona.env, name)) {
      return world.persona.env[name]!;
    }
    throw unresolved(whole, inner, "headers", spec, world);
  });
}

/** {@linkcode interpolate}, with the problem in the spec: one bad server costs nobody the others (T28). */
export function interpolated(spec: ServerSpec, world: Interpolation): ServerSpec {
  try {
    return interpolate(spec, world);
  } catch (error) {
    if (!isSkepError(error, "CONFIG_INVALID")) throw error;
    return { ...spec, problem: error };
  }
}

/** All that stands for nothing in a spec, where {@linkcode interpolate} stops at the first. */
export function unresolvedIn(spec: ServerSpec, world: Interpolation): readonly string[] {
  // A bridge is known by its command line, in which there is nothing to fill in.
  const bare = isBridge(spec) ? spec : { ...spec, command: "", args: [] };
  const commandLine = isBridge(spec)
    ? []
    : [{ command: spec.command }, ...spec.args.map((arg) => ({ args: [arg] }))];
  const parts: readonly ServerSpec[] = [
    ...commandLine.map((part) => ({ ...bare, env: {}, ...part })),
    ...Object.entries(spec.env).map(([name, value]) => ({ ...bare, env: { [name]: value } })),
  ];
  const told = parts.flatMap((part) => interpolated(part, world).problem?.message ?? []);
  return [...new Set(told)];
}

/**
 * A text with the names that other programs have for the workspace, and for variables, as skep spells them:
 * `${WORKSPACE}` and `${NAME}`.
 */
export function inOwnSpelling(text: string): string {
  return text.replaceAll(REFERENCE, (whole, inner: string | undefined) => {
    if (inner === undefined) return whole;
    const name = inner.replace(/^env:/, "");
    return WORKSPACE_NAMES.includes(name) ? "${WORKSPACE}" : `\${${name}}`;
  });
}

/** The spec with `${WORKSPACE}` filled in, which {@linkcode interpolate} leaves. */
export function inWorkspace(spec: ServerSpec, workspace: string): ServerSpec {
  const fill = (text: string) => text.split(LATER).join(workspace);
  const env = Object.entries(spec.env).map(([name, value]) => [name, fill(value)]);
  return {
    ...spec,
    command: fill(spec.command),
    args: spec.args.map(fill),
    env: Object.fromEntries(env),
  };
}

/** Stands for the workspace until that is known: no argument can hold a NUL otherwise. */
const LATER = "\0WORKSPACE\0";

function secretSource(value: string, { persona, allowed }: Interpolation): string | undefined {
  const name = WHOLE.exec(value)?.[1];
  if (name === undefined) return undefined;
  if (persona !== undefined && Object.hasOwn(persona.env, name)) return undefined;
  if (persona !== undefined && Object.hasOwn(persona.secrets, name)) return persona.secrets[name];
  return allowed.includes(name) ? `env:${name}` : undefined;
}

function fill(text: string, entry: string, spec: ServerSpec, world: Interpolation): string {
  return text.replaceAll(REFERENCE, (whole, inner: string | undefined) => {
    if (inner === undefined) return "${";
    const [, name = "", fallback] = /^(?:env:)?([^:]*)(?::-([\s\S]*))?$/.exec(inner) ?? [];
    const value = valueOf(name, world) ?? fallback;
    if (value !== undefined) return value;
    throw unresolved(whole, inner, entry, spec, world);
  });
}

function valueOf(name: string, { persona, allowed, env }: Interpolation): string | undefined {
  if (WORKSPACE_NAMES.includes(name)) return LATER;
  if (persona !== undefined && PACK_NAMES.includes(name)) return persona.pack;
  if (persona !== undefined && Object.hasOwn(persona.env, name)) return persona.env[name];
  if (!allowed.includes(name)) return undefined;
  const value = env(name) ?? "";
  return value === "" || keyReason(name, value, env) !== undefined ? undefined : value;
}

function unresolved(
  whole: string,
  inner: string,
  entry: string,
  { name, origin }: ServerSpec,
  { persona, allowed, env }: Interpolation,
): SkepError<"CONFIG_INVALID"> {
  const variable = inner.replace(/^env:/, "").replace(/:-.*$/s, "");
  const why = FOREIGN.test(inner)
    ? foreignAdvice(entry)
    : persona !== undefined && Object.hasOwn(persona.secrets, variable)
    ? "a secret must be the whole value of a variable"
    : entry === "headers"
    ? `name it under secrets: of the server's permissions, as ${variable}: "env:${variable}"`
    : !allowed.includes(variable)
    ? `name it in ${persona === undefined ? "" : "the persona's env or secrets, or in "}` +
      `${INTERPOLATE_VARIABLE}=${variable}; write $${whole} for the text itself`
    : env(variable)
    ? keyReason(variable, env(variable), env) ?? ""
    : `${variable} is not set`;
  const message =
    `Cannot start server "${name}": ${whole} in its ${entry} stands for nothing: ${why}`;
  return new SkepError("CONFIG_INVALID", message, { source: origin.where });
}

/** What an editor fills in itself: answers that it asks a person for, its settings, places that only it knows. */
const FOREIGN = /^(input|command|config|userHome|workspaceFolderBasename|pathSeparator|\/)(:|$)/;

function foreignAdvice(entry: string): string {
  const advice = entry === "headers"
    ? 'write ${NAME} there, and name its source under secrets: of the server\'s permissions, as NAME: "env:NAME"'
    : entry.startsWith("env.")
    ? `write its value there; or leave ${entry} out, and name its source under secrets: of the server's permissions, as ${
      entry.slice("env.".length)
    }: "env:NAME"`
    : `write its value there, or \${NAME} and ${INTERPOLATE_VARIABLE}=NAME`;
  return `it is for an editor to fill in, or to ask for. Here ${advice}`;
}

/** The names in {@linkcode INTERPOLATE_VARIABLE}, separated by commas. */
export function allowedVariables(env: Host["env"]): readonly string[] {
  return (env(INTERPOLATE_VARIABLE) ?? "").split(",").map((name) => name.trim())
    .filter((name) => name !== "");
}
