import type { Host } from "../host/host.ts";

/**
 * Gives one request up when its time is over or its caller leaves, and tells the two apart. The
 * signal is the request's own: it is never aborted once the deadline was disposed of, so a caller
 * that leaves later cancels nothing that is over.
 *
 * @example
 * ```ts
 * import { Deadline } from "./deadline.ts";
 *
 * const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
 * using deadline = new Deadline(1, new AbortController().signal, sleep);
 * await sleep(20);
 * if (!deadline.isLate || !deadline.signal.aborted) throw new Error("it is not over");
 * ```
 */
export class Deadline implements Disposable {
  readonly #ms: number;
  readonly #caller: AbortSignal;
  readonly #sleep: Host["sleep"];
  readonly #request = new AbortController();
  #timer = new AbortController();
  #isLate = false;

  /** @param ms The time from now, or from the last {@linkcode Deadline.extend}. */
  constructor(ms: number, caller: AbortSignal, sleep: Host["sleep"]) {
    this.#ms = ms;
    this.#caller = caller;
    this.#sleep = sleep;
    if (caller.aborted) this.#leave();
    caller.addEventListener("abort", this.#leave);
    this.extend();
  }

  /** Aborted when the time is over or the caller left; its reason is a few words. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** True when the time was over first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Starts the time anew. */
  extend(): void {
    this.#timer.abort();
    if (this.signal.aborted) return;
    this.#timer = new AbortController();
    this.#sleep(this.#ms, this.#timer.signal).then(this.#expire, () => {}); // stopped, so not late
  }

  /** Stops the time until it is started anew. */
  pause(): void {
    this.#timer.abort();
  }

  [Symbol.dispose](): void {
    this.#timer.abort();
    this.#caller.removeEventListener("abort", this.#leave);
  }

  readonly #expire = (): void => {
    if (this.signal.aborted) return;
    this.#isLate = true;
    this.#request.abort(`no answer within ${this.#ms / 1000} s`);
  };

  readonly #leave = (): void => {
    this.#timer.abort();
    this.#request.abort("the caller left");
  };
}
