import { nearest } from "../suggest.ts";
import { grantInvalid, type GrantPlace } from "./grant_invalid.ts";
import type { Permissions, ResourceLimits, SandboxMode } from "./spec.ts";

const LISTS = ["read", "write", "net", "run", "env", "sys"] as const;
/** The limits on resources that there are. */
export const LIMIT_NAMES = [
  "memory_mb",
  "processes",
  "cpu_seconds",
  "open_files",
  "file_mb",
] as const;
/** More of each no system has: a bound past it, such as a number of bytes for one of MiB, holds nothing. */
const MOST: Readonly<Record<typeof LIMIT_NAMES[number], number>> = {
  memory_mb: 16 * 1024 * 1024,
  processes: 4_194_304, // the highest number that Linux gives a process
  cpu_seconds: 366 * 24 * 3600,
  open_files: 1_048_576, // what Linux allows one process
  file_mb: 16 * 1024 * 1024,
};
const MODES = ["require", "prefer", "off"] as const;
const FIELDS: readonly string[] = [...LISTS, "secrets", "limits", "sandbox"];

/** Where a `permissions` value of a policy stands: the file, and its key such as `servers.dev.profile`. */
export interface PolicyPlace {
  readonly file: string;
  readonly key: string;
}

/**
 * Reads a `permissions` value that came from YAML or JSON. Only the shape is checked here; what an
 * entry may say is checked when the grant is computed.
 *
 * @param owner The server that it belongs to, or its place in the operator's policy.
 * @throws {SkepError} `GRANT_INVALID` for the first bad field, with its value and what was wanted;
 * `CONFIG_INVALID` in a policy.
 *
 * @example
 * ```ts
 * import { parsePermissions } from "./permissions.ts";
 *
 * const permissions = parsePermissions({ read: ["${WORKSPACE}"] }, "docs");
 * if (permissions.read?.[0] !== "${WORKSPACE}") throw new Error("the entry was lost");
 * ```
 */
export function parsePermissions(value: unknown, owner: string | PolicyPlace): Permissions {
  const at = (entry: string): GrantPlace => {
    if (typeof owner === "string") return { server: owner, entry: entry || "permissions" };
    const key = entry === "" ? owner.key : `${owner.key}.${entry}`;
    return { server: "", entry: key, policy: owner.file };
  };
  const fields = mappingOf(value, at(""), FIELDS);
  const lists = LISTS.filter((name) => fields[name] !== undefined)
    .map((name) => [name, textsOf(fields[name], at(name))]);
  return {
    ...Object.fromEntries(lists),
    ...(fields.secrets === undefined ? {} : { secrets: sources(fields.secrets, at) }),
    ...(fields.limits === undefined ? {} : { limits: resourceLimits(fields.limits, at) }),
    ...(fields.sandbox === undefined
      ? {}
      : { sandbox: sandboxMode(fields.sandbox, at("sandbox")) }),
  };
}

/**
 * A mapping as it came from YAML or JSON, without its null values: an empty YAML value (`read:`) is null,
 * and asks for nothing, as an absent one does.
 *
 * @param known The keys that it may have; absent: any.
 * @throws {SkepError} as {@linkcode grantInvalid} makes it, for another value or an unknown key, with the nearest.
 */
export function mappingOf(
  value: unknown,
  at: GrantPlace,
  known?: readonly string[],
): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw grantInvalid(at, shown(value), "it must be a mapping of names to values");
  }
  for (const key of Object.keys(value)) {
    if (known === undefined || known.includes(key)) continue;
    const near = nearest(key, known);
    const hint = near === undefined ? `one of ${known.join(", ")}` : `did you mean "${near}"?`;
    throw grantInvalid(at, key, `there is no such key; ${hint}`);
  }
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}

/** A list of texts. @throws {SkepError} as {@linkcode grantInvalid} makes it. */
export function textsOf(value: unknown, at: GrantPlace): string[] {
  if (!Array.isArray(value)) throw grantInvalid(at, shown(value), "it must be a list of texts");
  return value.map((each: unknown) => {
    if (typeof each === "string") return each;
    throw grantInvalid(at, shown(each), "each entry must be a text");
  });
}

/** `require`, `prefer` or `off`. @throws {SkepError} as {@linkcode grantInvalid} makes it. */
export function sandboxMode(value: unknown, at: GrantPlace): SandboxMode {
  return oneOf(value === false ? "off" : value, MODES, at); // YAML 1.1 reads a bare `off` as false
}

/** One of a few words. @throws {SkepError} as {@linkcode grantInvalid} makes it. */
export function oneOf<T extends string>(value: unknown, words: readonly T[], at: GrantPlace): T {
  const known = words.find((each) => each === value);
  if (known !== undefined) return known;
  throw grantInvalid(at, shown(value), `it must be ${words.join(", ")}`);
}

type Place = (entry: string) => GrantPlace;

function sources(value: unknown, at: Place): Record<string, string> {
  const entries = Object.entries(mappingOf(value, at("secrets")));
  return Object.fromEntries(entries.map(([name, source]): [string, string] => {
    if (typeof source === "string" && /^(env|file):./.test(source)) return [name, source];
    throw grantInvalid(at(`secrets.${name}`), shown(source), "it must be env:NAME or file:/path");
  }));
}

function resourceLimits(value: unknown, at: Place): ResourceLimits {
  const named = mappingOf(value, at("limits"), LIMIT_NAMES);
  for (const name of LIMIT_NAMES) {
    const bound = named[name];
    if (bound === undefined) continue;
    if (Number.isSafeInteger(bound) && (bound as number) > 0 && (bound as number) <= MOST[name]) {
      continue;
    }
    const wanted = `it must be a whole number from 1 to ${MOST[name]}`;
    throw grantInvalid(at(`limits.${name}`), shown(bound), wanted);
  }
  return named as ResourceLimits;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
}
