import { join } from "@std/path";
import { messageOf, SkepError } from "../../errors.ts";
import type { Files } from "../../host/files.ts";
import type { Limits } from "../../limits.ts";
import type { Os } from "../paths.ts";
import type { GrantRequest } from "./grant_request.ts";
import { isRequests } from "./grants_lock.ts";
import { recorded } from "./recorded.ts";
import { type Widening, widenings } from "./widenings.ts";

/** What acceptances are read and written through. */
export type AcceptanceFiles = Pick<
  Files,
  "stat" | "list" | "readText" | "writeText" | "makeFolder"
>;

/** Where one source of servers stands with a person. */
export type Standing =
  | { readonly kind: "accepted" }
  | { readonly kind: "new" }
  /** Something was accepted, and it asks for more now. */
  | { readonly kind: "widened"; readonly widenings: readonly Widening[] };

const VERSION = 1;
const FOLDER = "accepted";

/**
 * Looks up whether a person has accepted what a source asks for, or more.
 *
 * @param source Canonical path of the file that lists the servers.
 * @param state skep's state folder, which no server reaches.
 * @throws {SkepError} `CONFIG_INVALID` for an acceptance that cannot be read.
 */
export async function standingOf(
  source: string,
  requests: readonly GrantRequest[],
  { state, files, os, limits }: {
    readonly state: string;
    readonly files: AcceptanceFiles;
    readonly os: Os;
    readonly limits: Pick<Limits, "maxConfigFileBytes">;
  },
): Promise<Standing> {
  const folder = join(state, FOLDER);
  if (await files.stat(folder) === undefined) return { kind: "new" };
  const prefix = `${await sourceDigest(source)}-`;
  const names = (await files.list(folder)).filter((name) =>
    name.startsWith(prefix) && name.endsWith(".json")
  );
  const accepted = await Promise.all(
    names.map((name) => read(join(folder, name), source, files, limits)),
  );
  const now = await recorded(requests, commandDigest);
  const beyond = accepted.map((each) => widenings(each, now, os));
  if (beyond.some((each) => each.length === 0)) return { kind: "accepted" };
  const [least] = beyond.sort((a, b) => a.length - b.length);
  return least === undefined ? { kind: "new" } : { kind: "widened", widenings: least };
}

/** Keeps that a person has accepted what a source asks for. @throws when the state cannot be written. */
export async function accept(
  source: string,
  requests: readonly GrantRequest[],
  { state, files }: { readonly state: string; readonly files: AcceptanceFiles },
): Promise<void> {
  const folder = join(state, FOLDER);
  await files.makeFolder(folder);
  const grants = await recorded(requests, commandDigest);
  const name = `${await sourceDigest(source)}-${await digest(JSON.stringify(grants))}.json`;
  const text = JSON.stringify({ version: VERSION, source, grants }, undefined, 2);
  await files.writeText(join(folder, name), `${text}\n`);
}

async function read(
  path: string,
  source: string,
  files: AcceptanceFiles,
  { maxConfigFileBytes }: Pick<Limits, "maxConfigFileBytes">,
): Promise<readonly GrantRequest[]> {
  const unusable = (reason: string, cause?: unknown) =>
    new SkepError("CONFIG_INVALID", `Cannot use the acceptance ${path}: ${reason}`, {
      source: path,
    }, {
      cause,
    });
  let value: { version?: unknown; source?: unknown; grants?: unknown } | null;
  try {
    value = JSON.parse(await files.readText(path, maxConfigFileBytes));
  } catch (cause) {
    throw unusable(messageOf(cause), cause);
  }
  if (value?.version !== VERSION || value.source !== source || !isRequests(value.grants)) {
    throw unusable(`it is none of version ${VERSION} for ${source}; remove it to be asked again`);
  }
  return value.grants;
}

/** Nobody else reads what is kept here: it is long enough that nobody finds another command with the same one. */
function commandDigest(of: string, command: string): Promise<string> {
  return digest(JSON.stringify([of, command]));
}

function sourceDigest(source: string): Promise<string> {
  return digest(source);
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).slice(0, 16).toHex();
}
