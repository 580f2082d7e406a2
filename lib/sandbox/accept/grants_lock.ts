import { messageOf, SkepError } from "../../errors.ts";
import type { Files } from "../../host/files.ts";
import type { Limits } from "../../limits.ts";
import { LIMIT_NAMES } from "../permissions.ts";
import { type GrantRequest, REQUEST_LISTS } from "./grant_request.ts";

/** What `grants.lock` records: by file, relative to the lock's folder, what its servers ask for. */
export type GrantsLock = Readonly<Record<string, readonly GrantRequest[]>>;

/** The name of the file in which grants are recorded beside a pack. */
export const GRANTS_LOCK = "grants.lock";

const VERSION = 1;

/**
 * Reads a `grants.lock`; undefined where there is none.
 *
 * @throws {SkepError} `CONFIG_INVALID` when it is no such file.
 */
export async function readGrantsLock(
  path: string,
  files: Pick<Files, "stat" | "readText">,
  { maxConfigFileBytes }: Pick<Limits, "maxConfigFileBytes">,
): Promise<GrantsLock | undefined> {
  if (await files.stat(path) === undefined) return undefined;
  const unusable = (reason: string, cause?: unknown) =>
    new SkepError("CONFIG_INVALID", `Cannot use ${path}: ${reason}`, { source: path }, { cause });
  let value: { version?: unknown; grants?: unknown } | null;
  try {
    value = JSON.parse(await files.readText(path, maxConfigFileBytes));
  } catch (cause) {
    throw unusable(messageOf(cause), cause);
  }
  const { version, grants } = value ?? {};
  const isLock = version === VERSION && typeof grants === "object" && grants !== null &&
    !Array.isArray(grants) && Object.values(grants).every(isRequests);
  if (isLock) return grants as GrantsLock;
  throw unusable(`it is no grants.lock of version ${VERSION}; skep audit --write makes a new one`);
}

/** The text of a `grants.lock`: the same grants give the same bytes, an entry a line. */
export function grantsLockText(lock: GrantsLock): string {
  const grants = Object.fromEntries(Object.entries(lock).sort(([a], [b]) => a < b ? -1 : 1));
  return `${JSON.stringify({ version: VERSION, grants }, undefined, 2)}\n`;
}

function areTexts(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    Object.values(value).every((each) => typeof each === "string");
}

/** True for a list of requests that came from JSON. */
export function isRequests(value: unknown): value is readonly GrantRequest[] {
  return Array.isArray(value) && value.every((each: unknown) => {
    if (typeof each !== "object" || each === null) return false;
    const { server, limits, sandbox, script, masked, values, ...lists } = each as Record<
      string,
      unknown
    >;
    return typeof server === "string" && typeof sandbox === "string" &&
      [script, masked].every((one) => one === undefined || typeof one === "string") &&
      (values === undefined || areTexts(values)) &&
      typeof limits === "object" && limits !== null &&
      Object.entries(limits).every(([name, bound]) =>
        LIMIT_NAMES.some((known) => known === name) && typeof bound === "number"
      ) &&
      ["command", ...REQUEST_LISTS].every((name) => {
        const list = lists[name];
        return Array.isArray(list) && list.every((entry) => typeof entry === "string");
      });
  });
}
