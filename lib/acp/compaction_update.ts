import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { type Compaction, compactionText } from "../turn/update.ts";

/** The ids by which a client knows a session's compactions: one runs at a time. */
export class CompactionIds {
  #running: string | undefined;

  /** The id of the compaction that an update is about; one that was not told to have begun has one too. */
  of({ state }: Compaction): string {
    const id = this.#running ?? `compaction-${crypto.randomUUID()}`;
    this.#running = state === "started" ? id : undefined;
    return id;
  }
}

/** A compaction for a client that shows them: what came of it as its summary, the counts as `_meta.skep`. */
export function toCompactionUpdate(compactionId: string, compaction: Compaction): SessionUpdate {
  const sessionUpdate = "compaction_update";
  switch (compaction.state) {
    case "started":
      return { sessionUpdate, compactionId, status: "in_progress" };
    case "done": {
      const { state: _, ...skep } = compaction;
      const text = compactionText(compaction) ?? "";
      const summary = [{ type: "text" as const, text }];
      return { sessionUpdate, compactionId, status: "completed", summary, _meta: { skep } };
    }
    case "failed":
      return { sessionUpdate, compactionId, status: "failed", error: compaction.reason };
    case "cancelled":
      return { sessionUpdate, compactionId, status: "cancelled" };
    default:
      return compaction satisfies never;
  }
}
