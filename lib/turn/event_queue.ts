/**
 * Events waited for one at a time by one reader, in the order in which they were pushed; urgent ones
 * come before all others.
 */
export class EventQueue<Event> {
  readonly #urgent: Event[] = [];
  readonly #events: Event[] = [];
  #wake: (() => void) | undefined;

  /** Adds an event and wakes the reader. */
  push(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Adds an event that no other may overtake. */
  pushUrgent(event: Event): void {
    this.#urgent.push(event);
    this.#wake?.();
  }

  /** The next event, as soon as there is one. */
  async next(): Promise<Event> {
    while (this.#urgent.length + this.#events.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#urgent.shift() ?? this.#events.shift()!;
  }
}
