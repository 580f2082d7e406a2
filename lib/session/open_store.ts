import { join } from "@std/path";
import { isSkepError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { accessLogPath } from "./access_log_path.ts";
import { artifactsFolder } from "./artifacts_folder.ts";
import { type DatabaseWorld, SqliteFile } from "./sqlite_file.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { storeFailed } from "./store_failed.ts";
import type { SessionStore } from "./store.ts";

/** What opening a store takes of the world. */
export type StoreWorld = DatabaseWorld;

/** The bounds of a store. */
export type StoreLimits = Pick<Limits, "storeBusyMs" | "maxListedSessions">;

/**
 * Opens the store in a folder, making both when they are not there: for this user alone. A database that
 * is damaged, now or later, is put aside; what can be read of it is taken over, which is said.
 *
 * @throws {SkepError} `STORE_FAILED`: it cannot be opened or written, or a newer skep made it.
 */
export async function openStore(
  folder: string,
  world: StoreWorld,
  limits: StoreLimits,
): Promise<SessionStore> {
  const path = join(folder, "sessions.db");
  const file = new SqliteFile(path, world, limits);
  try {
    return new SqliteStore(await file.open(), path, limits.maxListedSessions, {
      mend: (db) => file.again(db),
      onDeleted: async (id) => {
        await world.files.remove(artifactsFolder(folder, id));
        await world.files.remove(accessLogPath(folder, id));
      },
    });
  } catch (error) {
    throw isSkepError(error, "STORE_FAILED") ? error : storeFailed(path, error);
  }
}
