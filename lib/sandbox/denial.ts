import type { Grant } from "./grant.ts";
import { inWorkspace, isGranted, protectedPart } from "./is_granted.ts";
import { IMPLIED, type List, LISTS, remedy, shown, withVariables } from "./remedy.ts";
import { commandDenial, heldDenial, systemDenial } from "./system_denial.ts";

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
  /** A program found nothing there: what is not granted is not there for it, and nobody says whether it is. */
  readonly isUnseen?: true;
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
/** How a shell's call ends whose command failed: it is no failed call. */
const FAILED_COMMAND = /^\[exit code [1-9]\d*\b[^\n]* after [\d.]+ s/m;

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

/**
 * Finds the access that a grant refused in the result of a call: what one of our servers says of it, else
 * Deno's own words in an error (both certain), else a system error about something outside the
 * grant or about a protected file (probable). Undefined when there is none, or the grant has what was named.
 */
export function findDenial(grant: Grant, result: RawResult): Denial | undefined {
  const said = saidDenial(result._meta);
  if (said !== undefined) return denialOf({ ...said, isCertain: true }, grant);
  const whole = textOf(result.content);
  const text = whole.slice(0, LONGEST_TEXT);
  const held = heldDenial(text, grant);
  if (held !== undefined) return denialOf(held, grant);
  if (result.isError !== true) {
    // What a command says of its end stands at the end.
    const end = whole.slice(-LONGEST_TEXT);
    const met = FAILED_COMMAND.test(end) ? commandDenial(end, grant) : undefined;
    return met && denialOf(met, grant);
  }
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
  const refused = isCertain
    ? "Access denied"
    : denial.isUnseen
    ? "Perhaps denied"
    : "Probably denied";
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
  // Deno asks for everything where a path tells of the whole machine.
  if (access === "all" && value !== undefined) return { access: "read", value, isCertain: true };
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
