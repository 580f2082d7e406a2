import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { Files } from "../host/files.ts";
import { newId } from "./new_id.ts";
import { parseRecord } from "./session_record.ts";
import { SessionState } from "./session_state.ts";
import { isDamage } from "./sqlite_damage.ts";
import { copyMended } from "./sqlite_head.ts";
import { markPutAside } from "./sqlite_schema.ts";
import { titleOf } from "./title_of.ts";

/** What could be read of a damaged database. */
export interface Salvaged {
  readonly sessions: number;
  readonly records: number;
  /** Ids of the sessions that have fewer records than they had. */
  readonly shorter: readonly string[];
}

/**
 * Puts a damaged database aside and a new one in its place with all that can still be read: of each session
 * the records up to the first one that cannot, the others as damaged ones. Nobody writes to it meanwhile,
 * and who has it open can tell afterwards that it was put aside.
 *
 * @param to Where the damaged file goes, of which nothing is removed, where the new one is made, and how
 * long a program that writes is waited for.
 * @throws when there is no room for a new one, or the folder may not be written to; then nothing has changed.
 */
export async function salvage(
  path: string,
  to: { readonly aside: string; readonly fresh: string; readonly busyMs: number },
  files: Pick<Files, "rename" | "stat" | "remove" | "readBytes" | "writeBytes">,
  make: (path: string) => Promise<DatabaseSync>,
): Promise<Salvaged> {
  const readable = `${to.fresh}.readable`;
  for (const suffix of ["", "-wal", "-shm", ".readable"]) await files.remove(to.fresh + suffix);
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${to.busyMs}`);
    attempt(() => db.exec("PRAGMA wal_checkpoint(FULL)")); // what is made of the file's pages has all of them
    unlessDamaged(() => {
      db.exec("BEGIN IMMEDIATE");
      markPutAside(db);
    });
    (await make(to.fresh)).close();
    const isMended = await copyMended(path, to.fresh, readable, files);
    const kept = copy(isMended ? readable : path, await make(to.fresh));
    const moved: string[] = [];
    try {
      for (const suffix of ["", "-wal", "-shm"]) {
        if (await files.stat(path + suffix) === undefined) continue;
        await files.rename(path + suffix, to.aside + suffix);
        moved.push(suffix);
      }
      await files.rename(to.fresh, path);
    } catch (error) {
      for (const suffix of moved) await files.rename(to.aside + suffix, path + suffix);
      throw error;
    }
    if (db.isTransaction) unlessDamaged(() => db.exec("COMMIT"));
    return kept;
  } catch (error) {
    await files.remove(to.fresh);
    throw error;
  } finally {
    db.close();
    await files.remove(readable);
  }
}

const SESSION_COLUMNS =
  "key, id, cwd, title, persona, model, created_ms, updated_ms, turns, records, chain, usage, parent";
const RECORD_COLUMNS = "session, seq, at_ms, body, chain";

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Reads through a connection of its own: one that came upon a damaged page can write nothing more. */
function copy(path: string, to: DatabaseSync): Salvaged {
  const from = new DatabaseSync(path, { readOnly: true });
  try {
    to.exec("BEGIN; PRAGMA defer_foreign_keys = ON");
    copyRows(from, to, "sessions", SESSION_COLUMNS);
    copyRows(from, to, "records", RECORD_COLUMNS);
    addLostSessions(from, to);
    const shorter = settle(to);
    const { sessions, records } = to.prepare(
      "SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM records) AS records",
    ).get()!;
    to.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return { sessions: Number(sessions), records: Number(records), shorter };
  } finally {
    from.close();
    to.close();
  }
}

/** Copies what can be read of a table: what a row needs and does not have leaves it out. */
function copyRows(from: DatabaseSync, to: DatabaseSync, table: string, columns: string): void {
  const names = columns.split(", ");
  const insert = to.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${names.map(() => "?")})`,
  );
  for (const row of readable(from, table, columns)) insert.run(...names.map((name) => row[name]!));
}

