import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Usage } from "../model/message.ts";
import { isDamage } from "./sqlite_damage.ts";
import { isPutAside } from "./sqlite_schema.ts";
import { storeFailed } from "./store_failed.ts";
import type {
  AppendOptions,
  SessionInfo,
  SessionPage,
  SessionStore,
  StoredRecord,
} from "./store.ts";

type Row = Readonly<Record<string, unknown>>;

/** Records read at once: enough to be quick, few enough to be small. */
const PAGE = 64;

/** What a store needs that is not in its database. */
export interface Beside {
  /** Gives another one in the place of a database that turned out to be damaged, or was put aside. */
  readonly mend?: (db: DatabaseSync) => Promise<DatabaseSync>;
  /** True: it cannot be written to. */
  readonly isReadOnly?: boolean;
  /** Removes what lies beside the records of a session. */
  readonly onDeleted?: (id: string) => Promise<void>;
}

/** A {@linkcode SessionStore} over one open database, whose schema is there. */
export class SqliteStore implements SessionStore {
  readonly place: string;
  readonly isReadOnly: boolean;
  #db: DatabaseSync;
  readonly #pageSize: number;
  readonly #beside: Beside;
  #mending: Promise<void> | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #isDurable: boolean | undefined;

  constructor(db: DatabaseSync, place: string, pageSize: number, beside: Beside = {}) {
    this.#beside = beside;
    this.isReadOnly = beside.isReadOnly ?? false;
    this.#db = db;
    this.place = place;
    this.#pageSize = pageSize;
  }

