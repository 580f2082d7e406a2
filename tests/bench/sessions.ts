import { DEFAULT_LIMITS } from "../../lib/limits.ts";
import { denoFiles } from "../../lib/host/files.ts";
import type { Message } from "../../lib/model/message.ts";
import { redactor } from "../../lib/sandbox/redact.ts";
import { ContextGauge } from "../../lib/session/context_gauge.ts";
import { Journal } from "../../lib/session/journal.ts";
import { loadSession } from "../../lib/session/load_session.ts";
import { openStore } from "../../lib/session/open_store.ts";
import type { SessionRecord } from "../../lib/session/session_record.ts";
import type { SessionStore } from "../../lib/session/store.ts";
import { type Measurement, median } from "./measurement.ts";

const SESSION = {
  ...{ cwd: "/work", title: "", persona: "guide", model: "m", createdMs: 1, updatedMs: 1 },
  ...{ turns: 0, records: 0, usage: {} },
};

/** What keeping a session costs: one record, a session of 50 MB, and the look before each request. */
export async function sessions(): Promise<Measurement[]> {
  const folder = await Deno.makeTempDir({ prefix: "skep-bench-" });
  const world = { files: denoFiles(), nowMs: () => Date.now(), warn: () => {} };
  const store = await openStore(`${folder}/sessions`, world, DEFAULT_LIMITS);
  try {
    const journal = await newJournal(store, "ses_append");
    const quick = await appends(journal, { type: "message", message: said(200) }, 500);
    const durable = await appends(journal, { type: "stop", stop: "end_turn" }, 100);
    const file = await fsyncs(`${folder}/file`, 100);
    const large = await newJournal(store, "ses_large");
    for (let index = 0; index < 2500; index++) {
      await large.append({ type: "message", message: said(20_000) });
    }
    const start = performance.now();
    await loadSession(store, "ses_large");
    const load = performance.now() - start;
    const short = { what: "the same of 10 messages", value: look(10) };
    return [
      { what: "a record in the journal", value: quick, unit: "ms" },
      {
        ...{ what: "a record that is on the disk", value: durable, unit: "ms" },
        base: { what: "1 KB in a file, synced", value: file },
      },
      { what: "load of a session of 50 MB", value: load, unit: "ms" },
      { what: "gate of a round, 100,000 messages", value: look(100_000), unit: "ms", base: short },
    ];
  } finally {
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function newJournal(store: SessionStore, id: string): Promise<Journal> {
  await store.create({ ...SESSION, id });
  return new Journal(id, {
    store,
    at: { seq: 0, chain: "" },
    redact: redactor([]),
    limits: DEFAULT_LIMITS,
    world: { nowMs: () => Date.now() },
    onFork: () => Promise.resolve(),
  });
}

async function appends(journal: Journal, record: SessionRecord, runs: number): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await journal.append(record);
    times.push(performance.now() - start);
  }
  return median(times);
}

async function fsyncs(path: string, runs: number): Promise<number> {
  using file = await Deno.open(path, { create: true, append: true });
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await file.write(new Uint8Array(1024));
    await file.syncData();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** A round adds two messages to a history that was looked at before. */
function look(messages: number): number {
  const history = Array.from({ length: messages }, () => said(200));
  const gauge = new ContextGauge(history);
  const along = { system: "s", tools: [] };
  gauge.measure(along);
  const times = Array.from({ length: 200 }, () => {
    history.push(said(200), said(200));
    const start = performance.now();
    gauge.measure(along);
    return performance.now() - start;
  });
  return median(times);
}

function said(bytes: number): Message {
  return { role: "user", content: [{ type: "text", text: "x".repeat(bytes) }] };
}
