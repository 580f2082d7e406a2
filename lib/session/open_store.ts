import type { DatabaseSync } from "node:sqlite";
import { join } from "@std/path";
import { isSkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { accessLogPath } from "./access_log_path.ts";
import { artifactsFolder } from "./artifacts_folder.ts";
import { type DatabaseWorld, SqliteFile } from "./sqlite_file.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { isUnwritable, storeFailed } from "./store_failed.ts";
import type { SessionStore } from "./store.ts";

/** What opening a store takes of the world. */
export type StoreWorld = DatabaseWorld & {
  readonly files: Pick<Host["files"], "lstat">;
};

/** The bounds of a store. */
export type StoreLimits = Pick<Limits, "storeBusyMs" | "maxListedSessions">;

/**
 * Opens the store in a folder, making both when they are not there: for this user alone. A database that
 * is damaged, now or later, is put aside; what can be read of it is taken over, which is said. One that may
 * not be written to, or lies where nothing may be, can be read. Where a file of it is a link, nothing is
 * changed.
 *
 * @throws {SkepError} `STORE_FAILED`: it cannot be opened, it is a link, or a newer skep made it.
 */
export async function openStore(
  folder: string,
  world: StoreWorld,
  limits: StoreLimits,
): Promise<SessionStore> {
  const path = join(folder, "sessions.db");
  const file = new SqliteFile(path, world, limits);
  const pageSize = limits.maxListedSessions;
  try {
    await refuseLinks(path, world);
    const opened = await openWritable(file);
    if (opened === undefined) {
      return new SqliteStore(await file.openToRead(), path, pageSize, { isReadOnly: true });
    }
    return new SqliteStore(opened, path, pageSize, {
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

/** A link may lead to any file of the person's, which would be written to and get another mode. */
async function refuseLinks(path: string, { files }: StoreWorld): Promise<void> {
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    const facts = await files.lstat(path + end).catch(() => undefined); // opening it tells why
    if (facts?.isSymlink !== true) continue;
    const why = "it is a link, which is not followed. Put the file itself in its place, or set " +
      "SKEP_STATE_DIR to another folder";
    throw storeFailed(path + end, new Error(why));
  }
}

/** Undefined when there is one that may not be written to. */
async function openWritable(file: SqliteFile): Promise<DatabaseSync | undefined> {
  try {
    const db = await file.open();
    if (isWritable(db)) return db;
    db.close();
    return undefined;
  } catch (error) {
    if (!isSkepError(error, "STORE_FAILED") && isUnwritable(error) && await file.isThere()) {
      return undefined;
    }
    throw error;
  }
}

/** SQLite opens a file without the right to write it, and says so at the first change. */
function isWritable(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch (error) {
    return !isUnwritable(error); // somebody who writes is no sign of that
  }
}
