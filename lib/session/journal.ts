import { isSkepError, messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { LIMITS, type Limits } from "../limits.ts";
import { elideEnd } from "../mcp/elide.ts";
import { type ExactRedactor, type Redactor, StreamRedactor } from "../sandbox/redact.ts";
import { nextChain } from "./chain.ts";
import { newId } from "./new_id.ts";
import { endsDraft, isDurable, type SessionRecord } from "./session_record.ts";
import type { SessionChange, SessionStore } from "./store.ts";

/** What a journal is written with. */
export interface JournalOptions {
  readonly store: SessionStore;
  /** Where it stands: the place and check of its last record. */
  readonly at: { readonly seq: number; readonly chain: string };
  /** What the session comes to so far, of what its records change; absent: nothing yet. */
  readonly facts?: SessionChange;
  /** Makes the session in the store, before its first record; absent: it is there. */
  readonly begin?: () => Promise<void>;
  /** Takes secrets out of what is written. */
  readonly redact: ExactRedactor;
  readonly limits: Pick<Limits, "draftMs">;
  readonly world: Pick<Host, "nowMs">;
  /** The session is in the store, which takes nothing more of it. */
  readonly isThere?: boolean;
  /** The session cannot be begun in the store: it goes on unkept, and each prompt tries again. Called once. */
  readonly onUnkept?: (reason: string) => void;
  /** The session went on elsewhere, and this one goes on as a fork: called before anything is written to it. */
  readonly onFork: (fork: string, notice: string) => Promise<void>;
}

interface Pending {
  /** Dropped when it cannot be written: what it was for is not done then. */
  readonly isDroppable: boolean;
  readonly record: SessionRecord;
  readonly change?: SessionChange;
}

/**
 * The records of one session, in their order, on their way into a store. What cannot be written now is
 * kept and written before anything that comes later: a journal has no holes. A new session that the store
 * does not take goes on without: its records wait for a store that does.
 */
export class Journal {
  /** The session that is written to: another one after a fork. */
  id: string;
  readonly #options: JournalOptions;
  readonly #pending: Pending[] = [];
  #at: JournalOptions["at"];
  /** Of a fork these are not those of the session that went on elsewhere. */
  #facts: SessionChange;
  #hasBegun: boolean;
  #isUnkept = false;
  #isRemoved = false;
  #writing: Promise<void> = Promise.resolve();
  #draft = "";
  /** A secret may come in two pieces of a draft. */
  readonly #draftRedactor: StreamRedactor;
  #draftedMs = 0;

  constructor(id: string, options: JournalOptions) {
    this.id = id;
    this.#options = options;
    this.#draftRedactor = new StreamRedactor(options.redact);
    this.#at = options.at;
    this.#facts = options.facts ?? {};
    this.#hasBegun = options.begin === undefined;
  }

  /** Whether the session is in the store, and outlives its program. */
  get isKept(): boolean {
    return (this.#hasBegun || this.#options.isThere === true) && !this.#isRemoved;
  }

  /**
   * Writes a record behind all before it. It is kept when this resolves, and on the disk if it is one of
   * those that must be.
   *
   * @throws {SkepError} `STORE_FAILED`: it is not written yet, and will be before the next one.
   */
  append(record: SessionRecord, change?: SessionChange): Promise<void> {
    return this.#add({ record, isDroppable: false, ...(change === undefined ? {} : { change }) });
  }

  /**
   * Writes a record as `append()` does, or not at all: for what is not done when it cannot be kept.
   *
   * @throws {SkepError} `STORE_FAILED`: it is not written, and never will be.
   */
  tryAppend(record: SessionRecord, change?: SessionChange): Promise<void> {
    return this.#add({ record, isDroppable: true, ...(change === undefined ? {} : { change }) });
  }

  /** Adds a record that is written with the next one, before it. */
  prepend(record: SessionRecord, change?: SessionChange): void {
    this.#pending.push({
      record,
      isDroppable: false,
      ...(change === undefined ? {} : { change }),
    });
  }

  /**
   * Writes down what a reply says while it is under way, the last quarter of a second left out and an end
   * that may begin a secret. Never throws.
   */
  draft(text: string): void {
    this.#draft += text;
    const now = this.#options.world.nowMs();
    if (Math.abs(now - this.#draftedMs) < this.#options.limits.draftMs) return;
    const said = this.#draftRedactor.take(this.#draft);
    this.#draft = "";
    this.#draftedMs = now;
    if (said === "") return;
    const { store } = this.#options;
    // What is lost is a part of a reply that has no end: its message is written whole.
    this.#next(() => store.draft(this.id, said)).catch(() => {});
  }

  /** Waits for what is being written. @throws {SkepError} `STORE_FAILED` when something cannot be. */
  async settle(): Promise<void> {
    await this.#next(() => this.#hasBegun ? this.#flush() : Promise.resolve());
  }

  /** Writes all there is, if need be as the first of its session. @throws {SkepError} `STORE_FAILED`. */
  async flush(): Promise<void> {
    await this.#next(async () => {
      if (!this.#hasBegun) await this.#begin();
      await this.#flush();
    });
  }

  #add(pending: Pending): Promise<void> {
    this.#pending.push(pending);
    if (endsDraft(pending.record)) {
      this.#draft = "";
      this.#draftRedactor.reset();
    }
    return this.#next(async () => {
      try {
        if (this.#hasBegun || await this.#hasNowBegun(pending.record)) await this.#flush();
      } catch (error) {
        const place = this.#pending.indexOf(pending);
        if (pending.isDroppable && place !== -1) this.#pending.splice(place, 1);
        throw error;
      }
    });
  }

  async #begin(): Promise<void> {
    await this.#options.begin?.();
    this.#hasBegun = true;
  }

  async #hasNowBegun({ type }: SessionRecord): Promise<boolean> {
    if (this.#isUnkept && type !== "prompt") return false;
    try {
      await this.#begin();
      return true;
    } catch (error) {
      const { onUnkept } = this.#options;
      if (onUnkept === undefined || !isSkepError(error, "STORE_FAILED")) throw error;
      if (!this.#isUnkept) onUnkept(messageOf(error));
      this.#isUnkept = true;
      return false;
    }
  }

  #next(write: () => Promise<void>): Promise<void> {
    const writing = this.#writing.then(write);
    this.#writing = writing.catch(() => {}); // it goes to whoever asked
    return writing;
  }

  async #flush(): Promise<void> {
    for (let next; (next = this.#pending[0]) !== undefined;) {
      await this.#write(next);
      this.#pending.shift();
    }
  }

  async #write({ record, change }: Pending): Promise<void> {
    const { store, redact, world, onFork } = this.#options;
    const body = redact(JSON.stringify(record));
    const chain = nextChain(this.#at.chain, body);
    const stored = { seq: this.#at.seq + 1, atMs: world.nowMs(), body, chain };
    const facts = change === undefined ? {} : withTitle(change, redact);
    const options = {
      after: this.#at.chain,
      isDurable: isDurable(record),
      endsDraft: endsDraft(record),
      change: facts,
    };
    this.#facts = { ...this.#facts, ...facts };
    try {
      await store.append(this.id, stored, options);
    } catch (error) {
      if (isSkepError(error, "SESSION_UNKNOWN")) {
        this.#isRemoved = true;
        throw removed(this.id, store, error);
      }
      if (!isSkepError(error, "SESSION_CONFLICT")) throw error;
      const fork = newId("ses");
      await store.fork(this.id, fork, this.#at.seq);
      const notice =
        `Session ${this.id} went on elsewhere meanwhile; what is said here is kept as ${fork}`;
      await onFork(fork, notice);
      this.id = fork;
      await store.append(fork, stored, { ...options, change: this.#facts });
    }
    this.#at = { seq: stored.seq, chain };
  }
}

function withTitle(change: SessionChange, redact: Redactor): SessionChange {
  return change.title === undefined ? change : { ...change, title: cutTitle(change.title, redact) };
}

/** A title without secrets and within its bound, in this order: a secret that was cut would not be known. */
export function cutTitle(title: string, redact: Redactor): string {
  return elideEnd(redact(title), LIMITS.maxSessionTitleBytes.value, "...");
}

/** A session that was deleted under its program is a failure of the store to whoever writes. */
function removed(id: string, { place }: SessionStore, cause: unknown): SkepError {
  const message = `Session ${id} cannot go on: it was removed from ${place} while it ran. ` +
    "Begin a new session";
  return new SkepError("STORE_FAILED", message, { place }, { cause });
}
