import { dirname, join, normalize } from "@std/path";
import type { Files } from "../host/files.ts";
import { contentDigest, type ContentLimits, type PackEntry, refused } from "./pack_content.ts";

/** What reading a script takes of the files. */
export type ScriptFiles = Pick<Files, "list" | "lstat" | "readInside">;

/** A pack's script as it was read: these bytes are what was checked, and what is run. */
export interface ScriptCode {
  /** The script's path in the pack. */
  readonly main: string;
  /** It, and what lies in its folder, by their paths in the pack. */
  readonly entries: readonly PackEntry[];
  /** Of all entries. */
  readonly digest: string;
}

/** The permission bits of which any makes a file a program. */
const EXECUTABLE = 0o111;

/**
 * Reads a pack's script, and all that lies in its folder where that is not the pack's own: a script
 * loads what lies beside it. Each file is opened once. What cannot be read, or leads out of the pack, is none of it.
 *
 * @param pack Canonical path of the pack's folder.
 * @param script The script's path in the pack.
 * @throws {SkepError} `PERSONA_INVALID` past a bound.
 */
export async function readScript(
  pack: string,
  script: string,
  files: ScriptFiles,
  limits: ContentLimits,
): Promise<ScriptCode> {
  const folder = dirname(join(pack, script));
  const below = folder === pack ? [] : await filesBelow(folder, files, limits);
  const entries: PackEntry[] = [];
  let sum = 0;
  for (const path of new Set([join(pack, script), ...below])) {
    const found = await files.readInside(pack, path, limits.maxPackFileBytes).catch(() => {});
    if (found === undefined) continue;
    sum += found.bytes.length;
    if (sum > limits.maxPackArchiveBytes) {
      const bound = `${limits.maxPackArchiveBytes} bytes, the limit`;
      throw refused(folder, `it is a folder of scripts, and holds more than ${bound}`);
    }
    const { mode = 0 } = await files.lstat(found.path).catch(() => {}) ?? {};
    const isExecutable = (mode & EXECUTABLE) !== 0;
    entries.push({ path: path.slice(pack.length + 1), bytes: found.bytes, isExecutable });
  }
  // Whether it is a program is no part of what was accepted: it runs nothing else.
  const plain = entries.map((each) => ({ ...each, path: `/${each.path}`, isExecutable: false }));
  return { main: normalize(script), entries, digest: await contentDigest(plain) };
}

/** The digest of a pack's script; see {@linkcode readScript}. */
export async function scriptDigest(
  pack: string,
  script: string,
  files: ScriptFiles,
  limits: ContentLimits,
): Promise<string> {
  return (await readScript(pack, script, files, limits)).digest;
}

async function filesBelow(
  folder: string,
  files: ScriptFiles,
  { maxPackFiles }: ContentLimits,
): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let at; (at = waiting.shift()) !== undefined;) {
    for (const name of await files.list(at).catch(() => [])) {
      const path = join(at, name);
      if ((await files.lstat(path))?.isDirectory) waiting.push(path);
      else found.push(path);
    }
    if (found.length + waiting.length <= maxPackFiles) continue;
    throw refused(
      folder,
      `it is a folder of scripts, and has over ${maxPackFiles} files, the limit`,
    );
  }
  return found;
}
