import { dirname, join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { isSkepError, messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { migrate } from "./sqlite_schema.ts";
import { accessLogPath } from "./access_log_path.ts";
import { artifactsFolder } from "./artifacts_folder.ts";
import { SqliteStore, storeFailed } from "./sqlite_store.ts";
import { salvage } from "./sqlite_salvage.ts";
import type { SessionStore } from "./store.ts";

/** What opening a store takes of the world. */
export type StoreWorld = Pick<Host, "warn" | "nowMs"> & {
  readonly files: Pick<Host["files"], "makeFolder" | "writeBytes" | "stat" | "rename" | "remove">;
};

/** The bounds of a store. */
export type StoreLimits = Pick<Limits, "storeBusyMs" | "maxListedSessions">;

/**
 * Opens the store in a folder, making both when they are not there: for this user alone, the files that
 * the database puts beside its own too. A database that is damaged is put aside; what can be read of it
 * is taken over, which is said.
 *
 * @throws {SkepError} `STORE_FAILED`: it cannot be opened or written, or a newer skep made it.
 */
export async function openStore(
  folder: string,
  world: StoreWorld,
  limits: StoreLimits,
): Promise<SessionStore> {
  const path = join(folder, "sessions.db");
  const open = (path: string) => {
    const onDeleted = async (id: string) => {
      await world.files.remove(artifactsFolder(folder, id));
      await world.files.remove(accessLogPath(folder, id));
    };
    return new SqliteStore(openDatabase(path, limits), path, limits.maxListedSessions, onDeleted);
  };
  try {
    await makePrivate(path, world.files);
    return open(path);
  } catch (error) {
    if (isSkepError(error, "STORE_FAILED") && !isDamage(error)) throw error;
    if (!isDamage(error)) throw storeFailed(path, error);
    const aside = `${path}.damaged-${world.nowMs()}`;
    const kept = await salvage(path, aside, world.files, (fresh) => openDatabase(fresh, limits));
    world.warn(
      `The store of sessions ${path} was damaged. ${kept.sessions} sessions with ${kept.records} records ` +
        `could be read and are kept; the damaged file is ${aside}`,
    );
    return open(path);
  }
}

/** SQLite gives the files beside a database its own mode, so it is there, empty and private, before. */
async function makePrivate(path: string, files: StoreWorld["files"]): Promise<void> {
  await files.makeFolder(dirname(path));
  if (await files.stat(path) !== undefined) return;
  await files.writeBytes(path, new Uint8Array(), 0o600).catch(async (error) => {
    if (await files.stat(path) === undefined) throw error; // another program was faster
  });
}

function openDatabase(path: string, { storeBusyMs }: Pick<Limits, "storeBusyMs">): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${storeBusyMs}`);
    db.exec("PRAGMA auto_vacuum = FULL; PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL");
    migrate(db, path);
    db.prepare("SELECT count(*) FROM sessions").get(); // reads what is always read
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  const said = error instanceof SkepError ? messageOf(error.cause) : messageOf(error);
  return /malformed|not a database/.test(said);
}
