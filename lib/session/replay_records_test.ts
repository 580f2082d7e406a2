import { assertEquals } from "@std/assert";
import { replayRecords } from "./replay_records.ts";
import type { SessionRecord } from "./session_record.ts";
import { emptySession, fill, testStore } from "./test_store.ts";

const ID = "ses_0123456789abcdef";

Deno.test("a session that was loaded again had no usage: the last round's stands behind what was said", async () => {
  const folder = await Deno.makeTempDir({ prefix: "skep-replay-" });
  const { store } = await testStore(folder);
  try {
    const content = [{ type: "text", text: "one" }] as const;
    const usage = (inputTokens: number, purpose: "turn" | "summary"): SessionRecord => ({
      ...{ type: "usage", model: "test:model", purpose },
      usage: { inputTokens },
    });
    const records: SessionRecord[] = [
      { type: "prompt", turn: "run_1", content },
      usage(10, "turn"),
      usage(20, "turn"),
      usage(5, "summary"),
      { type: "stop", stop: "end_turn" },
      { type: "prompt", turn: "run_2", content },
      { type: "stop", stop: "failed", error: "the key was refused" },
      { type: "prompt", turn: "run_3", content },
      { type: "stop", stop: "cancelled" },
    ];
    await store.create(emptySession(ID));
    await fill(store, ID, records.map((record) => JSON.stringify(record)));
    assertEquals(await Array.fromAsync(replayRecords(store, ID)), [
      { type: "prompt", content },
      { type: "prompt", content },
      { type: "stopped", stop: "failed", error: "the key was refused" },
      { type: "prompt", content },
      { type: "stopped", stop: "cancelled" },
      {
        type: "usage",
        round: { inputTokens: 20 },
        session: { inputTokens: 35 },
        model: "test:model",
      },
    ]);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});
