import { messageOf } from "../errors.ts";
import { meetEntries } from "./accept/grant_request.ts";
import { type Asked, askedBy } from "./asked.ts";
import { policyOrigin, serverCeilings } from "./bounds.ts";
import { readCommand, type ServerCommand } from "./command.ts";
import type { Cut, Entry } from "./grant.ts";
import { narrow } from "./narrow.ts";
import { netText, parseNetEntry } from "./net.ts";
import { type Os, relativeTo } from "./paths.ts";
import { LIMIT_NAMES } from "./permissions.ts";
import type { Policy } from "./policy.ts";
import { isBridge } from "./remote.ts";
import { sandboxWish } from "./sandbox_wish.ts";
import type { Permissions, ResourceLimits, SandboxMode, ServerSpec } from "./spec.ts";
import { expandVariables } from "./variables.ts";

/** What ceilings leave of what a server asks for, whatever machine it starts on. */
export interface GrantedAtMost {
  /** Paths with variables where they lie in the folders that these stand for. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly run: readonly string[];
  readonly env: readonly string[];
  readonly sys: readonly string[];
  /** Names of variables. */
  readonly secrets: readonly string[];
  /** Those that somebody sets; the others have skep's defaults. */
  readonly limits: ResourceLimits;
  /** Absent: it is decided by what the server is. */
  readonly sandbox?: SandboxMode;
  /** What it asks for and does not get. */
  readonly cut: readonly Cut[];
}

/** What {@linkcode grantedAtMost} looks at. */
export interface AtMostWorld {
  readonly os: Os;
  /** Canonical. */
  readonly workspace: string;
  /** Canonical. */
  readonly pack: string;
  readonly policy?: Policy | undefined;
  /** True for `--sandbox off`. */
  readonly isUnconfined: boolean;
}

/**
 * What a server of a pack is granted at most once it is accepted: what it asks for, under its persona's ceiling and the
 * operator's policy. Nothing of the machine is looked at, so the grant can be less: what is never granted is cut then.
 *
 * @returns a sentence when its entry comes to no grant.
 */
export function grantedAtMost(spec: ServerSpec, world: AtMostWorld): GrantedAtMost | string {
  try {
    return bound(spec, world);
  } catch (error) {
    return messageOf(error);
  }
}

/** A ceiling, and who sets it. */
interface Ceiling {
  readonly origin: string;
  readonly permissions: Permissions;
}

function bound(spec: ServerSpec, world: AtMostWorld): GrantedAtMost {
  const { os, policy } = world;
  const command = readCommand(spec);
  const asked = askedBy(spec, command, os, policy);
  const ceilings = ceilingsOf(spec, command, policy);
  const cut: Cut[] = [];
  const list = (
    name: "read" | "write" | "net" | "run" | "env" | "sys",
    entries: readonly Entry[],
  ) => {
    const plain = (text: string) => plainEntry(text, name, spec, world);
    const shown = (text: string) => name === "read" || name === "write" ? short(text, world) : text;
    // What may be written may be read: a ceiling on reading holds for both.
    const lists = name === "write" ? ["write", "read"] as const : [name];
    const bounds = ceilings.flatMap(({ origin, permissions }) =>
      lists.map((each) => ({ origin, allowed: allowedOf(permissions, each)?.map(plain) }))
    );
    const wanted = new Map(entries.map((each) => [plain(each.value), each]));
    const left = narrow(
      name,
      [...wanted].map(([value, { origin }]) => ({ value, origin })),
      bounds,
      (one, most) => meetEntries(name, one, most, os),
    );
    cut.push(
      ...left.cut.map((each) => ({ ...each, value: wanted.get(each.value)?.value ?? each.value })),
    );
    return [...new Set(left.entries.map(({ value }) => wanted.get(value)?.value ?? shown(value)))];
  };
  // What a bridge is told of its server is no variable that anybody wrote.
  const set = isBridge(spec) ? [] : Object.keys(spec.env);
  const own = set.map((value) => ({ value, origin: "" }));
  // Its private folder is its own, whatever it asks for.
  const write = [...new Set([...list("write", asked.write), "${TMP}"])];
  const lists = {
    read: list("read", asked.read).filter((path) => !write.includes(path)),
    write,
    net: list("net", asked.net),
    run: list("run", asked.run),
    env: list("env", [...asked.env, ...own]),
    sys: list("sys", asked.sys),
    secrets: secretsOf(asked, ceilings, cut),
  };
  const any = { reach: "any", reason: "" } as const;
  const { sandbox } = sandboxWish(spec, command, asked, any, policy);
  // To run with nothing that confines it is for the operator alone to say.
  const mode = world.isUnconfined ? "off" : sandbox === "off" ? "prefer" : sandbox;
  return {
    ...lists,
    limits: limitsOf(asked, ceilings, cut),
    ...(mode === undefined ? {} : { sandbox: mode }),
    cut,
  };
}

