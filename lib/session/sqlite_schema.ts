import type { DatabaseSync } from "node:sqlite";
import { SkepError } from "../errors.ts";

/**
 * Each step of the schema's way, the first one from nothing. One that was released never changes: a new
 * one is added.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
     key INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     cwd TEXT NOT NULL,
     title TEXT NOT NULL,
     persona TEXT NOT NULL,
     model TEXT NOT NULL,
     created_ms INTEGER NOT NULL,
     updated_ms INTEGER NOT NULL,
     turns INTEGER NOT NULL,
     records INTEGER NOT NULL,
     chain TEXT NOT NULL,
     usage TEXT NOT NULL,
     parent TEXT
   );
   CREATE INDEX sessions_by_use ON sessions (updated_ms, key);
   CREATE TABLE records (
     session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
     seq INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     body TEXT NOT NULL,
     chain TEXT NOT NULL,
     UNIQUE (session, seq)
   );
   CREATE TABLE drafts (
     session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
     text TEXT NOT NULL
   );
   CREATE INDEX drafts_by_session ON drafts (session);
   CREATE TABLE damaged (
     session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
     seq INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     body TEXT NOT NULL,
     chain TEXT NOT NULL
   );`,
];

/** "skep", as the file's header says whose it is. */
const APPLICATION_ID = 0x736b6570;

/** The version of a database that was put aside, damaged: another one is in its place. */
const PUT_ASIDE = -1;

/** Tells programs that have a database open that it is the store's no more. */
export function markPutAside(db: DatabaseSync): void {
  db.exec(`PRAGMA user_version = ${PUT_ASIDE}`);
}

/** Whether a database that is open was put aside since. */
export function isPutAside(db: DatabaseSync): boolean {
  return numberOf(db, "user_version") === PUT_ASIDE;
}

/**
 * Brings a database to the schema of this program, in one step, whoever else does the same.
 *
 * @throws {SkepError} `STORE_FAILED` when a newer skep made it, or somebody else did.
 */
export function migrate(db: DatabaseSync, place: string): void {
  if (versionOf(db, place) === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(db, place); // another program may have been faster
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Looks whether a database that cannot be changed has the schema of this program.
 *
 * @throws {SkepError} `STORE_FAILED` as `migrate()` does, and for an older one.
 */
export function checkVersion(db: DatabaseSync, place: string): void {
  const version = versionOf(db, place);
  if (version === MIGRATIONS.length) return;
  const message =
    `Cannot use ${place}: it may not be written to, and has to be brought up to date ` +
    `(version ${version} of the store, this skep has ${MIGRATIONS.length})`;
  throw new SkepError("STORE_FAILED", message, { place });
}

function versionOf(db: DatabaseSync, place: string): number {
  const application = numberOf(db, "application_id");
  const version = numberOf(db, "user_version");
  if (application !== APPLICATION_ID && (application !== 0 || version !== 0)) {
    throw new SkepError("STORE_FAILED", `Cannot use ${place}: it is no store of sessions`, {
      place,
    });
  }
  if (version === PUT_ASIDE) throw new Error(`${place} was put aside`);
  if (version <= MIGRATIONS.length) return version;
  const message = `Cannot use ${place}: a newer skep made it (version ${version} of the store, ` +
    `this one knows ${MIGRATIONS.length}). Update skep, or set SKEP_STATE_DIR to another folder`;
  throw new SkepError("STORE_FAILED", message, { place, isNewer: true });
}

function numberOf(db: DatabaseSync, pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
