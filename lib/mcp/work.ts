/** What a registry does: changes one after another, and what nobody waits for before the end. */
export class Work {
  /** The change that is under way. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #behind = new Set<Promise<void>>();

  /** Runs a change behind those before it, so that it finds the servers as they left them. */
  change<T>(run: () => Promise<T>): Promise<T> {
    const change = this.#changing.catch(() => {}).then(run);
    this.#changing = change;
    return change;
  }

  /** Does something that nobody waits for before the end. */
  behind(work: Promise<void>): void {
    const tracked = work.finally(() => this.#behind.delete(tracked));
    this.#behind.add(tracked);
  }

  /** Resolves when the changes are done, well or not: whoever asked for one is told. */
  async changes(): Promise<void> {
    await this.#changing.catch(() => {});
  }

  /** Resolves when all that nobody waited for is done. */
  async rest(): Promise<void> {
    await Promise.all(this.#behind);
  }
}
