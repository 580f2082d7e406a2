import { join } from "@std/path";
import type { FileFacts, Files } from "../../host/files.ts";
import type { Limits } from "../../limits.ts";

/** What lies in some folders: by its path, what tells another state of it. Links are none of it. */
export type Listing = ReadonlyMap<string, string>;

/**
 * Lists what lies in folders, themselves left out, to tell later what was written there: what a program writes that a
 * server starts, nothing records. Of what is past the limit nothing is told.
 */
export async function listFiles(
  folders: readonly string[],
  files: Pick<Files, "list" | "lstat">,
  { maxLearnCopyFiles }: Pick<Limits, "maxLearnCopyFiles">,
): Promise<Listing> {
  const found = new Map<string, string>();
  const waiting = [...folders];
  for (let folder; (folder = waiting.pop()) !== undefined;) {
    for (const name of await files.list(folder).catch(() => [])) {
      if (found.size >= maxLearnCopyFiles) return found;
      const path = join(folder, name);
      const facts = await files.lstat(path).catch(() => undefined);
      if (facts === undefined || facts.isSymlink) continue;
      found.set(path, stateOf(facts));
      if (facts.isDirectory) waiting.push(path);
    }
  }
  return found;
}

/** The paths that were made, changed or removed between two listings. */
export function changedFiles(before: Listing, after: Listing): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path)).sort();
}

function stateOf({ isDirectory, bytes, writtenMs = 0 }: FileFacts): string {
  return isDirectory ? "folder" : `${bytes} ${writtenMs}`;
}
