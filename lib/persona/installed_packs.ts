import { isAbsolute, join, relative, sep } from "@std/path";
import { messageOf } from "../errors.ts";
import type { Files } from "../host/files.ts";
import type { Hold } from "../host/hold.ts";
import {
  checkContent,
  contentDigest,
  type ContentLimits,
  type PackEntry,
  pathProblem,
  readContent,
  refused,
  writeContent,
} from "./pack_content.ts";
import { parseJsonc } from "./jsonc.ts";

/** What the lock file says of one installed pack. */
export interface LockEntry {
  readonly version: string;
  /** Of the content, as {@linkcode contentDigest} gives it. */
  readonly digest: string;
  /** The path that it was installed from. */
  readonly from: string;
}

/** The lock file's name, in the folder of the installed packs. */
export const LOCK_FILE = "packs.lock.json";
const LOCK_VERSION = 1;
/** Whoever changes the folder of installed packs holds this file of it. */
const HELD_FILE = ".lock";

/** What installing takes of the files. */
export type InstallFiles = Pick<
  Files,
  | "makeFolder"
  | "writeBytes"
  | "writeText"
  | "readText"
  | "rename"
  | "remove"
  | "stat"
  | "lstat"
  | "list"
  | "hold"
>;

/**
 * Puts a pack's files into the folder of installed packs, in one step: they are written beside it, and get
 * its name when all are there. The lock file is written last. Two at once take turns.
 *
 * @param id The pack's id, which is its folder's name.
 * @param isReplacing Whether a pack of that id that is there already gives way.
 * @param shipped Names of the packs that ship with skep, which would be found in its place.
 * @throws {SkepError} `PERSONA_INVALID` when one is there and does not give way, and for an id that no folder
 * there can have.
 */
export async function installPack(
  id: string,
  entries: readonly PackEntry[],
  lock: Omit<LockEntry, "digest">,
  packs: string,
  files: InstallFiles,
  limits: ContentLimits & { readonly maxConfigFileBytes: number },
  isReplacing: boolean,
  shipped: readonly string[],
): Promise<{ readonly folder: string; readonly digest: string }> {
  checkContent(entries, lock.from, limits);
  const why = packIdProblem(id, shipped);
  if (why !== undefined) throw refused(lock.from, `its id ${JSON.stringify(id)} ${why}`);
  await files.makeFolder(packs);
  const held = await holdPacks(packs, files);
  try {
    return await putPack(id, entries, lock, packs, files, limits, isReplacing);
  } finally {
    await held.release(() => Promise.resolve());
  }
}

/** Why a pack of that id cannot be installed, or would not be found: the rest of a sentence about the id. */
export function packIdProblem(id: string, shipped: readonly string[]): string | undefined {
  const folded = id.toLowerCase();
  return folded === LOCK_FILE
    ? "is the name of the lock file"
    : id.startsWith("-")
    ? "begins with -, as options do"
    : shipped.includes(folded)
    ? "is the name of a persona that ships with skep"
    : pathProblem(id);
}

async function holdPacks(packs: string, files: InstallFiles): Promise<Hold> {
  const path = join(packs, HELD_FILE);
  if (await files.lstat(path) === undefined) {
    await files.writeBytes(path, new Uint8Array()).catch(async (error) => {
      if (await files.lstat(path) === undefined) throw error; // else another one made it
    });
  }
  const held = await files.hold(path, true);
  if (held === undefined) throw refused(path, "somebody removed it while packs were installed");
  return held;
}

