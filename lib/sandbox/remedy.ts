import { dangerousEntries } from "./dangerous_entries.ts";
import { BASE_ORIGIN } from "./environment.ts";
import type { Entry, Grant } from "./grant.ts";
import { isGranted, osOf, protectedPart } from "./is_granted.ts";
import { neverGranted, protection } from "./never_granted.ts";
import { isWithin, relativeTo } from "./paths.ts";

/** The lists of a grant that a line in a file adds to. */
export const LISTS = ["read", "write", "net", "run", "env", "sys"] as const;
export type List = (typeof LISTS)[number];

/** Origins of entries that every grant has by itself. */
export const IMPLIED: readonly string[] = ["private folder", "own files", BASE_ORIGIN];

/** What a refused access takes, as sentences: the line that would allow it, or why there is none. */
export function remedy(list: List, value: string, grant: Grant): string {
  const cut = grant.cut.find((each) =>
    each.list === list && (each.value === value || isWithin(value, each.value, osOf(grant)))
  );
  if (cut !== undefined) return `It is asked for and was not granted: ${cut.reason}.`;
  const isPath = list === "read" || list === "write";
  const never = isPath ? protection(value, list, grant.guarded, osOf(grant)) : undefined;
  if (never?.relation === "above") {
    const { path, holds } = never.by;
    return `${
      shown(path)
    } lies in it, which holds ${holds} and goes to no server: name a folder beside that.`;
  }
  if (never !== undefined) return `${capital(neverGranted(never.by))}.`;
  const kept = list === "write" && isGranted(list, value, grant)
    ? protectedPart(value, grant)
    : undefined;
  if (kept !== undefined) {
    return `${kept.name} of a workspace is protected, since ${kept.reason}: protect: of a policy can lift that.`;
  }
  if (isPath && isGranted(list, value, grant)) {
    return "It is in the grant, and read-only here: protect: of a policy names what is protected.";
  }
  const unfit = unfitReason(list, value, grant);
  if (unfit !== undefined) return unfit;
  const { kind, where } = grant.source;
  if (kind === "client") {
    return "A client's server gets the workspace at most: to allow more, name the server in a file " +
      "outside of it and pass that with --mcp.";
  }
  // Only an entry below the lowest ceiling, or one in a place that is above it, is not cut again.
  const isBelow = isPath && isWithin(value, grant.workspace, osOf(grant));
  if (grant.isLimited && !isBelow) {
    return kind === "pack"
      ? `The grants of ${where} are limited to the workspace until they are accepted, since that ` +
        "pack does not ship with skep."
      : `A server file in the workspace gets the workspace at most: to allow it, write ${list}: ` +
        `${
          flow([withVariables(value, grant)])
        } under permissions: of server "${grant.server}" in a file outside of it ` +
        "and pass that with --mcp.";
  }
  return `To allow it, ${entryLine(list, value, grant)} of server "${grant.server}" in ${where}.`;
}

/** What every system makes anew for whoever looks: Deno shows none of it for less than all permissions. */
const OF_THE_KERNEL: readonly string[] = ["/proc", "/sys", "/dev"];

/** Why nobody is told to add an entry: skep would refuse it, or call it a danger. */
function unfitReason(list: List, value: string, grant: Grant): string | undefined {
  const os = osOf(grant);
  if (list === "read" || list === "write") {
    const kernel = OF_THE_KERNEL.find((folder) => isWithin(value, folder, os));
    if (kernel !== undefined) {
      return `No grant opens ${kernel}: it tells of the whole machine, and each server has one of its own.`;
    }
  }
  const entry = { value, origin: "" };
  const { home, path, isRoot } = grant.person ?? { isRoot: false };
  const [danger] = dangerousEntries({
    read: list === "read" ? [entry] : [],
    write: list === "write" ? [entry] : [],
    net: list === "net" ? [entry] : [],
    workspace: grant.workspace,
  }, {
    env: (name) => name === "PATH" ? path : /^(HOME|USERPROFILE)$/.test(name) ? home : undefined,
    platform: { os, arch: "x86_64" },
    isRoot: () => isRoot,
  });
  return danger === undefined
    ? undefined
    : `No line is proposed for it, since with one the server ${danger}.`;
}

/** What to write so that a grant has a value too, up to where: `write read: ["/x"] under permissions:`. */
export function entryLine(list: List, value: string, grant: Grant): string {
  const entry = withVariables(value, grant);
  return declaresItself(grant)
    ? `write ${list}: ${flow([entry])} under permissions:`
    : `write permissions: ${block(list, entry, grant)}`;
}

/** False when the grant is a profile's or the default: `permissions:` in the file would replace it. */
function declaresItself(grant: Grant): boolean {
  return !LISTS.flatMap((list) => grant[list])
    .some(({ origin }) => origin === "default grant" || origin.startsWith("profile "));
}

/** The grant as it is, and one entry more, as YAML on one line. */
function block(list: List, entry: string, grant: Grant): string {
  const parts = LISTS.map((each): [List, string[]] => {
    const own = grant[each].filter(({ origin }) => !IMPLIED.includes(origin))
      .filter((one) => each !== "env" || one.origin.startsWith("profile "));
    const isRepeated = (one: Entry) =>
      each === "read" && grant.write.some(({ value }) => value === one.value);
    const values = own.filter((one) => !isRepeated(one)).map(({ value }) =>
      withVariables(value, grant)
    );
    return [each, each === list ? [...values, entry] : values];
  });
  const filled = parts.filter(([, values]) => values.length > 0);
  return `{ ${filled.map(([each, values]) => `${each}: ${flow(values)}`).join(", ")} }`;
}

function capital(text: string): string {
  return text.replace(/^[a-z]/, (first) => first.toUpperCase());
}

export function withVariables(value: string, grant: Grant): string {
  const { workspace, tmp, home } = grant;
  const names = [[workspace, "${WORKSPACE}"], [tmp, "${TMP}"], [home, "${HOME}"]] as const;
  for (const [folder, name] of names) {
    const below = relativeTo(value, folder, osOf(grant));
    if (below !== undefined) return below === "" ? name : `${name}/${below}`;
  }
  return value;
}

function flow(values: readonly string[]): string {
  return `[${values.map(shown).join(", ")}]`;
}

/** A value as JSON, which YAML reads too; nothing in it can look like a line of its own. */
export function shown(value: string): string {
  return JSON.stringify(value);
}
