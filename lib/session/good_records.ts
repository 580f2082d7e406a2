import { isSkepError, messageOf } from "../errors.ts";
import { nextChain } from "./chain.ts";
import { parseRecord, type SessionRecord } from "./session_record.ts";
import type { SessionStore, StoredRecord } from "./store.ts";

/** Where a session is damaged. */
export interface Damage {
  /** The first record that is not good; what comes behind it is not read. */
  readonly seq: number;
  readonly why: string;
}

/** A record that is as it was written. */
export interface GoodRecord {
  readonly stored: StoredRecord;
  /** Undefined for one of a newer skep's kind: it is kept, and says nothing to us. */
  readonly record: SessionRecord | undefined;
}

/**
 * Reads the records of a session up to its end, or to the first one that is not as it was written. Changes
 * nothing.
 *
 * @throws {SkepError} `STORE_FAILED`.
 */
export async function* goodRecords(
  store: SessionStore,
  id: string,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<GoodRecord> {
  let [seq, chain] = [1, ""];
  const known = (await store.info(id))?.records ?? 0;
  try {
    for await (const stored of store.read(id)) {
      if (stored.seq !== seq) return onDamage({ seq, why: "it is missing" });
      if (nextChain(chain, stored.body) !== stored.chain) {
        return onDamage({ seq, why: "it is not as it was written" });
      }
      yield { stored, record: parseRecord(stored.body) };
      seq++;
      chain = stored.chain;
    }
    // Records that are lost at the end leave no gap: the session counts those it has.
    if (seq <= known && seq <= ((await store.info(id))?.records ?? 0)) {
      onDamage({
        seq,
        why: seq === known ? "it is missing" : `${known - seq + 1} records are missing`,
      });
    }
  } catch (error) {
    if (isSkepError(error, "STORE_FAILED") && !/is damaged$/.test(error.message)) throw error;
    onDamage({ seq, why: messageOf(error) });
  }
}

/** The damage of a session in words. */
export function damageInWords(id: string, { seq, why }: Damage): string {
  return `Session ${id} is damaged from record ${seq} on (${why})`;
}
