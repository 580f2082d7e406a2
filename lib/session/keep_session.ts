import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { ExactRedactor } from "../sandbox/redact.ts";
import { VERSION } from "../version.ts";
import { cutTitle, Journal } from "./journal.ts";
import { loadSession } from "./load_session.ts";
import { newId } from "./new_id.ts";
import { SessionState } from "./session_state.ts";
import type { SessionInfo, SessionStore } from "./store.ts";
import { storeFailed } from "./store_failed.ts";

/** A session that outlives its program. */
export interface KeptSession {
  readonly id: string;
  /** What lists call it; empty before a prompt names it. */
  readonly title: string;
  /** What it was before. */
  readonly state: SessionState;
  readonly journal: Journal;
  readonly store: SessionStore;
}

/** How a session is kept. */
export interface KeepOptions {
  readonly store: SessionStore;
  /** Goes on with a kept session; absent: a new one, which is made with its first record. */
  readonly resume?: { readonly id: string; readonly isFork?: boolean };
  readonly facts: Pick<SessionInfo, "cwd" | "persona" | "model">;
  /** What lists call a new one; absent: its first prompt names it. */
  readonly title?: string;
  /** The client's own system prompt, if it gives one. */
  readonly system?: string;
  readonly redact: ExactRedactor;
  readonly limits: Pick<Limits, "draftMs">;
  readonly world: Pick<Host, "nowMs">;
  /** Takes what lies beside the records of a session over to a copy of it. */
  readonly copyArtifacts: (from: string, to: string) => Promise<void>;
  readonly onNotice: (text: string) => void;
}

/**
 * Begins a kept session, or goes on with one: what the end of its program left open is settled, and said
 * in its records.
 *
 * @throws {SkepError} `SESSION_UNKNOWN`, `STORE_FAILED`.
 */
export async function keepSession(options: KeepOptions): Promise<KeptSession> {
  return options.resume === undefined ? begin(options) : await goOn(options, options.resume);
}

function begin({ store, facts, system, world, ...options }: KeepOptions): KeptSession {
  const id = newId("ses");
  const now = world.nowMs();
  const title = cutTitle(options.title ?? "", options.redact);
  const info = { id, ...facts, title, createdMs: now, updatedMs: now, turns: 0, records: 0 };
  const journal = new Journal(id, {
    ...{ store, world, at: { seq: 0, chain: "" }, redact: options.redact, limits: options.limits },
    begin: () => store.create({ ...info, usage: {} }),
    onUnkept: (reason) => options.onNotice(unkept(reason)),
    onFork: forker(id, options),
  });
  const { cwd, persona } = facts;
  const own = system === undefined ? {} : { system };
  journal.prepend({ type: "opened", skep: VERSION, cwd, persona, ...own });
  return { id, title, state: new SessionState(), journal, store };
}

async function goOn(
  { store, redact, limits, world, system, ...options }: KeepOptions,
  { id: from, isFork = false }: NonNullable<KeepOptions["resume"]>,
): Promise<KeptSession> {
  const info = await store.info(from);
  if (info === undefined) {
    const message = `There is no session "${from}" in ${store.place}`;
    throw new SkepError("SESSION_UNKNOWN", message, { sessionId: from });
  }
  const drafted = await store.drafted(from);
  const id = isFork ? newId("ses") : from;
  const { isReadOnly } = store;
  if (isFork && !isReadOnly) {
    await store.fork(from, id);
    await options.copyArtifacts(from, id);
  }
  const { state, at, notices } = await loadSession(store, isReadOnly ? from : id);
  notices.forEach(options.onNotice);
  const refuse = () => Promise.reject(storeFailed(store.place, new Error("a readonly database")));
  if (isReadOnly) await refuse().catch((error) => options.onNotice(unkept(messageOf(error), true)));
  const { turns, usage, model } = state;
  const facts = { turns, usage, ...(model === undefined ? {} : { model }) };
  const journal = new Journal(id, {
    store,
    at,
    facts,
    redact,
    limits,
    world,
    onFork: forker(id, options),
    ...(isReadOnly ? { begin: refuse, onUnkept: () => {}, isThere: !isFork } : {}),
  });
  for (const record of state.repairs(drafted)) {
    state.take(record);
    await journal.append(record);
  }
  const isOther = system !== undefined && system !== state.system;
  // Its facts in the store may count what was damaged since.
  journal.prepend({ type: "opened", skep: VERSION, ...(isOther ? { system } : {}) }, facts);
  return { id, title: info.title, state, journal, store };
}

/** What a person is told of a session that the store does not take, or nothing more of. */
export function unkept(reason: string, isResumed = false): string {
  return `${
    isResumed ? "What is said here from now on" : "This session"
  } will not be kept: ${reason}`;
}

function forker(
  from: string,
  { copyArtifacts, onNotice }: Pick<KeepOptions, "copyArtifacts" | "onNotice">,
): (fork: string, notice: string) => Promise<void> {
  return async (fork, notice) => {
    await copyArtifacts(from, fork);
    onNotice(notice);
  };
}
