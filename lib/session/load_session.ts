import { isSkepError, messageOf } from "../errors.ts";
import { nextChain } from "./chain.ts";
import { parseRecord, type SessionRecord } from "./session_record.ts";
import { SessionState } from "./session_state.ts";
import type { SessionStore } from "./store.ts";

/** A session as its records tell it. */
export interface LoadedSession {
  readonly state: SessionState;
  /** Place and check of the last good record. */
  readonly at: { readonly seq: number; readonly chain: string };
  /** What was wrong with the records, for people. */
  readonly notices: readonly string[];
}

/**
 * Loads a session that is to go on: a damaged tail is put aside (T110), and each record is checked.
 *
 * @param onRecord Is shown every good record.
 * @throws {SkepError} `STORE_FAILED`.
 */
export async function loadSession(
  store: SessionStore,
  id: string,
  onRecord: (record: SessionRecord) => void = () => {},
): Promise<LoadedSession> {
  const state = new SessionState();
  let at = { seq: 0, chain: "" };
  const good = await readRecords(store, id, (record, seq, chain) => {
    state.take(record);
    onRecord(record);
    at = { seq, chain };
  });
  if (good.damage === undefined) return { state, at: good.at, notices: [] };
  await store.cut(id, good.at.seq + 1);
  const notice = `Session ${id} is damaged from record ${good.at.seq + 1} on (${good.damage}): ` +
    `it goes on from the ${at.seq} good ones before; the rest is put aside in ${store.place}`;
  return { state, at: good.at, notices: [notice] };
}

/** Where the good records of a session end, and why there if that is not its end. */
export interface ReadRecords {
  readonly at: { readonly seq: number; readonly chain: string };
  readonly damage?: string;
}

/**
 * Reads the records of a session up to its end, or to the first one that is not as it was written.
 * Changes nothing.
 */
export async function readRecords(
  store: SessionStore,
  id: string,
  take: (record: SessionRecord, seq: number, chain: string) => void,
): Promise<ReadRecords> {
  let at = { seq: 0, chain: "" };
  try {
    for await (const { seq, body, chain } of store.read(id)) {
      if (seq !== at.seq + 1) return { at, damage: `record ${at.seq + 1} is missing` };
      if (nextChain(at.chain, body) !== chain) return { at, damage: "it is not as it was written" };
      const record = parseRecord(body); // of a newer skep's kind: it is kept, and says nothing to us
      at = { seq, chain };
      if (record !== undefined) take(record, seq, chain);
    }
  } catch (error) {
    if (isSkepError(error, "STORE_FAILED") && !/is damaged$/.test(error.message)) throw error;
    return { at, damage: messageOf(error) };
  }
  return { at };
}
