import type { TurnStop } from "../turn/update.ts";

/** The turns of a session, one after another. */
export class TurnLine {
  /** What cancels each turn that runs or waits. */
  readonly #turns: AbortController[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** True while a turn runs or waits. */
  get isBusy(): boolean {
    return this.#turns.length > 0;
  }

  /** Turns that were not cancelled: the one that runs and those behind it. */
  get length(): number {
    return this.#turns.filter(({ signal }) => !signal.aborted).length;
  }

  /**
   * Runs a turn as soon as those before it have ended, however they did. One that is cancelled before
   * its time never begins.
   *
   * @param caller Cancels this turn alone.
   */
  async run(
    turn: (signal: AbortSignal) => Promise<TurnStop>,
    caller?: AbortSignal,
  ): Promise<TurnStop> {
    const cancel = new AbortController();
    const leave = () => cancel.abort();
    if (caller?.aborted) leave();
    caller?.addEventListener("abort", leave);
    const { signal } = cancel;
    this.#turns.push(cancel);
    const before = this.#last;
    const ended = before.then(() => signal.aborted ? "cancelled" : turn(signal)).finally(() => {
      caller?.removeEventListener("abort", leave);
      this.#turns.splice(this.#turns.indexOf(cancel), 1);
    });
    this.#last = ended.catch(() => {}); // its error goes to whoever asked for the turn
    return await ended;
  }

  /** Cancels the turn that runs and those that wait. */
  cancel(): void {
    for (const cancel of this.#turns) cancel.abort();
  }

  /** Resolves when no turn is left of those that are there now. */
  async ended(): Promise<void> {
    await this.#last;
  }
}