async function putPack(
  id: string,
  entries: readonly PackEntry[],
  lock: Omit<LockEntry, "digest">,
  packs: string,
  files: InstallFiles,
  limits: { readonly maxConfigFileBytes: number },
  isReplacing: boolean,
): Promise<{ readonly folder: string; readonly digest: string }> {
  const digest = await contentDigest(entries);
  const folder = join(packs, id);
  const half = join(packs, `.new-${crypto.randomUUID()}`);
  const old = join(packs, `.old-${crypto.randomUUID()}`);
  const locked = await readLock(packs, files, limits);
  const names = [...Object.keys(locked), ...await files.list(packs)];
  const twin = names.find((name) => name !== id && name.toLowerCase() === id.toLowerCase());
  if (twin !== undefined) {
    throw refused(lock.from, `its id "${id}" differs from the installed "${twin}" in case alone`);
  }
  const isThere = await files.lstat(folder) !== undefined;
  if (isThere && !isReplacing) {
    const known = Object.hasOwn(locked, id) ? locked[id] : undefined;
    const what = known === undefined ? "something" : `version ${known.version} (${known.digest})`;
    throw refused(
      folder,
      `there is ${what} already: give --replace to put the new one in its place`,
    );
  }
  try {
    await writeContent(half, entries, files);
    if (isThere) await files.rename(folder, old);
    await files.rename(half, folder).catch(async (error) => {
      if (isThere) await files.rename(old, folder);
      throw error;
    });
    const all = { ...locked, [id]: { ...lock, digest } };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => a < b ? -1 : 1));
    const text = JSON.stringify({ version: LOCK_VERSION, packs: sorted }, undefined, 2);
    await files.writeText(join(packs, LOCK_FILE), `${text}\n`);
  } finally {
    await files.remove(half);
    await files.remove(old);
  }
  return { folder, digest };
}

/**
 * Holds an installed pack against the lock file; whatever lies elsewhere is none of its business.
 *
 * @param path The pack's folder, or something in it.
 * @throws {SkepError} `PERSONA_INVALID` when its files are not those that were installed.
 */
export async function checkInstalled(
  path: string,
  packs: string,
  files: Pick<Files, "realPath" | "list" | "lstat" | "readInside" | "readText" | "stat">,
  limits: ContentLimits & { readonly maxConfigFileBytes: number },
): Promise<void> {
  const real = await files.realPath(packs).catch(() => undefined); // nothing is installed
  if (real === undefined) return;
  const [id = ""] = relative(real, await files.realPath(path).catch(() => path)).split(sep);
  if (id === "" || id === ".." || isAbsolute(id)) return;
  const folder = join(real, id);
  const locked = await readLock(real, files, limits);
  const entry = Object.hasOwn(locked, id) ? locked[id] : undefined;
  if (entry === undefined) throw refused(folder, "it is not in the lock file: install it anew");
  const digest = await contentDigest(await readContent(folder, files, limits));
  if (digest === entry.digest) return;
  const reason =
    `its files are not those that were installed (${entry.digest}): install it anew, with --replace`;
  throw refused(folder, reason);
}

/**
 * The installed packs by their ids; none where there is no lock file.
 *
 * @throws {SkepError} `PERSONA_INVALID` when the lock file is no such file.
 */
export async function readLock(
  packs: string,
  files: Pick<Files, "readText" | "stat">,
  { maxConfigFileBytes }: { readonly maxConfigFileBytes: number },
): Promise<Readonly<Record<string, LockEntry>>> {
  const path = join(packs, LOCK_FILE);
  if (await files.stat(path) === undefined) return {};
  const text = await files.readText(path, maxConfigFileBytes).catch((cause) => {
    throw refused(path, messageOf(cause), cause);
  });
  const json = parseJsonc(text);
  const value = json.ok ? json.value as { version?: unknown; packs?: unknown } | null : undefined;
  if (value?.version !== LOCK_VERSION || !isLock(value.packs)) {
    throw refused(path, `it is no lock file of version ${LOCK_VERSION}`);
  }
  return value.packs;
}

function isLock(value: unknown): value is Readonly<Record<string, LockEntry>> {
  return typeof value === "object" && value !== null &&
    Object.values(value).every((entry) =>
      typeof entry === "object" && entry !== null &&
      ["version", "digest", "from"].every((key) => typeof entry[key] === "string")
    );
}
