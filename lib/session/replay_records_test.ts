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

Deno.test("what a call gave for programs was lost when its session was loaded: it goes with the result that counts", async () => {
  const folder = await Deno.makeTempDir({ prefix: "skep-replay-" });
  const { store } = await testStore(folder);
  const result = (callId: string, said: string) => ({
    callId,
    name: "s__t",
    isError: false,
    content: [{ type: "text", text: said }] as const,
  });
  const call = (id: string) => ({ type: "call", id, name: "s__t", input: "{}" }) as const;
  const ids = ["kept", "older", "replaced", "other", "odd"];
  const records: SessionRecord[] = [
    { type: "message", message: { role: "assistant", content: ids.map(call) } },
    { type: "result", result: result("kept", "1"), structured: { n: 1 } },
    { type: "result", result: result("older", "2") },
    { type: "result", result: result("replaced", "3"), structured: { n: 3 } },
    { type: "result", result: result("replaced", "a hook's word") },
    { type: "result", result: result("other", "4"), structured: { n: 4 } },
    // As a file that was imported may have it.
    { type: "result", result: result("odd", "5"), structured: ["5"] as never },
    {
      type: "answers",
      results: ids.map((callId) =>
        callId === "other" ? result(callId, "cancelled") : { callId, note: "n" }
      ),
    },
    // Ids come again in a later round.
    { type: "message", message: { role: "assistant", content: [call("kept")] } },
    { type: "result", result: result("kept", "6") },
    { type: "answers", results: [{ callId: "kept" }] },
    // A program that ended before its answers were written: who opened the session again wrote them.
    { type: "message", message: { role: "assistant", content: [call("c9")] } },
    { type: "result", result: result("c9", "7"), structured: { n: 7 } },
    { type: "message", message: { role: "tool", results: [result("c9", "7")] } },
  ];
  try {
    await store.create(emptySession(ID));
    await fill(store, ID, records.map((record) => JSON.stringify(record)));
    const shown = await Array.fromAsync(replayRecords(store, ID));
    const ends = shown.flatMap((each) =>
      each.type === "call_ended" ? [[each.callId, each.result.structured]] : []
    );
    assertEquals(ends, [
      ["kept", { n: 1 }],
      ["older", undefined],
      ["replaced", undefined],
      ["other", undefined],
      ["odd", undefined],
      ["kept", undefined],
      ["c9", { n: 7 }],
    ]);
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});
