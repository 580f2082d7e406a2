import { BASE_ORIGIN } from "./environment.ts";
import type { Entry, Grant } from "./grant.ts";
import { inWorkspace, isGranted, osOf, protectedPart } from "./is_granted.ts";
import { neverGranted, protection } from "./never_granted.ts";
import { isWithin, relativeTo } from "./paths.ts";
import { heldDenial, systemDenial } from "./system_denial.ts";

/** An access that a grant refused, and what would allow it. */
export interface Denial {
  readonly server: string;
  /** `read`, `write`, `net`, `run`, `env`, `sys` or `ffi`. */
  readonly access: string;
  /** The path, host, program or name. */
  readonly value: string;
  /** What the call named, where that is a link to `value`. */
  readonly through?: string;
  /** False when it was concluded from an error text and may be something else. */
  readonly isCertain: boolean;
}

/** A result of `tools/call`, as its server wrote it: anything at all. */
type RawResult = Readonly<Record<string, unknown>>;

/** Where our own servers say what was denied: `{ access, value, through? }` in the result's `_meta`. */
export const DENIED_META = "skep/denied";

/** True when a result says itself what was denied: its text then says no more than the explanation. */
export function isMarkedDenial({ _meta }: RawResult): boolean {
  return saidDenial(_meta) !== undefined;
}

/** Lists of a grant that a denial can be about; `ffi` is in no grant. */
const ACCESSES = ["read", "write", "net", "run", "env", "sys", "ffi"];
/** An error text is looked at up to here: a denial stands at its start, and a result may be long. */
const LONGEST_TEXT = 4000;
/** A value that a server names goes to person and model: no longer than paths are. */
const LONGEST_VALUE = 4096;

const LISTS = ["read", "write", "net", "run", "env", "sys"] as const;
type List = (typeof LISTS)[number];

/** What a refused access is called. */
const VERBS: Readonly<Record<List, string>> = {
  read: "read",
  write: "write",
  net: "connect to",
  run: "run",
  env: "see the variable",
  sys: "ask the system for",
};
/** Entries of a list that are named; the rest is counted. */
const SHOWN_ENTRIES = 4;

/** Origins of entries that every grant has by itself. */
const IMPLIED: readonly string[] = ["private folder", "own files", BASE_ORIGIN];

/**
 * Finds the access that a grant refused in the result of a call: what one of our servers says of it, else
 * Deno's own words in an error (both certain), else a system error about something outside the
 * grant or about a protected file (probable). Undefined when there is none, or the grant has what was named.
 */
export function findDenial(grant: Grant, result: RawResult): Denial | undefined {
  const said = saidDenial(result._meta);
  if (said !== undefined) return denialOf({ ...said, isCertain: true }, grant);
  const text = textOf(result.content).slice(0, LONGEST_TEXT);
  const held = heldDenial(text, grant);
  if (held !== undefined) return denialOf(held, grant);
  if (result.isError !== true) return undefined;
  const found = denoDenial(text) ?? systemDenial(text, grant);
  const isHeld = found?.access === "write" && protectedPart(found.value, grant) !== undefined;
  if (found === undefined || (isGranted(found.access, found.value, grant) && !isHeld)) {
    return undefined;
  }
  return denialOf(found, grant);
}

/**
 * A denial in words, for model and person: what was refused, what the grant has instead, and the line
 * that would allow it, with the place to write it.
 */
export function explainDenial(denial: Denial, grant: Grant): string {
  const { server, access, isCertain } = denial;
  const list = LISTS.find((each) => each === access);
  const value = shown(denial.value);
  const refused = isCertain ? "Access denied" : "Probably denied";
  if (list === undefined) {
    return `${refused}: server "${server}" may not load ${value}; no grant of ${access} can be given.`;
  }
  const leads = denial.through === undefined ? "" : `, where ${shown(denial.through)} leads`;
  return [
    `${refused}: the grant of server "${server}" does not let it ${VERBS[list]} ${value}${leads}.`,
    allowed(list, grant),
    remedy(list, denial.value, grant),
  ].join(" ");
}

function denialOf(found: Omit<Denial, "server">, grant: Grant): Denial {
  const isPath = found.access === "read" || found.access === "write";
  const value = isPath ? inWorkspace(found.value, grant) : found.value;
  return { server: grant.server, ...found, value };
}

function saidDenial(
  meta: unknown,
): Pick<Denial, "access" | "value" | "through"> | undefined {
  const { access, value, through } = fields(fields(meta)[DENIED_META]);
  if (typeof access !== "string" || !ACCESSES.includes(access)) return undefined;
  if (typeof value !== "string") return undefined;
  const leads = typeof through === "string" ? { through: through.slice(0, LONGEST_VALUE) } : {};
  return { access, value: value.slice(0, LONGEST_VALUE), ...leads };
}

function denoDenial(text: string): Omit<Denial, "server"> | undefined {
  const [, access, value] = /Requires (\w+) access to "([^"\n]+)"/.exec(text) ?? [];
  if (access === undefined || value === undefined || !ACCESSES.includes(access)) return undefined;
  return { access, value, isCertain: true };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map((block) => fields(block).text)
    .filter((text) => typeof text === "string")
    .join("\n");
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

function allowed(list: List, grant: Grant): string {
  const ours = grant[list].filter(({ origin }) => !IMPLIED.includes(origin));
  if (ours.length === 0) return `Its ${list} list is empty.`;
  const named = ours.slice(0, SHOWN_ENTRIES).map(({ value }) => shown(withVariables(value, grant)));
  const more = ours.length > SHOWN_ENTRIES ? ` and ${ours.length - SHOWN_ENTRIES} more` : "";
  return `Its ${list} list: ${named.join(", ")}${more}.`;
}

function remedy(list: List, value: string, grant: Grant): string {
  const cut = grant.cut.find((each) =>
    each.list === list && (each.value === value || isWithin(value, each.value, osOf(grant)))
  );
  if (cut !== undefined) return `It is asked for and was not granted: ${cut.reason}.`;
  const isPath = list === "read" || list === "write";
  const never = isPath ? protection(value, list, grant.guarded, osOf(grant)) : undefined;
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

function withVariables(value: string, grant: Grant): string {
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
function shown(value: string): string {
  return JSON.stringify(value);
}
