/** A hold on a file or folder, which others may have as well. */
export interface Hold {
  /** Lets go. Before that, when nobody else in any process has a hold on it, does `last`. */
  release(last: () => Promise<void>): Promise<void>;
}

/**
 * Takes a hold on a file or folder that exists; an exclusive one when nobody else has any. The kernel keeps it as a lock, which ends with this
 * program however that ends. Undefined when the path leads somewhere else, or nowhere, by the time it is held.
 */
export async function hold(path: string, isExclusive = false): Promise<Hold | undefined> {
  const file = await Deno.open(path, { read: true }).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined; // removed since it was made
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    await file.lock(isExclusive);
    const [held, there] = await Promise.all([file.stat(), Deno.lstat(path).catch(() => undefined)]);
    if (held.ino !== there?.ino || held.dev !== there.dev) {
      file.close();
      return undefined;
    }
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    release: async (last) => {
      try {
        if (await file.tryLock(true)) await last();
      } finally {
        file.close();
      }
    },
  };
}
