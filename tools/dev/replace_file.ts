import { dirname, join } from "@std/path";
import { keepAttributes } from "./keep_attributes.ts";
import { isNamed } from "./paths.ts";
import type { FileFacts, World } from "./world.ts";

const MODE_BITS = 0o7777;
/** Set-user and set-group. */
const SET_BITS = 0o6000;

/**
 * Writes a file in one step: a temporary file in the same folder is written, synced to the disk and
 * renamed over it, so that a reader sees the old text or the new one. Mode and owner are kept, and where
 * a program can copy them the access list and extended attributes. A file
 * with further hard links is written in place, since a rename would leave those behind, and so is one whose
 * owner the system gives to no other file: somebody else's, or one that a namespace of users has no number for.
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
    const why = `the file has ${before.nlink} hard links`;
    return await writeInPlace(target, before, why, bytes, world, signal);
  }
  const temporary = join(dirname(target), `.skep-${crypto.randomUUID()}.tmp`);
  try {
    // Never open to more people than the file itself, not even for a moment.
    const mode = before?.mode === undefined || before.mode === null ? {} : {
      mode: before.mode & 0o666,
    };
    const options = { write: true, createNew: true, ...mode };
    try {
      await writeSynced(temporary, options, bytes, world, signal);
    } catch (error) {
      const isShut = before !== undefined && isNamed(error, "PermissionDenied");
      if (!isShut || !await isWritable(target, world)) throw error;
      const why = "its folder takes no new file";
      return await writeInPlace(target, before, why, bytes, world, signal);
    }
    if (before === undefined) {
      await world.rename(temporary, target);
      return [];
    }
    if (!await giveOwner(temporary, before, world)) {
      await world.remove(temporary);
      if (!await isWritable(target, world)) {
        throw new Error(
          `it is ${before.uid}:${before.gid}'s, and its mode lets nobody else write it`,
        );
      }
      const why = "a new file cannot have its owner and group";
      return await writeInPlace(target, before, why, bytes, world, signal);
    }
    const notes = await keepFacts(target, temporary, before, world);
    await checkUnchanged(target, before, world);
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

async function writeInPlace(
  target: string,
  before: FileFacts,
  why: string,
  bytes: Uint8Array,
  world: Pick<World, "open" | "stat" | "chmod">,
  signal: AbortSignal,
): Promise<string[]> {
  await checkUnchanged(target, before, world);
  await writeSynced(target, { write: true, truncate: true }, bytes, world, signal);
  const notes = [`written in place, not atomically: ${why}`];
  const { mode } = await world.stat(target);
  if (mode === before.mode || before.mode === null) return notes;
  return [...notes, ...await giveMode(target, before.mode, world)]; // a write clears the set-user bits
}

async function isWritable(path: string, { open }: Pick<World, "open">): Promise<boolean> {
  return await open(path, { write: true }).then((file) => {
    file.close();
    return true;
  }, () => false);
}

/** False where the system does not let the owner be what it was. */
async function giveOwner(
  temporary: string,
  { mode, uid, gid }: FileFacts,
  world: Pick<World, "stat" | "chown">,
): Promise<boolean> {
  if (mode === null) return true; // a system without modes and owners
  const created = await world.stat(temporary);
  if (created.uid === uid && created.gid === gid) return true;
  return await world.chown(temporary, uid, gid).then(() => true, () => false);
}

/** After the owner: changing that clears the set-user bits. */
async function keepFacts(
  target: string,
  temporary: string,
  { mode }: FileFacts,
  world: Pick<World, "chmod" | "Command">,
): Promise<string[]> {
  if (mode === null) return [];
  const notes = await giveMode(temporary, mode, world);
  return [...notes, ...await keepAttributes(target, temporary, world)];
}

/** The bits that make a program run as its owner are refused where a server is confined. */
async function giveMode(
  path: string,
  mode: number,
  { chmod }: Pick<World, "chmod">,
): Promise<string[]> {
  try {
    await chmod(path, mode & MODE_BITS);
    return [];
  } catch (error) {
    if ((mode & SET_BITS) === 0) throw error;
  }
  await chmod(path, mode & MODE_BITS & ~SET_BITS);
  const [was, is] = [mode & MODE_BITS, mode & MODE_BITS & ~SET_BITS].map((bits) =>
    bits.toString(8)
  );
  return [`its mode was ${was} and is ${is}`];
}
