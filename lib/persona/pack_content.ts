import { dirname, join } from "@std/path";
import { messageOf } from "../errors.ts";
import type { Files } from "../host/files.ts";
import type { Limits } from "../limits.ts";
import { personaInvalid } from "./problems.ts";

/** One file of a pack on its way. */
export interface PackEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isExecutable: boolean;
}

/** The bounds of a pack on its way. */
export type ContentLimits = Pick<
  Limits,
  "maxPackArchiveBytes" | "maxPackFileBytes" | "maxPackFiles"
>;

/** What is no part of a pack, wherever it lies. */
const LEFT_OUT = [".git", ".DS_Store", "node_modules"];
/** The permission bits of which any makes a file a program. */
const EXECUTABLE = 0o111;

/**
 * Reads all files of a pack's folder, sorted by their paths.
 *
 * @param folder Canonical.
 * @param parts The files and folders in it to read; absent: all.
 * @throws {SkepError} `PERSONA_INVALID` for a link, for anything that is neither file nor folder, for a name
 * that no archive should hold, and past a bound.
 */
export async function readContent(
  folder: string,
  files: Pick<Files, "list" | "lstat" | "readInside">,
  limits: ContentLimits,
  parts: readonly string[] = [""],
): Promise<readonly PackEntry[]> {
  const isPart = (path: string) =>
    parts.some((part) => part === "" || isWithin(path, part) || isWithin(part, path));
  const entries: PackEntry[] = [];
  const waiting = [""];
  for (let inside; (inside = waiting.shift()) !== undefined;) {
    for (const name of await files.list(join(folder, inside))) {
      if (LEFT_OUT.includes(name)) continue;
      const path = inside === "" ? name : `${inside}/${name}`;
      if (!isPart(path)) continue;
      const facts = await files.lstat(join(folder, path));
      if (facts?.isDirectory) waiting.push(path);
      else if (facts?.isFile) {
        const bytes = await readFile(folder, path, files, limits);
        entries.push({ path, bytes, isExecutable: ((facts.mode ?? 0) & EXECUTABLE) !== 0 });
      } else {throw refused(
          join(folder, path),
          "a pack that moves has plain files and folders alone",
        );}
    }
  }
  checkContent(entries, folder, limits);
  return entries.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** Writes a pack's files into a folder of its own; of their modes the executable bit is kept, for the owner alone. */
export async function writeContent(
  folder: string,
  entries: readonly PackEntry[],
  files: Pick<Files, "makeFolder" | "writeBytes">,
): Promise<void> {
  for (const { path, bytes, isExecutable } of entries) {
    await files.makeFolder(dirname(join(folder, path)));
    await files.writeBytes(join(folder, path), bytes, isExecutable ? 0o700 : 0o600);
  }
}

/**
 * Checks the paths and sizes of a pack's files: each path must be the same on every system, stay inside and
 * be there once.
 *
 * @param where The archive or folder, for messages.
 * @throws {SkepError} `PERSONA_INVALID`.
 */
export function checkContent(
  entries: readonly { readonly path: string; readonly bytes: { readonly length: number } }[],
  where: string,
  { maxPackArchiveBytes, maxPackFileBytes, maxPackFiles }: ContentLimits,
): void {
  if (entries.length > maxPackFiles) {
    throw refused(where, `it has ${entries.length} files, the limit is ${maxPackFiles}`);
  }
  const seen = new Map<string, string>();
  let sum = 0;
  for (const { path, bytes } of entries) {
    const reason = pathProblem(path);
    if (reason !== undefined) throw refused(where, `its entry ${JSON.stringify(path)} ${reason}`);
    if (bytes.length > maxPackFileBytes) {
      const size = `has ${bytes.length} bytes, the limit is ${maxPackFileBytes}`;
      throw refused(where, `its entry "${path}" ${size}`);
    }
    sum += bytes.length;
    if (sum > maxPackArchiveBytes) {
      throw refused(where, `it unpacks to more than ${maxPackArchiveBytes} bytes, the limit`);
    }
    // A system that does not tell cases apart would let one file replace another.
    const folded = path.normalize("NFC").toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined) throw refused(where, `"${other}" and "${path}" are one name`);
    seen.set(folded, path);
  }
  for (const { path } of entries) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = path.slice(0, at).normalize("NFC").toLowerCase();
      if (seen.has(parent)) throw refused(where, `"${seen.get(parent)}" is a file and a folder`);
    }
  }
}

/**
 * The digest of a pack's content, the same however it was packed: SHA-256 over each file's path, whether it is
 * a program, and its bytes, each with its length in front.
 */
export async function contentDigest(entries: readonly PackEntry[]): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const add = (bytes: Uint8Array<ArrayBuffer>) => {
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(bytes.length));
    parts.push(length, bytes);
  };
  const encoder = new TextEncoder();
  add(encoder.encode("skep-pack-v1"));
  for (
    const { path, bytes, isExecutable } of entries.toSorted((a, b) => a.path < b.path ? -1 : 1)
  ) {
    add(encoder.encode(path));
    add(new Uint8Array([isExecutable ? 1 : 0]));
    add(bytes);
  }
  const all = await new Blob(parts).bytes();
  return `sha256:${new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex()}`;
}

/** An error about a pack that moves. */
export function refused(path: string, reason: string, cause?: unknown): Error {
  return personaInvalid({ severity: "error", file: path, reason, cause });
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

async function readFile(
  folder: string,
  path: string,
  files: Pick<Files, "readInside">,
  { maxPackFileBytes }: ContentLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(folder, path);
  try {
    const found = await files.readInside(folder, file, maxPackFileBytes);
    if (found !== undefined) return found.bytes;
  } catch (cause) {
    throw refused(file, messageOf(cause), cause);
  }
  throw refused(file, "it was removed while it was read");
}

/** Names that Windows gives to devices, whatever their ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const MAX_PATH = 512;

/** Why a path is not the same on every system, or leads out: the rest of a sentence about it; undefined for a good one. */
export function pathProblem(path: string): string | undefined {
  if (path === "" || path.length > MAX_PATH) return `has no path of 1 to ${MAX_PATH} characters`;
  // What a terminal acts on, or hides, is refused with what some system reads otherwise.
  if (/[\p{Cc}\p{Cf}\u2028\u2029\\:*?"<>|]/u.test(path) || !path.isWellFormed()) {
    return "has a character that not every system takes";
  }
  if (path !== path.normalize("NFC")) return "is not in normal form";
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..") return "leads out of the pack, or nowhere";
    if (DEVICE.test(part) || /[ .]$/.test(part)) return "has a name that Windows keeps for itself";
  }
  return undefined;
}
