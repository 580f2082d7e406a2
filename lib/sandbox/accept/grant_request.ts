import { askedBy } from "../asked.ts";
import { readCommand } from "../command.ts";
import type { Entry } from "../grant.ts";
import { narrow, sameName } from "../narrow.ts";
import { meetNet } from "../meet_net.ts";
import { netText, parseNetEntry } from "../net.ts";
import { isWithin, type Os } from "../paths.ts";
import type { Permissions, ResourceLimits, SandboxMode, ServerSpec } from "../spec.ts";

/**
 * What a server asks for, written so that it reads the same on every machine: variables stay variables,
 * profiles and the default grant are written out, the persona's ceiling is applied, entries are sorted,
 * and what lies within another entry is left out. It is what a person accepts and what `grants.lock` records.
 */
export interface GrantRequest {
  readonly server: string;
  /** The program and its arguments, as written: they decide which code gets the rest. */
  readonly command: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly run: readonly string[];
  /** Names: what it asks for, and what its entry sets. */
  readonly env: readonly string[];
  readonly sys: readonly string[];
  /** `NAME=SOURCE`, such as `TOKEN=env:GH_TOKEN`. */
  readonly secrets: readonly string[];
  /** Those that it asks for itself. */
  readonly limits: ResourceLimits;
  /** `require` unless it asks for less: where skep decides by what a server is, it gives up nothing. */
  readonly sandbox: SandboxMode;
  /** Digests of what its entry sets variables to, by name. Absent in what was recorded before there were any. */
  readonly values?: Readonly<Record<string, string>>;
  /** Digest of the whole command, where `command` is recorded with a secret masked. */
  readonly masked?: string;
  /** Of a pack's script that runs by itself: the digest of what it holds. */
  readonly script?: string;
}

/** The lists of a {@linkcode GrantRequest} whose entries are granted one by one. */
export const REQUEST_LISTS = ["read", "write", "net", "run", "env", "sys", "secrets"] as const;

/**
 * Normalises what a server asks for.
 *
 * @param spec As its owner wrote it: nothing is filled in yet.
 * @throws {SkepError} what reading its command and its entries throws.
 */
export function grantRequest(spec: ServerSpec, os: Os): GrantRequest {
  const command = readCommand(spec);
  const asked = askedBy(spec, command, os);
  const ceiling = spec.ceiling?.permissions ?? {};
  const within = (list: keyof Meets, entries: readonly Entry[]) =>
    atMost(list, entries.map(({ value }) => value), ceiling, os);
  const write = widest(within("write", asked.write).map(portable), os);
  const read = widest([...within("read", asked.read).map(portable), ...write], os);
  const run = within("run", asked.run);
  const env = within("env", [...asked.env, ...named(Object.keys(spec.env))]);
  const secrets = asked.secrets.map(({ name, value }) => `${name}=${value}`);
  return {
    server: spec.name,
    command: [spec.command, ...spec.args],
    read: read.filter((path) => !write.includes(path)),
    write,
    net: sorted(within("net", asked.net)),
    run: sorted(run),
    env: sorted(env),
    sys: sorted(within("sys", asked.sys)),
    secrets: sorted(secrets),
    limits: asked.limits,
    sandbox: asked.sandbox ?? "require",
  };
}

/** The part that two entries of a list have in common; the first itself when it lies within the second. */
export function meetEntries(
  list: typeof REQUEST_LISTS[number],
  asked: string,
  allowed: string,
  os: Os,
): string | undefined {
  return MEETS[list](asked, allowed, os);
}

type Meet = (asked: string, allowed: string, os: Os) => string | undefined;
type Meets = Readonly<Record<typeof REQUEST_LISTS[number], Meet>>;

const MEETS: Meets = {
  read: meetPaths,
  write: meetPaths,
  net: (asked, allowed, os) =>
    isVariable(asked, allowed) ? sameName(asked, allowed) : meetNet(asked, allowed, os),
  run: sameName,
  env: sameName,
  sys: sameName,
  secrets: sameName,
};

/** Where `..` leads is not known by the text alone: such a path is within nothing but itself. */
function meetPaths(asked: string, allowed: string, os: Os): string | undefined {
  if (asked === allowed) return asked;
  if ([asked, allowed].some((path) => /(^|[\\/])\.\.([\\/]|$)/.test(path))) return undefined;
  if (isWithin(asked, allowed, os)) return asked;
  return isWithin(allowed, asked, os) ? allowed : undefined;
}

/** `${REGISTRIES}` stands for hosts that only the operator knows. */
function isVariable(...entries: readonly string[]): boolean {
  return entries.some((entry) => entry.includes("${"));
}

function atMost(
  list: keyof Meets,
  values: readonly string[],
  ceiling: Permissions,
  os: Os,
): string[] {
  const texts = list === "net" ? values.map((value) => plainNet(value, os)) : values;
  if (list === "secrets") return [...texts];
  const lists = list === "write" ? ["write", "read"] as const : [list];
  const ceilings = lists.map((each) => {
    // What may be written may be read.
    const own = each === "read" && ceiling.read !== undefined
      ? [...ceiling.read, ...ceiling.write ?? []]
      : ceiling[each];
    const allowed = own && [...own, ...each === "read" || each === "write" ? ["${TMP}"] : []];
    return {
      origin: "",
      allowed: list === "net" ? allowed?.map((each) => plainNet(each, os)) : allowed,
    };
  });
  const entries = [...new Set(texts)].map((value) => ({ value, origin: "" }));
  const left = narrow(list, entries, ceilings, (asked, most) => MEETS[list](asked, most, os));
  return left.entries.map(({ value }) => value);
}

function plainNet(value: string, os: Os): string {
  if (isVariable(value)) return value;
  return netText(parseNetEntry(value, { server: "", entry: "net" }, os));
}

/** A profile's folders may be an argument that starts with a variable of its own. */
function portable(path: string): string {
  const plain = path.replace(/^\$\{WORKSPACE\}\/(?=\$\{)/, "").replace(/(?<=.)[\\/]+$/, "");
  return plain.replace(/^\$\{(workspaceFolder|workspaceRoot)\}/, "${WORKSPACE}");
}

function widest(paths: readonly string[], os: Os): string[] {
  const all = [...new Set(paths)];
  return sorted(
    all.filter((path) =>
      !all.some((other) => other !== path && meetPaths(path, other, os) === path)
    ),
  );
}

function named(names: readonly string[]): Entry[] {
  return names.map((value) => ({ value, origin: "" }));
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
