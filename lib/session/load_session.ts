import { messageOf } from "../errors.ts";
import { type Damage, damageInWords, goodRecords } from "./good_records.ts";
import type { SessionRecord } from "./session_record.ts";
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
  let damage: Damage | undefined;
  for await (const { stored, record } of goodRecords(store, id, (found) => damage = found)) {
    const { seq, chain } = stored;
    try {
      if (record !== undefined) state.take(record);
    } catch (error) {
      damage = { seq, why: messageOf(error) }; // it does not fit those before it
      break;
    }
    if (record !== undefined) onRecord(record);
    at = { seq, chain };
  }
  if (damage === undefined) return { state, at, notices: [] };
  const rest = store.isReadOnly ? "" : `; the rest is put aside in ${store.place}`;
  if (!store.isReadOnly) await store.cut(id, damage.seq);
  const notice = `${
    damageInWords(id, damage)
  }: it goes on from the ${at.seq} good ones before${rest}`;
  return { state, at, notices: [notice] };
}
