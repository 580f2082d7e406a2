import { dirname, join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { isDamage } from "./sqlite_damage.ts";
import { checkVersion, isPutAside, migrate } from "./sqlite_schema.ts";
import { salvage } from "./sqlite_salvage.ts";
import { isUnwritable } from "./store_failed.ts";

/** What opening a database takes of the world. */
export type DatabaseWorld = Pick<Host, "warn" | "nowMs"> & {
  readonly files: Pick<
    Host["files"],
    | "makeFolder"
    | "makeTempFolder"
    | "readBytes"
    | "writeBytes"
    | "stat"
    | "rename"
    | "remove"
    | "copy"
    | "setMode"
  >;
};

type Bounds = Pick<Limits, "storeBusyMs">;

/**
 * The file of a store. One that is damaged is put aside, whenever that shows, and what can be read of it
 * is in a new one in its place; programs that have it open go over to that.
 */
export class SqliteFile {
  readonly #path: string;
  readonly #world: DatabaseWorld;
  readonly #limits: Bounds;

  constructor(path: string, world: DatabaseWorld, limits: Bounds) {
    this.#path = path;
    this.#world = world;
    this.#limits = limits;
  }

  /**
   * Opens it, making it where there is none: for this user alone, the files that the database puts beside
   * it too.
   *
   * @throws what SQLite does, or {@linkcode SkepError}.
   */
  async open(): Promise<DatabaseSync> {
    try {
      await this.#make();
      await this.#close();
      return openDatabase(this.#path, this.#limits);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return await this.#mend(() => this.#opens());
    }
  }

  /** Whether there is something to read. */
  async isThere(): Promise<boolean> {
    const facts = await this.#world.files.stat(this.#path).catch(() => undefined);
    return facts?.isFile === true && facts.bytes > 0;
  }

  /**
   * Opens one that may not be written to, or lies where nothing may be: what is in it can be read.
   *
   * @throws what SQLite does.
   */
  async openToRead(): Promise<DatabaseSync> {
    try {
      return openChecked(this.#path, this.#path);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
    // Its log of changes would be made beside it to read it. So a copy is read, which nobody else finds.
    const { files } = this.#world;
    const folder = await files.makeTempFolder("skep-sessions-");
    try {
      const path = join(folder, "sessions.db");
      for (const suffix of ["", "-wal"]) {
        if (await files.stat(this.#path + suffix) === undefined) continue;
        await files.copy(this.#path + suffix, path + suffix);
        await files.setMode(path + suffix, 0o600);
      }
      return openChecked(path, this.#path, "PRAGMA journal_mode = DELETE; PRAGMA query_only = ON");
    } finally {
      await files.remove(folder).catch(() => {}); // a system that keeps what is open
    }
  }

  /**
   * Gives an open database in the place of one that turned out to be damaged, or was put aside by another
   * program since. That one is closed then, and stays open when this fails.
   */
  async again(db: DatabaseSync): Promise<DatabaseSync> {
    const mended = await this.#mend(() => wasPutAside(db));
    db.close();
    return mended;
  }

  /** @param isMended Whether another program was faster: asked once it can be no more. */
  async #mend(isMended: () => boolean): Promise<DatabaseSync> {
    const { files, nowMs, warn } = this.#world;
    const path = this.#path;
    return await this.#alone(async () => {
      if (!isMended()) {
        const aside = await this.#free(`${path}.damaged-${nowMs()}`);
        const make = async (fresh: string) => {
          await this.#makeEmpty(fresh);
          return openDatabase(fresh, this.#limits);
        };
        const to = { aside, fresh: newOf(path), busyMs: this.#limits.storeBusyMs };
        const kept = await salvage(path, to, files, make);
        const shorter = kept.shorter.length === 0
          ? ""
          : `; these are cut short: ${kept.shorter.join(", ")}`;
        warn(
          `The store of sessions ${path} was damaged. ${kept.sessions} sessions with ${kept.records} records ` +
            `could be read and are kept${shorter}; the damaged file is ${aside}`,
        );
      }
      return openDatabase(path, this.#limits);
    });
  }

  async #free(path: string, more = ""): Promise<string> {
    if (await this.#world.files.stat(path + more) === undefined) return path + more;
    return await this.#free(path, `${more}+`);
  }

  #opens(): boolean {
    try {
      openDatabase(this.#path, this.#limits).close();
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** SQLite gives the files beside a database its own mode, so it is there, empty and private, before. */
  async #make(): Promise<void> {
    const { files } = this.#world;
    await files.makeFolder(dirname(this.#path));
    if (await files.stat(this.#path) !== undefined) return;
    if (await files.stat(lockOf(this.#path)) === undefined) {
      return await this.#makeEmpty(this.#path);
    }
    await this.#alone(async () => {
      if (await files.stat(this.#path) !== undefined) return;
      // A program that mended it ended just before the last step.
      if (await files.stat(newOf(this.#path)) === undefined) await this.#makeEmpty(this.#path);
      else await files.rename(newOf(this.#path), this.#path);
    });
  }

  /** Others can read nothing of it, whatever was done to it since it was made. */
  async #close(): Promise<void> {
    const { files, warn } = this.#world;
    const opened: string[] = [];
    const own = ["", "-wal", "-shm"].map((suffix) => this.#path + suffix);
    for (const path of [dirname(this.#path), ...own]) {
      const modeOf = async () => (await files.stat(path))?.mode ?? 0;
      const found = await modeOf();
      if ((found & 0o077) === 0) continue;
      await files.setMode(path, found & 0o700).catch(() => {}); // somebody else's: told below
      const mode = await modeOf();
      const now = (mode & 0o077) === 0 ? `it is ${octal(mode)} now` : "which cannot be changed";
      opened.push(`${path} had mode ${octal(found)}, ${now}`);
    }
    if (opened.length > 0) {
      warn(`The store of sessions was open to other users of this machine: ${opened.join("; ")}`);
    }
  }

  async #makeEmpty(path: string): Promise<void> {
    const { files } = this.#world;
    await files.writeBytes(path, new Uint8Array(), 0o600).catch(async (error) => {
      if (await files.stat(path) === undefined) throw error; // another program was faster
    });
  }

  /** While no other program mends it. SQLite's lock on a file of its own ends with this program. */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    const path = lockOf(this.#path);
    if (await this.#world.files.stat(path) === undefined) await this.#makeEmpty(path);
    const lock = new DatabaseSync(path);
    try {
      lock.exec(`PRAGMA busy_timeout = ${this.#limits.storeBusyMs}`);
      lock.exec("BEGIN EXCLUSIVE");
      return await run();
    } finally {
      lock.close();
    }
  }
}

function openChecked(path: string, place: string, pragmas = ""): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: pragmas === "" });
  try {
    db.exec(pragmas);
    checkVersion(db, place);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}

function wasPutAside(db: DatabaseSync): boolean {
  try {
    return isPutAside(db);
  } catch {
    return false; // it is too damaged to say so
  }
}

function openDatabase(path: string, { storeBusyMs }: Bounds): DatabaseSync {
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

function lockOf(path: string): string {
  return `${path}.lock`;
}

function newOf(path: string): string {
  return `${path}.new`;
}
