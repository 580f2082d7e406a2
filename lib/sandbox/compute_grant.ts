import type { Asked } from "./asked.ts";
import type { Bound } from "./bounds.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import type { Enforcement } from "./enforcement.ts";
import { checkSysName, checkText, type EntryPlace, unsafeReason } from "./entries.ts";
import { type Environment, makeEnvironment } from "./environment.ts";
import { flagPath } from "./flags.ts";
import type { Cut, Entry, Grant } from "./grant.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { grantLimits } from "./grant_limits.ts";
import { grantPrograms } from "./grant_programs.ts";
import type { Launch } from "./launch.ts";
import { meetNet } from "./meet_net.ts";
import { narrow, sameName } from "./narrow.ts";
import { netText, parseNetEntry } from "./net.ts";
import { judgePath, type PathRules } from "./path_rules.ts";
import { isWithin } from "./paths.ts";
import type { ServerSpec } from "./spec.ts";

/** What a grant is computed from. */
export interface GrantInput {
  readonly spec: Pick<ServerSpec, "name" | "env" | "origin" | "passedKeys">;
  readonly kind: Launch["kind"];
  readonly asked: Asked;
  readonly enforcement: Enforcement;
  readonly places: ServerPlaces;
  readonly rules: PathRules;
  /** What the operator's policy allows at most. */
  readonly bounds: readonly Bound[];
}

/**
 * Computes what a server may touch: what it asks for, cut down to its ceiling and by what is never
 * granted, in canonical form, each entry with its origin. Its private temporary folder and its own
 * files are always in it; what may be written may be read. A cut is no failure: the server starts
 * with less. The environment comes with it, since a key in it is a cut as well.
 *
 * @param context Its `workspace` is canonical.
 * @throws {SkepError} `GRANT_INVALID` for an entry that is malformed, that holds what is never granted, or
 * that would undo the rest of the grant.
 */
export async function computeGrant(
  input: GrantInput,
  context: Pick<LaunchContext, "host" | "limits" | "workspace">,
): Promise<{ readonly grant: Grant; readonly environment: Environment }> {
  const { spec, kind, asked, enforcement, places, rules } = input;
  const cut: Cut[] = [];
  const tmp: Entry = { value: places.tmp, origin: "private folder" };
  const own = places.ownFiles.map((value) => ({ value, origin: "own files" }));

  const write = await grantPaths("write", [...asked.write, tmp], input, context.workspace, cut);
  const asksRead = await grantPaths("read", asked.read, input, context.workspace, cut);
  for (const { value } of own) {
    checkFlagPath(value, value, { server: spec.name, entry: "read" }, context.workspace, rules);
  }
  const read = widest([...asksRead, ...write, ...own], rules);
  const writable = write.map(({ value }) => value);
  const environment = await makeEnvironment(
    { spec, asked, kind, places, rules, bounds: input.bounds },
    context,
    writable,
  );
  const limits = grantLimits(input, context.limits);
  const grant: Grant = {
    server: spec.name,
    source: spec.origin,
    isLimited: rules.ceiling.reach === "workspace",
    workspace: context.workspace,
    ...(rules.addedFolders?.length ? { addedFolders: rules.addedFolders } : {}),
    tmp: places.tmp,
    home: places.home,
    read,
    write,
    net: await grantNet(input, cut),
    run: await grantPrograms(input, context.host, writable, cut),
    env: environment.names,
    sys: grantSys(input, cut),
    secrets: environment.secrets,
    limits: limits.values,
    limitOrigins: limits.origins,
    sandbox: enforcement.mode,
    cut: [...cut, ...environment.cut, ...limits.cut],
    person: {
      home: context.host.env(rules.os === "windows" ? "USERPROFILE" : "HOME"),
      path: context.host.env("PATH"),
      isRoot: context.host.isRoot(),
    },
    guarded: rules.guarded,
  };
  return { grant, environment };
}

