import { join } from "@std/path";
import { DEFAULT_LIMITS } from "../limits.ts";
import { denoFiles } from "../host/files.ts";
import { openStore } from "./open_store.ts";
import type { SessionInfo, SessionStore, StoredRecord } from "./store.ts";
import { nextChain } from "./chain.ts";

/** A store in a folder that a test owns, and what it warned of. */
export interface TestStore {
  readonly store: SessionStore;
  readonly folder: string;
  readonly warnings: string[];
}

/** Opens the store in a folder, a real one on the disk. */
export async function testStore(folder: string, busyMs = 5000): Promise<TestStore> {
  const warnings: string[] = [];
  const world = {
    files: denoFiles(),
    nowMs: () => 1_000_000,
    warn: (t: string) => warnings.push(t),
  };
  const limits = { ...DEFAULT_LIMITS, storeBusyMs: busyMs };
  const store = await openStore(folder, world, limits);
  return { store, folder, warnings };
}

/** The path of a store's database. */
export function databaseOf(folder: string): string {
  return join(folder, "sessions.db");
}

/** Facts of a session that has nothing in it yet. */
export function emptySession(id: string, more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    ...{ id, cwd: "/work", title: "", persona: "guide", model: "m", createdMs: 1, updatedMs: 1 },
    ...{ turns: 0, records: 0, usage: {}, ...more },
  };
}

/** Records with these bodies, as a journal would write them. */
export function chained(bodies: readonly string[]): (StoredRecord & { readonly after: string })[] {
  let after = "";
  return bodies.map((body, index) => {
    const chain = nextChain(after, body);
    const record = { seq: index + 1, atMs: 10 + index, body, chain, after };
    after = chain;
    return record;
  });
}

/** Appends records with these bodies to a session that has none. */
export async function fill(
  store: SessionStore,
  id: string,
  bodies: readonly string[],
): Promise<void> {
  for (const { after, ...record } of chained(bodies)) {
    await store.append(id, record, { after, isDurable: false, endsDraft: true });
  }
}
