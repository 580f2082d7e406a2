import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Files } from "../host/files.ts";

/** What could be read of a damaged database. */
export interface Salvaged {
  readonly sessions: number;
  readonly records: number;
}

/**
 * Puts a damaged database aside and makes a new one in its place with all that can still be read: of each
 * session the records up to the first one that cannot.
 *
 * @param aside Where the damaged file goes; nothing of it is removed.
 */
export async function salvage(
  path: string,
  aside: string,
  files: Pick<Files, "rename" | "stat" | "remove">,
  make: (path: string) => DatabaseSync,
): Promise<Salvaged> {
  await files.rename(path, aside);
  for (const suffix of ["-wal", "-shm"]) {
    if (await files.stat(path + suffix) !== undefined) {
      await files.rename(path + suffix, aside + suffix);
    }
  }
  const fresh = `${aside}.new`;
  const db = make(fresh);
  let kept: Salvaged;
  try {
    kept = copy(aside, db);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  await files.rename(fresh, path);
  return kept;
}

const SESSION_COLUMNS =
  "key, id, cwd, title, persona, model, created_ms, updated_ms, turns, records, chain, usage, parent";
const RECORD_COLUMNS = "session, seq, at_ms, body, chain";

function copy(from: string, to: DatabaseSync): Salvaged {
  let [sessions, records] = [0, 0];
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(from, { readOnly: true });
    const insert = to.prepare(
      `INSERT OR IGNORE INTO sessions (${SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const keys = readable(db.prepare(`SELECT ${SESSION_COLUMNS} FROM sessions`), (row) => {
      insert.run(...Object.values(row));
      return row.key!;
    });
    const add = to.prepare(`INSERT INTO records (${RECORD_COLUMNS}) VALUES (?, ?, ?, ?, ?)`);
    const settle = to.prepare(
      `UPDATE sessions SET records = ?1,
       chain = coalesce((SELECT chain FROM records WHERE session = ?2 AND seq = ?1), '') WHERE key = ?2`,
    );
    for (const key of keys) {
      const select = db.prepare(
        `SELECT ${RECORD_COLUMNS} FROM records WHERE session = ${Number(key)} ORDER BY seq`,
      );
      let seq = 0;
      readable(select, (row) => {
        if (row.seq !== seq + 1) throw new RangeError("a record is missing");
        add.run(...Object.values(row));
        seq++;
      });
      settle.run(seq, key);
      sessions++;
      records += seq;
    }
  } catch {
    // It cannot be read any further, or at all.
  } finally {
    db?.close();
  }
  return { sessions, records };
}

type Value = string | number | null;

/** What `take` makes of the rows, up to the first one that cannot be read or taken. */
function readable<T>(
  statement: StatementSync,
  take: (row: Readonly<Record<string, Value>>) => T,
): T[] {
  const taken: T[] = [];
  try {
    for (const row of statement.iterate()) {
      taken.push(take(row as Readonly<Record<string, Value>>));
    }
  } catch {
    // The rest is damaged.
  }
  return taken;
}