  create(info: SessionInfo): Promise<void> {
    return this.#change(true, () => {
      const { value: days } = LIMITS.emptySessionDays;
      const oldest = info.createdMs - days * 24 * 60 * 60 * 1000;
      this.#run("DELETE FROM sessions WHERE turns = 0 AND updated_ms < ?", oldest);
      this.#insert(info, "");
    });
  }

  info(id: string): Promise<SessionInfo | undefined> {
    return this.#read(() => {
      const row = this.#get("SELECT * FROM sessions WHERE id = ?", id);
      return row === undefined ? undefined : toInfo(row);
    });
  }

  list(
    { cwd, cursor, limit = this.#pageSize, isPrompted = false }: Parameters<
      SessionStore["list"]
    >[0] = {},
  ): Promise<SessionPage> {
    return this.#read(() => {
      const from = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0] : fromCursor(cursor);
      const rows = this.#all(
        `SELECT * FROM sessions WHERE (updated_ms, key) < (?1, ?2) AND (?3 IS NULL OR cwd = ?3)
         AND turns >= ?5
         ORDER BY updated_ms DESC, key DESC LIMIT ?4`,
        ...from as [number, number],
        cwd ?? null,
        limit + 1,
        isPrompted ? 1 : 0,
      );
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        sessions: rows.slice(0, limit).map(toInfo),
        ...(last === undefined ? {} : { cursor: `${last.updated_ms}.${last.key}` }),
      };
    });
  }

  append(id: string, record: StoredRecord, options: AppendOptions): Promise<void> {
    const { after, isDurable, endsDraft, change = {} } = options;
    return this.#change(isDurable, () => {
      const { key, records, chain } = this.#find(id);
      if (records !== record.seq - 1 || chain !== after) throw conflict(id);
      this.#run(
        "INSERT INTO records (session, seq, at_ms, body, chain) VALUES (?, ?, ?, ?, ?)",
        ...[key, record.seq, record.atMs, record.body, record.chain],
      );
      if (endsDraft) this.#run("DELETE FROM drafts WHERE session = ?", key);
      this.#run(
        `UPDATE sessions SET records = ?, chain = ?, updated_ms = max(updated_ms, ?),
         title = coalesce(?, title), model = coalesce(?, model), turns = coalesce(?, turns),
         usage = coalesce(?, usage) WHERE key = ?`,
        ...[record.seq, record.chain, record.atMs, change.title ?? null, change.model ?? null],
        ...[change.turns ?? null, change.usage ? JSON.stringify(change.usage) : null, key],
      );
    });
  }

  draft(id: string, text: string): Promise<void> {
    return this.#change(false, () => {
      this.#run("INSERT INTO drafts (session, text) VALUES (?, ?)", this.#find(id).key, text);
    });
  }

  drafted(id: string): Promise<string> {
    return this.#read(() => {
      const key = this.#get("SELECT key FROM sessions WHERE id = ?", id)?.key ?? null;
      const rows = this.#all(
        "SELECT text FROM drafts WHERE session = ? ORDER BY rowid",
        key as SQLInputValue,
      );
      return rows.map(({ text }) => String(text)).join("");
    });
  }

  async *read(id: string, after = 0): AsyncIterable<StoredRecord> {
    for (let seq = after;;) {
      const page = await this.#read(() =>
        this.#all(
          `SELECT seq, at_ms, body, records.chain FROM records
           JOIN sessions ON key = session WHERE id = ? AND seq > ? ORDER BY seq LIMIT ?`,
          ...[id, seq, PAGE],
        )
      );
      for (const row of page) yield toRecord(row);
      if (page.length < PAGE) return;
      seq = Number(page.at(-1)!.seq);
    }
  }

  cut(id: string, seq: number): Promise<void> {
    return this.#change(true, () => {
      const { key } = this.#find(id);
      this.#run(
        `INSERT INTO damaged SELECT session, seq, at_ms, body, chain FROM records
         WHERE session = ? AND seq >= ?`,
        ...[key, seq],
      );
      this.#run("DELETE FROM records WHERE session = ? AND seq >= ?", key, seq);
      this.#run("DELETE FROM drafts WHERE session = ?", key);
      const last = this.#get(
        "SELECT seq, chain FROM records WHERE session = ? ORDER BY seq DESC LIMIT 1",
        key,
      );
      this.#run(
        "UPDATE sessions SET records = ?, chain = ? WHERE key = ?",
        ...[Number(last?.seq ?? 0), String(last?.chain ?? ""), key],
      );
    });
  }

  fork(from: string, to: string, upTo = Number.MAX_SAFE_INTEGER): Promise<void> {
    return this.#change(true, () => {
      const { key } = this.#find(from);
      const row = this.#get("SELECT * FROM sessions WHERE key = ?", key)!;
      const last = this.#get(
        "SELECT seq, chain FROM records WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
        ...[key, upTo],
      );
      const records = Number(last?.seq ?? 0);
      this.#insert({ ...toInfo(row), id: to, parent: from, records }, String(last?.chain ?? ""));
      this.#run(
        `INSERT INTO records (session, seq, at_ms, body, chain)
         SELECT ?, seq, at_ms, body, chain FROM records WHERE session = ? AND seq <= ? ORDER BY seq`,
        ...[this.#find(to).key, key, records],
      );
    });
  }

  async delete(id: string): Promise<boolean> {
    const deleted = await this.#change(
      true,
      () => this.#run("DELETE FROM sessions WHERE id = ?", id) > 0,
    );
    // Nothing of it stays in the files: free pages are overwritten, and the log of changes is emptied.
    if (!deleted) return false;
    await this.#read(() => this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    await this.#beside.onDeleted?.(id);
    return true;
  }

  async close(): Promise<void> {
    await this.#mending?.catch(() => {}); // told to who asked
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #insert(info: SessionInfo, chain: string): void {
    const { id, cwd, title, persona, model, createdMs, updatedMs, turns, records, usage, parent } =
      info;
    const added = this.#run(
      `INSERT INTO sessions (id, cwd, title, persona, model, created_ms, updated_ms, turns, records,
         chain, usage, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      ...[id, cwd, title, persona, model, createdMs, updatedMs, turns, records],
      ...[chain, JSON.stringify(usage), parent ?? null],
    );
    if (added === 0) throw conflict(id);
  }

  #find(id: string): { readonly key: number; readonly records: number; readonly chain: string } {
    const row = this.#get("SELECT key, records, chain FROM sessions WHERE id = ?", id);
    if (row === undefined) {
      throw new SkepError("SESSION_UNKNOWN", `There is no session "${id}"`, { sessionId: id });
    }
    return { key: Number(row.key), records: Number(row.records), chain: String(row.chain) };
  }

  /** One step that is done whole or not at all. Durable: it waits for the disk. */
  #change<T>(isDurable: boolean, change: () => T): Promise<T> {
    return this.#do(() => {
      if (this.#isDurable !== isDurable) {
        this.#db.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
        this.#isDurable = isDurable;
      }
      this.#db.exec("BEGIN IMMEDIATE");
      try {
        this.#look(); // who put it aside had it to himself until now
        const result = change();
        this.#db.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  #read<T>(read: () => T): Promise<T> {
    return this.#do(() => {
      this.#look();
      return read();
    });
  }

  /** Runs at once, unless it has to be mended: what is asked for is done before what is asked for later. */
  async #do<T>(run: () => T): Promise<T> {
    try {
      if (this.#mending !== undefined) await this.#mending.catch(() => {});
      try {
        return run();
      } catch (error) {
        const { mend } = this.#beside;
        if (mend === undefined || !isDamage(error)) throw error;
        this.#mending ??= this.#mend(mend).finally(() => this.#mending = undefined);
        await this.#mending;
        return run();
      }
    } catch (error) {
      throw error instanceof SkepError ? error : storeFailed(this.place, error);
    }
  }

  async #mend(mend: NonNullable<Beside["mend"]>): Promise<void> {
    this.#db = await mend(this.#db);
    this.#statements.clear();
    this.#isDurable = undefined;
  }

  #look(): void {
    if (isPutAside(this.#db)) throw new Error("it was put aside");
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  #get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  #all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function conflict(sessionId: string): SkepError {
  const message = `Cannot add to session "${sessionId}": it went on elsewhere`;
  return new SkepError("SESSION_CONFLICT", message, { sessionId });
}

function fromCursor(cursor: string): [number, number] {
  const [, ms, key] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (ms !== undefined && key !== undefined) return [Number(ms), Number(key)];
  const message = `Cannot list sessions from ${JSON.stringify(cursor)}: it is no cursor of a list`;
  throw new SkepError("INVALID_PARAMS", message, { method: "session/list" });
}

function toRecord(row: Row): StoredRecord {
  return {
    seq: Number(row.seq),
    atMs: Number(row.at_ms),
    body: String(row.body),
    chain: String(row.chain),
  };
}

function toInfo(row: Row): SessionInfo {
  return {
    id: String(row.id),
    cwd: String(row.cwd),
    title: String(row.title),
    persona: String(row.persona),
    model: String(row.model),
    createdMs: Number(row.created_ms),
    updatedMs: Number(row.updated_ms),
    turns: Number(row.turns),
    records: Number(row.records),
    usage: toUsage(String(row.usage)),
    ...(row.parent === null ? {} : { parent: String(row.parent) }),
  };
}

/** What a damaged row says of it is nothing: the records have it. */
function toUsage(text: string): Usage {
  try {
    const usage: unknown = JSON.parse(text);
    return typeof usage === "object" && usage !== null ? usage : {};
  } catch {
    return {};
  }
}
