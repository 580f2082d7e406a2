import { join } from "@std/path";
import type { World } from "./world.ts";

/** A server's own folder, held by a lock for as long as the process lives. */
export interface Scratch extends Disposable {
  readonly path: string;
}

/**
 * Takes a folder below the temporary one. Whoever holds the lock owns the folder, and the system frees
 * the lock of a process that is gone, however it ended: what such a one left behind is swept, but for
 * the plan of the session. A folder that somebody alive owns is left alone, and another is taken.
 *
 * @returns Undefined when there is no temporary folder, or no grant for it.
 */
export async function takeScratch(
  temporary: string | undefined,
  world: Pick<World, "mkdir" | "lstat" | "open" | "remove">,
): Promise<Scratch | undefined> {
  if (temporary === undefined) return undefined;
  for (let number = 1; number <= MAX_FOLDERS; number++) {
    const path = join(temporary, number === 1 ? "skep-dev" : `skep-dev-${number}`);
    try {
      await world.mkdir(path, { recursive: true, mode: 0o700 });
      const { isDirectory, mode } = await world.lstat(path);
      // Somebody else may have laid a link or an open folder there.
      if (!isDirectory || (mode !== null && (mode & 0o077) !== 0)) continue;
      const lock = await world.open(join(path, "owner"), {
        write: true,
        create: true,
        mode: 0o600,
      });
      if (!await lock.tryLock(true)) {
        lock.close();
        continue;
      }
      await world.remove(join(path, "artifacts"), { recursive: true }).catch(() => {}); // none there
      return { path, [Symbol.dispose]: () => lock.close() };
    } catch {
      return undefined; // no grant for it, or a full disk: there is nothing to keep then
    }
  }
  return undefined;
}

/** Servers that share one temporary folder, which only happens outside of skep. */
const MAX_FOLDERS = 32;
