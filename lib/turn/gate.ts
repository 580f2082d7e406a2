/** Lets at most `places` tasks run at once; the others wait in their order. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places Tasks that may run at once. */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `task` as soon as there is a place for it. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next(); // the place goes from hand to hand
    }
  }
}
