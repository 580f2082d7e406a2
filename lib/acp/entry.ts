import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Effort } from "../model/effort.ts";
import type { Session, SessionRequest } from "../session/session.ts";
import { CallIds } from "./call_ids.ts";
import { CompactionIds } from "./compaction_update.ts";

/** What is known of a session while it rests, too. */
export type SessionFacts = Pick<
  Session,
  "id" | "cwd" | "notices" | "modelId" | "modelFacts" | "mode"
>;

/** How a session rests, and wakes. */
export interface RestOptions {
  /** Opens it again, as it was. @throws what opening throws. */
  readonly wake: (request: SessionRequest, before: SessionFacts) => Promise<Session>;
  /** Told of what a person must know of a session that woke. */
  readonly onNotice: (text: string) => void;
  readonly limits: Pick<Limits, "idleSessionS">;
  readonly world: Pick<Host, "sleep" | "warn">;
}

/**
 * A session of a connection, and what its client was told of it. One that nobody used for a while rests:
 * its servers and its history are let go of, and are there again when it is needed.
 */
export class Entry {
  readonly callIds = new CallIds();
  readonly compactionIds = new CompactionIds();
  /** What the person chose for every model; undefined: as the settings have it. */
  effort: Effort | undefined;
  /** The name by which lists show it, once it has one. */
  title: string | undefined;
  /** It has what is kept nowhere, such as servers that its client added: it never rests. */
  staysAwake = false;
  /** The commands as its client was told of them. */
  commands = "";
  readonly #windows = new Map<string, number>();
  readonly #request: SessionRequest;
  readonly #rest: RestOptions;
  readonly #told: Set<string>;
  #live: Session | undefined;
  #facts: SessionFacts;
  #resting: Promise<void> | undefined;
  #waking: { readonly session: Promise<Session>; readonly cancel: AbortController } | undefined;
  #nap = new AbortController();
  #hasEnded = false;

  /** @param request What opens it again. */
  constructor(session: Session, request: SessionRequest, rest: RestOptions) {
    this.#live = session;
    this.#facts = session;
    this.#request = request;
    this.#rest = rest;
    this.#told = new Set(session.notices);
    if (rest.limits.idleSessionS > 0) this.#watch();
  }

  /** The session's folder as its client knows it, where that goes through a link. */
  get namedCwd(): string | undefined {
    return this.#request.namedCwd;
  }

  /** What is known of the session. */
  get session(): SessionFacts {
    return this.#facts;
  }

  /** The session; undefined while it rests. */
  get live(): Session | undefined {
    return this.#live;
  }

  /** It rested, and is on its way to what was asked of it. */
  get isWaking(): boolean {
    return this.#waking !== undefined;
  }

  /** Tokens that a model's context holds; undefined when that is not known. A turn may end on an earlier model. */
  contextTokens(model: string): number | undefined {
    const { modelId, modelFacts } = this.session;
    if (modelFacts !== undefined) this.#windows.set(modelId, modelFacts.contextTokens);
    return this.#windows.get(model);
  }

  /** The session, woken when it rests. @throws {SkepError} `CANCELLED`, and what opening throws. */
  async awake(signal?: AbortSignal): Promise<Session> {
    this.touch();
    if (this.#live !== undefined) return this.#live;
    if (this.#waking === undefined) {
      const cancel = new AbortController();
      const session = this.#wake(cancel.signal).finally(() => this.#waking = undefined);
      this.#waking = { session, cancel };
    }
    const { session, cancel } = this.#waking;
    const leave = () => cancel.abort();
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave);
    return await session.finally(() => signal?.removeEventListener("abort", leave));
  }

  /** It is in use: it rests only when it was not for a while from now on. */
  touch(): void {
    this.#nap.abort();
  }

  /** Cancels what runs, and what waits for it to wake. */
  cancel(): void {
    this.#live?.cancel();
    this.#waking?.cancel.abort();
  }

  /** Lets go of it for good. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.touch();
    this.#waking?.cancel.abort();
    await Promise.allSettled([this.#resting, this.#waking?.session]);
    await this.#live?.close();
  }

  async #watch(): Promise<void> {
    const { limits, world } = this.#rest;
    while (!this.#hasEnded && this.#live !== undefined) {
      this.#nap = new AbortController();
      try {
        await world.sleep(limits.idleSessionS * 1000, this.#nap.signal);
      } catch {
        continue; // it was used
      }
      if (this.#hasEnded || this.staysAwake || this.#live.isRunning) continue;
      this.#resting = this.#letGo(this.#live);
      await this.#resting;
      this.#resting = undefined;
    }
  }

  async #letGo(session: Session): Promise<void> {
    const { id, cwd, notices, modelId, modelFacts, mode } = session;
    this.#live = undefined;
    let isAtRest = false;
    try {
      isAtRest = await session.rest();
    } catch (error) {
      this.#rest.world.warn(`Session ${id} cannot rest: ${messageOf(error)}`);
    }
    if (isAtRest) this.#facts = { id, cwd, notices, modelId, modelFacts, mode };
    else this.#live = session;
  }

  async #wake(cancelled: AbortSignal): Promise<Session> {
    await this.#resting;
    if (this.#live !== undefined && !cancelled.aborted) return this.#live;
    this.#checkWanted(cancelled);
    const resume = { id: this.#facts.id };
    const request = { ...this.#request, resume, signal: cancelled };
    const session = await this.#rest.wake(request, this.#facts);
    if (cancelled.aborted) {
      await session.close();
      this.#checkWanted(cancelled);
    }
    this.#live = session;
    this.#facts = session;
    for (const text of session.notices) {
      if (!this.#told.has(text)) this.#rest.onNotice(text);
      this.#told.add(text);
    }
    this.#watch();
    return session;
  }

  #checkWanted({ aborted }: AbortSignal): void {
    if (!aborted && !this.#hasEnded) return;
    const message = `Session ${this.#facts.id} was not woken: it was cancelled`;
    throw new SkepError("CANCELLED", message, {});
  }
}
