import type { Hold } from "../host/hold.ts";
import type { Host } from "../host/host.ts";

/** Something harmless where a protected file is missing, so that there is something to mount on. */
export interface Placeholder {
  readonly path: string;
  /** What the file says; absent: it is an empty folder. */
  readonly text?: string;
}

/** Placeholders that are there, and stay until they are released. */
export interface HeldPlaceholders {
  /** Those that were made, or were there already. */
  readonly paths: readonly string[];
  /** Removes what no other server needs, in this program or another one. */
  release(): Promise<void>;
}

type Files = Pick<
  Host["files"],
  "lstat" | "makeFolder" | "writeBytes" | "readText" | "hold" | "remove" | "removeEmptyFolder"
>;

/** A placeholder that is removed between its making and its hold is made again, this many times. */
const ATTEMPTS = 50;
/** More than any placeholder says. */
const MAX_TEXT_BYTES = 64;

/**
 * Makes placeholders and holds them. Removing one would lay open what another server's mount hides, so
 * each server has a hold on its own, and the last one removes them. Where this user may make nothing
 * none is needed: neither may the server.
 */
export async function holdPlaceholders(
  placeholders: readonly Placeholder[],
  files: Files,
): Promise<HeldPlaceholders> {
  const held: { readonly place: Placeholder; readonly hold: Hold }[] = [];
  const release = async () => {
    for (const { place, hold } of held.toReversed()) await hold.release(() => remove(place, files));
  };
  try {
    for (const place of placeholders) {
      const hold = await makeAndHold(place, files);
      if (hold !== undefined) held.push({ place, hold });
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { paths: held.map(({ place }) => place.path), release };
}

async function makeAndHold(place: Placeholder, files: Files): Promise<Hold | undefined> {
  let isMade = false;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        isMade = await make(place, files) || isMade;
      } catch (error) {
        if (isForbidden(error)) return undefined;
        if (!isPassing(error)) throw error;
      }
      const hold = await files.hold(place.path);
      if (hold !== undefined) return hold;
    }
    throw new Error(`Cannot hold ${place.path}: somebody keeps replacing it`);
  } catch (error) {
    if (isMade) await remove(place, files); // nobody else would
    throw error;
  }
}

/** True when there was none. */
async function make({ path, text }: Placeholder, files: Files): Promise<boolean> {
  if (await files.lstat(path) !== undefined) return false;
  if (text === undefined) await files.makeFolder(path);
  else await files.writeBytes(path, new TextEncoder().encode(text));
  return true;
}

/** Another server's start or end came between: it made the same thing first, or removed the folder around it. */
function isPassing(error: unknown): boolean {
  const { name } = error as { name?: unknown };
  return name === "AlreadyExists" || name === "NotFound";
}

/** EACCES and EPERM, and a file system that is read-only. */
function isForbidden(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === "PermissionDenied" || code === "EROFS";
}

/** Something that got content meanwhile is somebody's. */
async function remove({ path, text }: Placeholder, files: Files): Promise<void> {
  if (text === undefined) return await files.removeEmptyFolder(path);
  const found = await files.readText(path, MAX_TEXT_BYTES).catch(() => undefined);
  if (found === text) await files.remove(path);
}
