import { replayMessage } from "./replay_history.ts";
import type { Replayed } from "./session.ts";
import { parseRecord } from "./session_record.ts";
import { SessionState } from "./session_state.ts";
import type { SessionStore } from "./store.ts";

/**
 * What a kept session shows a person: all that was said and done, whatever of it was compacted since,
 * without what was for the model alone.
 */
export async function* replayRecords(store: SessionStore, id: string): AsyncGenerator<Replayed> {
  const state = new SessionState();
  for await (const { seq, body } of store.read(id)) {
    const record = parseRecord(body);
    if (record === undefined) continue;
    state.take(record);
    const isShown = record.type === "prompt" || record.type === "answers" ||
      (record.type === "message" && record.isHidden !== true);
    if (isShown) yield* replayMessage(state.history.at(-1)!, `${id}-${seq}`);
  }
}
