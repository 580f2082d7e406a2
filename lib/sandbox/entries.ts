import { nearest } from "../suggest.ts";
import { grantInvalid, type GrantPlace } from "./grant_invalid.ts";

/** Where an entry stands, for its error. */
export type EntryPlace = GrantPlace;

/**
 * Why a text cannot be one value in a flag of Deno, or undefined when it can. Lists in flags split at
 * every comma, and nothing escapes one.
 */
export function unsafeReason(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (text.includes(",")) return "it holds a comma, which would make two entries of it";
  if (/[\n\r]/.test(text)) return "it holds a line break";
  if (text.includes("\0")) return "it holds a NUL";
  if (text.startsWith("-")) return "it starts with -, as an option does";
  return undefined;
}

/** @throws {SkepError} `GRANT_INVALID` when the text has an {@linkcode unsafeReason}. */
export function checkText(text: string, at: EntryPlace): void {
  const reason = unsafeReason(text);
  if (reason !== undefined) throw grantInvalid(at, text, reason);
}

/**
 * Checks the name of an environment variable: no pattern, nothing that ends a name.
 *
 * @throws {SkepError} `GRANT_INVALID`
 */
export function checkVariableName(name: string, at: EntryPlace): void {
  checkText(name, at);
  if (name.includes("*")) {
    throw grantInvalid(at, name, "it holds a *, and names are granted one by one");
  }
  if (/[=\s]/.test(name)) throw grantInvalid(at, name, "it is no name of a variable");
}

/** What `--allow-sys` knows, as of Deno 2.9. */
export const SYS_NAMES: readonly string[] = [
  "cpus",
  "getPriority",
  "getegid",
  "gid",
  "homedir",
  "hostname",
  "loadavg",
  "networkInterfaces",
  "osRelease",
  "osUptime",
  "setPriority",
  "statfs",
  "systemMemoryInfo",
  "uid",
  "userInfo",
  "username",
];

/** @throws {SkepError} `GRANT_INVALID` for a name that is none of {@linkcode SYS_NAMES}. */
export function checkSysName(name: string, at: EntryPlace): void {
  if (SYS_NAMES.includes(name)) return;
  const near = nearest(name, SYS_NAMES);
  const hint = near === undefined ? `one of ${SYS_NAMES.join(", ")}` : `did you mean ${near}?`;
  throw grantInvalid(at, name, `Deno knows no such fact; ${hint}`);
}
