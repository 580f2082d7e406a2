/** Lets work on one path follow other work on it; work on other paths runs beside it. */
export class PathLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all that was asked for this path before has ended, however it did. */
  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(path);
    const turn = (async () => {
      await before;
      return await work();
    })();
    const settled = turn.then(() => {}, () => {}); // its error goes to who asked
    this.#last.set(path, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(path) === settled) this.#last.delete(path);
    }
  }
}
