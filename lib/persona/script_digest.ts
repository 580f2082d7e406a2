import { dirname, join } from "@std/path";
import type { Files } from "../host/files.ts";
import { contentDigest, type ContentLimits, type PackEntry, refused } from "./pack_content.ts";

/** What digesting a script takes of the files. */
type ScriptFiles = Pick<Files, "list" | "lstat" | "readInside">;

/**
 * The digest of a pack's script, and of all that lies in its folder where that is not the pack's own: a script
 * loads what lies beside it. What cannot be read, or leads out of the pack, is none of it.
 *
 * @param pack Canonical path of the pack's folder.
 * @param script The script's path in the pack.
 * @throws {SkepError} `PERSONA_INVALID` past a bound.
 */
export async function scriptDigest(
  pack: string,
  script: string,
  files: ScriptFiles,
  limits: ContentLimits,
): Promise<string> {
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
    entries.push({ path: path.slice(pack.length), bytes: found.bytes, isExecutable: false });
  }
  return await contentDigest(entries);
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
