import { dirname, join } from "@std/path";
import { keepAttributes } from "./keep_attributes.ts";
import { isNamed } from "./paths.ts";
import type { FileFacts, World } from "./world.ts";

const PERMISSION_BITS = 0o7777;

/**
 * Writes a file in one step: a temporary file in the same folder is written, synced to the disk and
 * renamed over it, so that a reader sees the old text or the new one. Mode and owner are kept, and where
 * a program can copy them the access list and extended attributes. A file
 * with further hard links is written in place, since a rename would leave those behind.
 *
 * @param before The facts of the file that is replaced; undefined for a new one.
 * @returns What a person should know of how it was done.
 * @throws What the system refuses, and the signal's reason; nothing has changed then, unless the file
 * was being written in place.
 */
export async function replaceFile(
  target: string,
  before: FileFacts | undefined,
  bytes: Uint8Array,
  world: World,
  signal: AbortSignal,
): Promise<string[]> {
  if (before?.nlink !== undefined && before.nlink !== null && before.nlink > 1) {
    await checkUnchanged(target, before, world);
    await writeSynced(target, { write: true, truncate: true }, bytes, world, signal);
    return [`written in place, not atomically: the file has ${before.nlink} hard links`];
  }
  const temporary = join(dirname(target), `.skep-${crypto.randomUUID()}.tmp`);
  try {
    // Never open to more people than the file itself, not even for a moment.
    const mode = before?.mode === undefined || before.mode === null ? {} : {
      mode: before.mode & 0o666,
    };
    const options = { write: true, createNew: true, ...mode };
    await writeSynced(temporary, options, bytes, world, signal);
    const notes = before === undefined ? [] : await keepFacts(target, temporary, before, world);
    if (before !== undefined) await checkUnchanged(target, before, world);
    await world.rename(temporary, target);
    return notes;
  } catch (error) {
    await world.remove(temporary).catch(() => {}); // it may not be there yet; the error says why
    throw error;
  }
}

/** Somebody else's change between our reading and our writing would be lost. */
async function checkUnchanged(
  target: string,
  before: FileFacts,
  world: Pick<World, "stat">,
): Promise<void> {
  const now = await world.stat(target);
  const isSame = now.ino === before.ino && now.size === before.size &&
    now.mtime?.getTime() === before.mtime?.getTime();
  if (!isSame) throw new Error("it was changed by somebody else meanwhile; read it and try again");
}

async function writeSynced(
  path: string,
  options: Parameters<World["open"]>[1],
  bytes: Uint8Array,
  world: Pick<World, "open">,
  signal: AbortSignal,
): Promise<void> {
  using file = await world.open(path, options);
  for (let written = 0; written < bytes.length;) {
    signal.throwIfAborted();
    written += await file.write(bytes.subarray(written));
  }
  await file.sync();
  signal.throwIfAborted();
}

async function keepFacts(
  target: string,
  temporary: string,
  before: FileFacts,
  world: Pick<World, "stat" | "chown" | "chmod" | "Command">,
): Promise<string[]> {
  if (before.mode === null) return []; // a system without modes and owners
  const notes: string[] = [];
  const created = await world.stat(temporary);
  if (created.uid !== before.uid || created.gid !== before.gid) {
    try {
      await world.chown(temporary, before.uid, before.gid);
    } catch (error) {
      if (!isNamed(error, "PermissionDenied")) throw error;
      notes.push(`its owner was ${before.uid}:${before.gid} and is ${created.uid}:${created.gid}`);
    }
  }
  // After the owner: changing that clears the set-user bits.
  await world.chmod(temporary, before.mode & PERMISSION_BITS);
  return [...notes, ...await keepAttributes(target, temporary, world)];
}