async function grantPaths(
  list: "read" | "write",
  entries: readonly Entry[],
  { spec, rules, bounds }: GrantInput,
  workspace: string,
  cut: Cut[],
): Promise<Entry[]> {
  const granted: Entry[] = [];
  const at = { server: spec.name, entry: list };
  for (const { value, origin } of entries) {
    const verdict = await judgePath(value, list, rules, at);
    if ("reason" in verdict) cut.push({ list, value, reason: verdict.reason });
    else {
      checkFlagPath(verdict.path, value, at, workspace, rules);
      granted.push({ value: verdict.path, origin });
    }
  }
  // What may be written may be read: a ceiling on reading holds for both.
  const lists = list === "write" ? ["write", "read"] as const : ["read"] as const;
  const ceilings = bounds.flatMap((bound) =>
    lists.map((each) => ({ origin: bound.origin, allowed: bound[each] }))
  );
  const left = narrow(list, granted, ceilings, (asked, allowed) => {
    if (isWithin(asked, allowed, rules.os)) return asked;
    return isWithin(allowed, asked, rules.os) ? allowed : undefined;
  });
  cut.push(...left.cut);
  return widest(left.entries, rules);
}

/** @throws {SkepError} `GRANT_INVALID` for a path that no flag can carry. */
function checkFlagPath(
  path: string,
  written: string,
  at: EntryPlace,
  workspace: string,
  { os }: PathRules,
): void {
  const reason = unsafeReason(flagPath(path, workspace, os));
  if (reason !== undefined) throw grantInvalid(at, written, reason);
}

/** Drops each path that lies in another one; of two that are the same the first stays. */
function widest(entries: readonly Entry[], { os }: PathRules): Entry[] {
  return entries.filter(({ value }, index) =>
    !entries.some((other, place) => {
      if (place === index || !isWithin(value, other.value, os)) return false;
      return place < index || !isWithin(other.value, value, os);
    })
  );
}

async function grantNet({ spec, asked, rules, bounds }: GrantInput, cut: Cut[]): Promise<Entry[]> {
  const at: EntryPlace = { server: spec.name, entry: "net" };
  const granted = new Map<string, Entry>();
  for (const { value, origin } of asked.net) {
    const entry = parseNetEntry(value, at, rules.os);
    let text = netText(entry);
    const isLimited = rules.ceiling.reach === "workspace" && rules.ceiling.host !== text;
    let reason = isLimited ? rules.ceiling.reason : undefined;
    if (reason === undefined && entry.kind === "unix") {
      const verdict = await judgePath(entry.path, "write", rules, at);
      if ("reason" in verdict) reason = verdict.reason;
      else text = netText({ kind: "unix", path: verdict.path });
      checkText(text, at);
    }
    if (reason !== undefined) cut.push({ list: "net", value, reason });
    else if (!granted.has(text)) granted.set(text, { value: text, origin });
  }
  const ceilings = bounds.map(({ net, origin }) => ({
    origin,
    allowed: net?.map((each) => netText(parseNetEntry(each, at, rules.os))),
  }));
  const left = narrow(
    "net",
    [...granted.values()],
    ceilings,
    (each, allowed) => meetNet(each, allowed, rules.os),
  );
  cut.push(...left.cut);
  return [...left.entries];
}

function grantSys({ spec, asked, rules, bounds }: GrantInput, cut: Cut[]): Entry[] {
  const granted = new Map<string, Entry>();
  for (const entry of asked.sys) {
    checkSysName(entry.value, { server: spec.name, entry: "sys" });
    if (rules.ceiling.reach === "workspace") {
      cut.push({ list: "sys", value: entry.value, reason: rules.ceiling.reason });
    } else if (!granted.has(entry.value)) granted.set(entry.value, entry);
  }
  const ceilings = bounds.map(({ sys, origin }) => ({ origin, allowed: sys }));
  const left = narrow("sys", [...granted.values()], ceilings, sameName);
  cut.push(...left.cut);
  return [...left.entries];
}
