import type { Usage } from "../model/message.ts";

/** What is known of a kept session without reading its records. */
export interface SessionInfo {
  readonly id: string;
  /** Absolute path of its workspace. */
  readonly cwd: string;
  /** The beginning of its first prompt, in one line; empty before there is one. */
  readonly title: string;
  /** As `--persona` takes it. */
  readonly persona: string;
  /** `provider:model` of its last turn. */
  readonly model: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Prompts that were taken. */
  readonly turns: number;
  /** Records that it has: the place of the last one. */
  readonly records: number;
  /** All that it took so far, summaries too. */
  readonly usage: Usage;
  /** The session that this one is a fork of. */
  readonly parent?: string;
}

/** What may change of a session's facts with a record. */
export type SessionChange = Partial<Pick<SessionInfo, "title" | "model" | "turns" | "usage">>;

/** A record as it is kept: a store does not look into it. */
export interface StoredRecord {
  /** Its place in the session: from 1, without a gap. */
  readonly seq: number;
  /** When, in milliseconds since 1970. Order is by `seq`: clocks go backwards. */
  readonly atMs: number;
  /** JSON text. */
  readonly body: string;
  /** Checks this record and all before it; see `chain.ts`. */
  readonly chain: string;
}

/** How a record is appended. */
export interface AppendOptions {
  /** The `chain` of the record before it; empty before the first. */
  readonly after: string;
  /** True: it is on the disk when this resolves, even if the machine stops then. */
  readonly isDurable: boolean;
  /** What was drafted is a part of it, or never will be of anything. */
  readonly endsDraft: boolean;
  /** Changed in the same step. */
  readonly change?: SessionChange;
}

/** A part of a list, and how to get the next one. */
export interface SessionPage {
  /** The one that was used last comes first. */
  readonly sessions: readonly SessionInfo[];
  /** For the next page; absent on the last one. */
  readonly cursor?: string;
}

/**
 * Where sessions are kept. Several programs may use one store at once. Nothing of any database shows
 * here. Every method rejects with `STORE_FAILED` when the store cannot do it (a full disk, no right to
 * write), and then has changed nothing.
 */
export interface SessionStore {
  /** Where it is, for people. */
  readonly place: string;
  /** What is in it can be read, and nothing changed: each method that would rejects with `STORE_FAILED`. */
  readonly isReadOnly: boolean;
  /** Adds a session without records. Those that nobody prompted for long are removed. @throws {SkepError} `SESSION_CONFLICT` when there is one of that id. */
  create(info: SessionInfo): Promise<void>;
  /** Facts of one session; undefined when there is none of that id. */
  info(id: string): Promise<SessionInfo | undefined>;
  /**
   * Sessions by their last use, those of one workspace when it is given.
   *
   * @throws {SkepError} `INVALID_PARAMS` for a cursor that this store did not give.
   */
  list(query?: {
    readonly cwd?: string;
    /** Those alone in which something was asked. */
    readonly isPrompted?: boolean;
    readonly cursor?: string;
    /** Most of one page. */
    readonly limit?: number;
  }): Promise<SessionPage>;
  /**
   * Adds one record behind the last one, whole or not at all. What was drafted before is gone with it.
   *
   * @throws {SkepError} `SESSION_CONFLICT` when the last record is not the one that it follows: somebody
   * else went on with the session. `SESSION_UNKNOWN` when the session was deleted.
   */
  append(id: string, record: StoredRecord, options: AppendOptions): Promise<void>;
  /** Adds to what a reply that is under way has said so far; a record that ends the draft drops it. */
  draft(id: string, text: string): Promise<void>;
  /** What is drafted; empty when nothing is. */
  drafted(id: string): Promise<string>;
  /** The records behind `after`, in order, read page by page. A session that is unknown has none. */
  read(id: string, after?: number): AsyncIterable<StoredRecord>;
  /** Puts the records from `seq` on aside, where nothing reads them: they are damaged. */
  cut(id: string, seq: number): Promise<void>;
  /**
   * Adds a session `to` with the records of `from` up to `upTo`, or all, and its facts as they are now.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`; `SESSION_CONFLICT` when there is a session `to`.
   */
  fork(from: string, to: string, upTo?: number): Promise<void>;
  /** Removes a session with its records. False: there was none. */
  delete(id: string): Promise<boolean>;
  close(): Promise<void>;
}
