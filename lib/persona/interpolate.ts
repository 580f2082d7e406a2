import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { keyReason } from "../sandbox/keys.ts";
import { HEADER_PREFIX, isBridge, secretMark } from "../sandbox/remote.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Persona } from "./persona.ts";
import {
  type Reference,
  referenceProblem,
  replaceReferences,
  wholeReference,
} from "./references.ts";
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

/** What other programs call the workspace. */
const WORKSPACE_NAMES = ["WORKSPACE", "workspaceFolder", "workspaceRoot"];
const PACK_NAMES = ["PACK", "PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Fills in the variables of a server's arguments and environment: `${NAME}`, `${env:NAME}` and
 * `${NAME:-default}`. `${WORKSPACE}` stays, since it is known only when the server starts; `$${` is a `${`
 * that means nothing. `${REGISTRIES}` in its network stands for the operator's registries. A variable of the server's whose whole value is one reference to a secret, or to a
 * variable of the runtime's, becomes a secret of the server's own, whose value nobody writes down.
 *
 * @throws {SkepError} `CONFIG_INVALID` for a name that stands for nothing.
 */
export function interpolate(spec: ServerSpec, world: Interpolation): ServerSpec {
  return fillSpec(spec, world, ({ message }) => {
    throw new SkepError("CONFIG_INVALID", message, { source: spec.origin.where });
  });
}

/** A reference that stands for nothing. */
export interface Unresolved {
  /** Where in the server's entry, such as `args[1]`. */
  readonly path: string;
  /** A sentence for a person. */
  readonly message: string;
  /** True when the operator's word alone could make it stand for something. */
  readonly isOperators: boolean;
  /** True for what is no reference at all: it is told when the entry is read, too. */
  readonly isMalformed: boolean;
}

/** All that stands for nothing in a spec, where {@linkcode interpolate} stops at the first. */
export function unresolvedIn(spec: ServerSpec, world: Interpolation): readonly Unresolved[] {
  const found = new Map<string, Unresolved>();
  fillSpec(spec, world, (each) => {
    if (!found.has(each.message)) found.set(each.message, each);
  });
  return [...found.values()];
}

/** Is told of what stands for nothing. */
type Tell = (found: Unresolved) => void;

/** A text of a server's entry: whose it is, and where it stands. */
interface Entry {
  readonly spec: ServerSpec;
  readonly world: Interpolation;
  readonly tell: Tell;
  readonly path: string;
  /** Gets what variables of the runtime's stood for. */
  readonly filled: Map<string, string>;
}

function fillSpec(spec: ServerSpec, world: Interpolation, tell: Tell): ServerSpec {
  const filled = new Map<string, string>();
  const entry = (path: string): Entry => ({ spec, world, tell, path, filled });
  const isFar = isBridge(spec);
  const command = fill(spec.command, entry("command"));
  const args = spec.args.map((arg, place) => fill(arg, entry(`args[${place}]`)));
  const secrets = new Map(Object.entries(spec.secrets ?? {}));
  const env = new Map<string, string>();
  for (const [name, value] of Object.entries(spec.env)) {
    if (isFar && name.startsWith(HEADER_PREFIX)) {
      env.set(name, fillHeader(value, entry("headers"), secrets));
      continue;
    }
    const source = secretSource(value, world);
    if (source === undefined) env.set(name, fill(value, entry(`env.${name}`)));
    else secrets.set(name, source);
  }
  return {
    ...spec,
    command,
    args,
    env: Object.fromEntries(env),
    ...(spec.permissions && { permissions: withRegistries(spec.permissions, world.env) }),
    ...(secrets.size === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    ...(filled.size === 0 ? {} : { filled: Object.fromEntries(filled) }),
  };
}

/**
 * The value of a header. `${NAME}` in it must be a secret; the bridge fills it in, so that nobody writes it
 * down.
 *
 * @param secrets Gets the sources of those that the spec's own permissions do not have.
 */
function fillHeader(text: string, entry: Entry, secrets: Map<string, string>): string {
  const { spec, world: { persona } } = entry;
  if (!isWellFormed(text, entry)) return text;
  return replaceReferences(text, (found) => {
    const name = found.inner.replace(/^env:/, "");
    const isDeclared = Object.hasOwn(spec.permissions?.secrets ?? {}, name);
    const source = isDeclared ? undefined : secretSource(found.whole, entry.world);
    if (isDeclared || source !== undefined) {
      if (source !== undefined) secrets.set(name, source);
      return secretMark(name);
    }
    if (persona !== undefined && Object.hasOwn(persona.env, name)) return persona.env[name]!;
    return tellUnresolved(found, entry);
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

/**
 * A text with the names that other programs have for the workspace, and for variables, as skep spells them:
 * `${WORKSPACE}` and `${NAME}`.
 */
export function inOwnSpelling(text: string): string {
  return text.replaceAll(/\$\$\{|\$\{([^}]*)\}/g, (whole, inner: string | undefined) => {
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

/** The source of the secret that is the whole of a text; undefined when it is anything else. */
function secretSource(text: string, { persona, allowed, env }: Interpolation): string | undefined {
  const { name = "", fallback } = wholeReference(text) ?? {};
  if (!VARIABLE.test(name)) return undefined;
  if (persona !== undefined && Object.hasOwn(persona.env, name)) return undefined;
  if (persona !== undefined && Object.hasOwn(persona.secrets, name)) {
    return fallback === undefined ? persona.secrets[name] : undefined;
  }
  if (!allowed.includes(name)) return undefined;
  return fallback === undefined || (env(name) ?? "") !== "" ? `env:${name}` : undefined;
}

function fill(text: string, entry: Entry): string {
  if (!isWellFormed(text, entry)) return text;
  return replaceReferences(text, (found) => {
    const value = valueOf(found.name, entry.world);
    if (value !== undefined && isRuntimes(found.name, entry.world)) {
      entry.filled.set(found.name, value);
    }
    if (value !== undefined) return value;
    // A default in a secret's place would start the server with something else than its key.
    if (found.fallback !== undefined && !isSecret(found.name, entry.world)) return found.fallback;
    return tellUnresolved(found, entry);
  });
}

/** False, and told, for a text in which something is no whole reference. */
function isWellFormed(text: string, { spec: { name }, tell, path }: Entry): boolean {
  const problem = referenceProblem(text);
  if (problem === undefined) return true;
  const message = `Cannot start server "${name}": in its ${listOf(path)} ${problem}`;
  tell({ path, message, isOperators: false, isMalformed: true });
  return false;
}

function valueOf(name: string, world: Interpolation): string | undefined {
  const { persona, allowed, env } = world;
  if (WORKSPACE_NAMES.includes(name)) return LATER;
  if (persona !== undefined && PACK_NAMES.includes(name)) return persona.pack;
  if (persona !== undefined && Object.hasOwn(persona.env, name)) return persona.env[name];
  if (isSecret(name, world) || !allowed.includes(name)) return undefined;
  const value = env(name) ?? "";
  return value === "" || keyReason(name, value, env) !== undefined ? undefined : value;
}

/** True of a variable that is neither a place nor the persona's own. */
function isRuntimes(name: string, { persona, allowed }: Interpolation): boolean {
  const isPlace = [...WORKSPACE_NAMES, ...PACK_NAMES].includes(name);
  return !isPlace && allowed.includes(name) && !Object.hasOwn(persona?.env ?? {}, name);
}

function isSecret(name: string, { persona }: Interpolation): boolean {
  return persona !== undefined && Object.hasOwn(persona.secrets, name);
}

/** @returns what stands there while the rest is looked at. */
function tellUnresolved({ whole, inner, name, fallback }: Reference, entry: Entry): string {
  const { spec, world, tell, path } = entry;
  const { persona, allowed, env } = world;
  const list = listOf(path);
  const isForeign = FOREIGN.test(inner);
  const isKept = isSecret(name, world);
  const why = isForeign
    ? foreignAdvice(list)
    : isKept && fallback !== undefined
    ? "a secret takes no default"
    : isKept
    ? "a secret must be the whole value of a variable"
    : !VARIABLE.test(name)
    ? `${JSON.stringify(name)} is no name of a variable; write $${whole} for the text itself`
    : list === "headers"
    ? `name it under secrets: of the server's permissions, as ${name}: "env:${name}"`
    : !allowed.includes(name)
    ? `name it in ${persona === undefined ? "" : "the persona's env or secrets, or in "}` +
      `${INTERPOLATE_VARIABLE}=${name}; write $${whole} for the text itself`
    : env(name)
    ? keyReason(name, env(name), env) ?? ""
    : `${name} is not set`;
  const message =
    `Cannot start server "${spec.name}": ${whole} in its ${list} stands for nothing: ${why}`;
  const canBe = VARIABLE.test(name) && keyReason(name, undefined, env) === undefined;
  const isOperators = canBe && !isForeign && !isKept;
  tell({ path, message, isOperators, isMalformed: false });
  return "";
}

/** `args` for `args[1]`: the place of one argument changes, and says little. */
function listOf(path: string): string {
  return path.replace(/\[\d+\]$/, "");
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
