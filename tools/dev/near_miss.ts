import { basename, dirname, join, relative } from "@std/path";
import { nearest } from "../../lib/suggest.ts";
import type { World } from "./world.ts";

/** Names looked at in one folder; a hint is not worth more. */
const MAX_NAMES = 5000;

/**
 * What to say after `no such file`: the name in the same folder that was most likely meant, or the
 * deepest folder that does exist. Empty when there is nothing to say.
 *
 * @param target The canonical path that does not exist.
 * @param path As the caller wrote it.
 */
export async function nearMiss(
  target: string,
  path: string,
  world: Pick<World, "readDir" | "stat">,
): Promise<string> {
  let folder = dirname(target);
  let missing = basename(target);
  while (!await isFolder(folder, world) && dirname(folder) !== folder) {
    missing = basename(folder);
    folder = dirname(folder);
  }
  const names: string[] = [];
  try {
    for await (const { name } of world.readDir(folder)) {
      if (names.push(name) >= MAX_NAMES) break;
    }
  } catch {
    return ""; // a folder that cannot be listed has no hint to give
  }
  const meant = nearest(missing, names);
  // Written as the caller would: below the path as far as it was right.
  const right = join(path, relative(target, folder));
  if (meant !== undefined) return `. Did you mean "${join(right, meant)}"?`;
  return missing === basename(target) ? "" : `: "${right}" has no "${missing}"`;
}

async function isFolder(path: string, world: Pick<World, "stat">): Promise<boolean> {
  return await world.stat(path).then((facts) => facts.isDirectory, () => false);
}
