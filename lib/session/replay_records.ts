import { messageOf } from "../errors.ts";
import { isObject } from "../mcp/message.ts";
import type { CallResult } from "../mcp/registry.ts";
import { type Damage, goodRecords } from "./good_records.ts";
import { replayMessage } from "./replay_history.ts";
import type { Replayed } from "./session.ts";
import type { SessionRecord } from "./session_record.ts";
import { SessionState } from "./session_state.ts";
import type { SessionStore } from "./store.ts";

/**
 * What a kept session shows a person: all that was said and done, whatever of it was compacted since,
 * without what was for the model alone, and last what it took so far. Of a damaged one what is good is shown.
 *
 * @throws {SkepError} `STORE_FAILED`.
 */
export async function* replayRecords(
  store: SessionStore,
  id: string,
  onDamage: (damage: Damage) => void = () => {},
): AsyncGenerator<Replayed> {
  const state = new SessionState();
  const structured = new Map<string, NonNullable<CallResult["structured"]>>();
  let last: Extract<SessionRecord, { type: "usage" }> | undefined;
  for await (const { stored, record } of goodRecords(store, id, onDamage)) {
    if (record === undefined) continue;
    try {
      state.take(record);
    } catch (error) {
      return onDamage({ seq: stored.seq, why: messageOf(error) });
    }
    if (record.type === "usage" && record.purpose === "turn") last = record;
    const isShown = record.type === "prompt" || record.type === "answers" ||
      (record.type === "message" && record.isHidden !== true);
    if (record.type === "stop" && record.stop !== "end_turn") {
      const { stop, error } = record;
      yield { type: "stopped", stop, ...(error === undefined ? {} : { error }) };
    }
    takeStructured(structured, record);
    if (!isShown) continue;
    const message = state.history.at(-1)!;
    yield* replayMessage(message, `${id}-${stored.seq}`, structured);
    if (message.role === "assistant" || message.role === "tool") structured.clear();
  }
  if (last === undefined) return;
  yield { type: "usage", round: last.usage, session: state.usage, model: last.model };
}

/** What counts is the result that joins the history: a later one, or another one in `answers`, takes its place. */
function takeStructured(
  structured: Map<string, NonNullable<CallResult["structured"]>>,
  record: SessionRecord,
): void {
  if (record.type === "result") {
    const { result: { callId }, structured: given } = record;
    structured.delete(callId);
    if (isObject(given)) structured.set(callId, given);
  } else if (record.type === "answers") {
    for (const given of record.results) {
      if ("content" in given) structured.delete(given.callId);
    }
  }
}