function ceilingsOf(
  { ceiling, name, configuredName }: ServerSpec,
  command: ServerCommand,
  policy: Policy | undefined,
): readonly Ceiling[] {
  const own = ceiling === undefined
    ? []
    : [{ origin: `persona ${ceiling.file}`, permissions: ceiling.permissions }];
  if (policy === undefined) return own;
  const server = { name, ...(configuredName === undefined ? {} : { configuredName }) };
  const all = [policy.permissions, ...serverCeilings(policy, server, command)];
  const origin = policyOrigin(policy.file);
  return [
    ...own,
    ...all.map((permissions) => ({ origin, permissions })),
  ];
}

/** A server's private folders are its own, whatever a ceiling lists. */
function allowedOf(
  permissions: Permissions,
  list: "read" | "write" | "net" | "run" | "env" | "sys",
): readonly string[] | undefined {
  const entries = permissions[list];
  if (entries === undefined || (list !== "read" && list !== "write")) return entries;
  const more = list === "read" ? permissions.write ?? [] : [];
  return [...entries, ...more, "${TMP}", "${HOME}"];
}

function plainEntry(
  text: string,
  list: string,
  { name }: ServerSpec,
  { os, workspace, pack }: AtMostWorld,
): string {
  const at = { server: name, entry: list };
  if (list === "net") return text.includes("${") ? text : netText(parseNetEntry(text, at, os));
  if (list !== "read" && list !== "write") return text;
  const places = { WORKSPACE: workspace, PACK: pack, TMP: "${TMP}", HOME: "${HOME}" };
  return expandVariables(text, places, at).replace(/(?<=.)[\\/]+$/, "");
}

function short(path: string, { os, workspace, pack }: AtMostWorld): string {
  for (const [name, folder] of [["WORKSPACE", workspace], ["PACK", pack]] as const) {
    const below = relativeTo(path, folder, os);
    if (below !== undefined) return below === "" ? `\${${name}}` : `\${${name}}/${below}`;
  }
  return path;
}

function secretsOf({ secrets }: Asked, ceilings: readonly Ceiling[], cut: Cut[]): string[] {
  return secrets.flatMap(({ name, value }) => {
    const forbids = ceilings.find(({ permissions: { secrets: allowed } }) =>
      allowed !== undefined && !Object.values(allowed).includes(value)
    );
    if (forbids === undefined) return [name];
    cut.push({ list: "secrets", value: name, reason: `${forbids.origin} does not allow it` });
    return [];
  });
}

function limitsOf({ limits }: Asked, ceilings: readonly Ceiling[], cut: Cut[]): ResourceLimits {
  return Object.fromEntries(LIMIT_NAMES.flatMap((name): [string, number][] => {
    const own = limits[name];
    let least = own;
    for (const { origin, permissions } of ceilings) {
      const most = permissions.limits?.[name];
      if (most === undefined || (least !== undefined && least <= most)) continue;
      if (own !== undefined) {
        cut.push({ list: "limits", value: `${name} ${own}`, reason: `${origin} allows ${most}` });
      }
      least = most;
    }
    return least === undefined ? [] : [[name, least]];
  }));
}
