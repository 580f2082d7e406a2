import type { FileFacts, Files as HostFiles } from "../host/files.ts";
import { pins } from "./guards.ts";
import type { Placeholder } from "./placeholders.ts";

type Files = Pick<HostFiles, "stat" | "lstat" | "list">;

/** The modes that placeholders are made with, and hardly anything else that is empty. */
const PRIVATE_MODES = { folder: 0o700, file: 0o600 };

/**
 * What must be there, and be held, so that a path in writable folders can be hidden: the path where it is
 * missing, and before it each folder on the way to it. What another server's start has put there counts
 * as missing, so that it stays for this one. Empty for a path that is there; undefined where nothing
 * can be put.
 *
 * @param around The writable folders that it lies in.
 */
export async function maskPlaces(
  place: Placeholder,
  around: readonly string[],
  files: Files,
): Promise<readonly Placeholder[] | undefined> {
  const facts = await files.lstat(place.path);
  if (facts !== undefined && !await isLeft(place, facts, files)) return [];
  const there = await Promise.all(around.map((folder) => files.stat(folder)));
  const [outermost] = around.filter((_, index) => there[index]?.isDirectory)
    .sort((a, b) => a.length - b.length);
  if (outermost === undefined || outermost === place.path) return facts ? [] : undefined;
  const places: Placeholder[] = [];
  for (const { path } of pins(outermost, place.path).reverse()) {
    const folder = await files.stat(path);
    const isTaken = folder === undefined
      ? await files.lstat(path) !== undefined // a link that leads nowhere
      : !folder.isDirectory;
    if (isTaken) return undefined;
    if (folder === undefined || folder.mode === PRIVATE_MODES.folder) places.push({ path });
  }
  return [...places, place];
}

/** True for what looks like a placeholder: private, and nothing in it. */
async function isLeft(
  { path, text }: Placeholder,
  facts: FileFacts,
  files: Files,
): Promise<boolean> {
  if (text !== undefined) {
    return facts.isFile && facts.bytes === 0 && facts.mode === PRIVATE_MODES.file;
  }
  if (!facts.isDirectory || facts.mode !== PRIVATE_MODES.folder) return false;
  const inside = await files.list(path).catch((error) => error?.name === "NotFound" ? [] : [path] // removed a moment ago, or not ours to read
  );
  return inside.length === 0;
}
