import { SkepError } from "../errors.ts";

/** The turns that may run at once: those beyond wait, and begin in the order in which they came. */
export class TurnSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /**
   * Waits for a slot; it is free again when what this gives is disposed of.
   *
   * @param onWait Called when none is free.
   * @throws {SkepError} `CANCELLED`.
   */
  async take(signal: AbortSignal, onWait: () => void = () => {}): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else {
      onWait();
      await this.#turn(signal);
    }
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#give();
        isTaken = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(begin), 1);
      reject(new SkepError("CANCELLED", "The prompt was cancelled before its turn began", {}));
    };
    this.#waiting.push(begin);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return promise;
  }

  /** A slot goes from one turn to the next, so that nobody who comes meanwhile is before it. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
