import type { Host } from "../host/host.ts";

/** A clock for unit tests: time passes when the test says so. */
export class TestClock implements Pick<Host, "nowMs" | "sleep"> {
  #nowMs = 0;
  readonly #sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();

  readonly nowMs = (): number => this.#nowMs;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { untilMs: this.#nowMs + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal?.addEventListener("abort", () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason);
    }, { once: true });
    return promise;
  };

  /** How many wait. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Lets `ms` pass, and what waited for it go on until it waits again. */
  async pass(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.untilMs > this.#nowMs) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settle();
  }
}

/** Lets all that can go on without time passing do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
