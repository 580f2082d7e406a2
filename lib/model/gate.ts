import type { Host } from "../host/host.ts";

/** How much one provider is asked at once; an absent bound is none. */
export interface GateLimits {
  readonly concurrent?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** What a gate takes of the world. */
export type GateWorld = Pick<Host, "nowMs" | "sleep">;

/** A place in a gate's line. */
export interface Place {
  /** How many requests are before this one, as it was taken; 0 when it may go at once. */
  readonly position: number;
  /** Resolves when the request may go. Rejects with the signal's reason when that is aborted first. */
  readonly ready: Promise<void>;
  /** Gives the place up, whether the request went or not. `tokens` are what it took in truth. */
  leave(tokens?: number): void;
}

interface Waiting {
  readonly who: unknown;
  readonly tokens: number;
  readonly start: () => void;
}

interface Started {
  readonly atMs: number;
  tokens: number;
}

const MINUTE_MS = 60_000;

/**
 * Lets requests to one provider go within its limits, fairly: next is whoever has the fewest running,
 * of those whoever went the longest ago, so that a session that asks a lot does not hold up one that
 * asks a little. A provider that asks for a pause gets it from everybody.
 */
export class Gate {
  readonly #limits: GateLimits;
  readonly #world: GateWorld;
  readonly #line: Waiting[] = [];
  readonly #running = new Map<unknown, number>();
  readonly #turns = new Map<unknown, number>();
  #turn = 0;
  #started: Started[] = [];
  #pausedUntilMs = 0;
  #alarm: AbortController | undefined;

  constructor(limits: GateLimits, world: GateWorld) {
    this.#limits = limits;
    this.#world = world;
  }

  /**
   * Takes a place in the line.
   *
   * @param who Whose request it is, by identity.
   * @param tokens About how many tokens it takes.
   */
  enter(who: unknown, tokens: number, signal: AbortSignal): Place {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // whoever waits gets it; nobody has to
    let started: Started | undefined;
    let isOver = false;
    const entry: Waiting = {
      who,
      tokens,
      start: () => {
        started = this.#start(entry);
        resolve();
      },
    };
    const leave = (used?: number) => {
      signal.removeEventListener("abort", giveUp);
      if (isOver) return;
      isOver = true;
      const place = this.#line.indexOf(entry);
      if (place !== -1) this.#line.splice(place, 1);
      if (started !== undefined) this.#end(entry, started, used);
      this.#advance();
    };
    const giveUp = () => {
      reject(signal.reason);
      leave();
    };
    const ahead = this.#line.length;
    this.#line.push(entry);
    this.#advance();
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    return { position: started === undefined ? ahead + 1 : 0, ready: promise, leave };
  }

  /** Lets nobody go for so long. */
  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#world.nowMs() + ms);
  }

  #start({ who, tokens }: Waiting): Started {
    const started = { atMs: this.#world.nowMs(), tokens };
    this.#started.push(started);
    this.#running.set(who, (this.#running.get(who) ?? 0) + 1);
    this.#turns.set(who, ++this.#turn);
    return started;
  }

  #end({ who }: Waiting, started: Started, used: number | undefined): void {
    started.tokens = used ?? started.tokens;
    const left = (this.#running.get(who) ?? 1) - 1;
    if (left > 0) return void this.#running.set(who, left);
    this.#running.delete(who);
    // Who has nothing running and nothing waiting is forgotten: sessions come and go.
    if (!this.#line.some((waiting) => waiting.who === who)) this.#turns.delete(who);
  }

  /** Lets go whoever may, and wakes up again when time alone will let the next one. */
  #advance(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined) return this.#alarm?.abort();
      const waitMs = this.#waitMs(next.tokens);
      if (waitMs === Infinity) return; // for somebody to end
      if (waitMs > 0) return this.#wake(waitMs);
      this.#line.splice(this.#line.indexOf(next), 1);
      next.start();
    }
  }

  #next(): Waiting | undefined {
    const rank = ({ who }: Waiting) => [this.#running.get(who) ?? 0, this.#turns.get(who) ?? 0];
    return this.#line.toSorted((a, b) => {
      const [x, y] = [rank(a), rank(b)];
      return x[0]! - y[0]! || x[1]! - y[1]!;
    })[0];
  }

  /** How long the next request has to wait: 0 to go, `Infinity` until another one ends. */
  #waitMs(tokens: number): number {
    const { concurrent = Infinity, requestsPerMinute, tokensPerMinute } = this.#limits;
    const running = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (running >= concurrent) return Infinity;
    const now = this.#world.nowMs();
    this.#started = this.#started.filter(({ atMs }) => atMs > now - MINUTE_MS);
    const waits = [this.#pausedUntilMs - now];
    if (requestsPerMinute !== undefined && this.#started.length >= requestsPerMinute) {
      waits.push(this.#started.at(-requestsPerMinute)!.atMs + MINUTE_MS - now);
    }
    if (tokensPerMinute !== undefined) waits.push(this.#tokenWaitMs(tokens, tokensPerMinute, now));
    return Math.max(0, ...waits);
  }

  /** A request over the limit by itself goes when nothing else is counted. */
  #tokenWaitMs(tokens: number, most: number, now: number): number {
    let sum = this.#started.reduce((all, started) => all + started.tokens, 0);
    for (const started of this.#started) {
      if (sum + tokens <= most) return 0;
      sum -= started.tokens;
      if (sum + tokens <= most || sum === 0) return started.atMs + MINUTE_MS - now;
    }
    return 0;
  }

  #wake(ms: number): void {
    this.#alarm?.abort();
    const alarm = this.#alarm = new AbortController();
    this.#world.sleep(ms, alarm.signal).then(() => this.#advance(), () => {}); // another alarm was set
  }
}

/** The gates of all providers of a process: sessions that ask the same one share its gate. */
export class Gates {
  readonly #gates = new Map<string, Gate>();

  /** The gate of a provider; undefined when it has no limits. */
  of(provider: string, limits: GateLimits | undefined, world: GateWorld): Gate | undefined {
    if (limits === undefined || Object.keys(limits).length === 0) return undefined;
    const gate = this.#gates.get(provider) ?? new Gate(limits, world);
    this.#gates.set(provider, gate);
    return gate;
  }
}