/** Places in a row that nothing can be read from, after which no more is expected: more than one page has. */
const MAX_MISSES = 65_536;

/** The rows of a table by their place in it, without an index: those on damaged pages are left out. */
function* readable(db: DatabaseSync, table: string, columns: string): Generator<Row> {
  // Each row by a statement of its own: Deno's iterate() ends at a damaged page as if it were the last one.
  const select = attempt(() =>
    db.prepare(
      `SELECT rowid AS place, ${columns} FROM ${table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1`,
    )
  );
  let place = 0;
  for (let misses = 0; select !== undefined && misses < MAX_MISSES;) {
    let row: Row | undefined;
    try {
      row = select.get(place);
    } catch {
      place++;
      misses++;
      continue;
    }
    if (row === undefined) return;
    place = Number(row.place) + 1;
    misses = 0;
    yield row;
  }
}

/** Makes the sessions again whose own rows are lost, from their records. */
function addLostSessions(from: DatabaseSync, to: DatabaseSync): void {
  const ids = idsOf(from);
  const lost = to.prepare(
    "SELECT DISTINCT session FROM records WHERE session NOT IN (SELECT key FROM sessions)",
  ).all();
  const select = to.prepare("SELECT seq, at_ms, body FROM records WHERE session = ? ORDER BY seq");
  const names = SESSION_COLUMNS.split(", ");
  const insert = to.prepare(
    `INSERT OR IGNORE INTO sessions (${SESSION_COLUMNS}) VALUES (${names.map(() => "?")})`,
  );
  for (const { session } of lost) {
    const state = new SessionState();
    const times: number[] = [];
    for (const { seq, at_ms, body } of select.iterate(session!)) {
      const record = attempt(() => parseRecord(String(body)));
      if (seq !== times.length + 1 || record === undefined) break;
      state.take(record);
      times.push(Number(at_ms));
    }
    const id = ids.get(Number(session)) ?? newId("ses");
    insert.run(
      ...[session!, id, state.cwd ?? "/", titleOf(state.firstPrompt ?? []), state.persona ?? ""],
      ...[state.model ?? "", times[0] ?? 0, times.at(-1) ?? 0, state.turns, times.length, ""],
      ...[JSON.stringify(state.usage), null],
    );
  }
}

/** The ids of sessions by their keys, as the index has them, which lies elsewhere. */
function idsOf(db: DatabaseSync): Map<number, string> {
  const ids = new Map<number, string>();
  attempt(() => {
    const sql = `SELECT key, id FROM sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE id > ''`;
    for (const { key, id } of db.prepare(sql).iterate()) ids.set(Number(key), String(id));
  });
  return ids;
}

/** Ends each session before the first record that it lacks. @returns the ids of those that had more. */
function settle(db: DatabaseSync): string[] {
  const good = db.prepare(
    `SELECT count(*) AS good FROM
       (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM records WHERE session = ?)
     WHERE seq = place`,
  );
  const putAside = db.prepare(
    `INSERT INTO damaged (${RECORD_COLUMNS})
     SELECT ${RECORD_COLUMNS} FROM records WHERE session = ? AND seq > ?`,
  );
  const remove = db.prepare("DELETE FROM records WHERE session = ? AND seq > ?");
  const update = db.prepare(
    `UPDATE sessions SET records = ?2,
     chain = coalesce((SELECT chain FROM records WHERE session = ?1 AND seq = ?2), '') WHERE key = ?1`,
  );
  const shorter: string[] = [];
  for (const { key, id, records } of db.prepare("SELECT key, id, records FROM sessions").all()) {
    const count = Number(good.get(key!)!.good);
    putAside.run(key!, count);
    remove.run(key!, count);
    update.run(key!, count);
    if (count < Number(records)) shorter.push(String(id));
  }
  return shorter;
}

/** A file that is so damaged that nothing can be done with it can be used by no other program either. */
function unlessDamaged(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/** What cannot be read of a damaged file is left. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
