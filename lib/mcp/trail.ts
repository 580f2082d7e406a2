import { dirname } from "@std/path";
import type { FileIdentity, Files } from "../host/files.ts";

/** The folders from one down to a file in it, and the file, as they were at one moment. None of them is a link. */
export interface Trail {
  readonly folders: readonly FileIdentity[];
  readonly file: FileIdentity;
}

/**
 * The way from `root` to a file below it, both canonical. Undefined when a link is on it, when something of it
 * is missing, or when the system tells too little.
 */
export async function trailOf(
  path: string,
  root: string,
  files: Pick<Files, "identity">,
): Promise<Trail | undefined> {
  const above: string[] = [];
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) {
    above.unshift(folder);
    if (folder === root) break;
  }
  const places = await Promise.all([...above, path].map((place) => files.identity(place)));
  const found = places.flatMap((place) => place === undefined || place.isSymlink ? [] : [place]);
  const file = found.at(-1);
  if (file === undefined || found.length < places.length || above[0] !== root) return undefined;
  return { folders: found.slice(0, -1), file };
}

/** How long ago a name in its folders was changed last, in milliseconds. */
export function restedMs({ folders }: Trail, nowMs: number): number {
  return nowMs - Math.max(...folders.map(({ changedMs }) => changedMs));
}

/**
 * True when no name on the way has changed between the two. It can be told of a way that had rested for more
 * than a second by the first: putting something in a name's place changes its folder, with a later time.
 */
export function isUntouched(before: Trail, after: Trail | undefined): boolean {
  return after !== undefined && before.file.id === after.file.id && isSameWay(before, after) &&
    before.folders.every(({ changedMs }, at) => changedMs === after.folders[at]?.changedMs);
}

/** True when the folders are the same ones: the file may be another, as after a save. */
export function isSameWay(before: Trail, after: Trail | undefined): boolean {
  return after !== undefined && before.folders.every(({ id }, at) => id === after.folders[at]?.id);
}
