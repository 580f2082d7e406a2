/** What a server has to say before it is known whether its start counts. */
export class HeldNotices {
  readonly #onNotice: (text: string) => void;
  #held: string[] | undefined = [];

  constructor(onNotice: (text: string) => void) {
    this.#onNotice = onNotice;
  }

  take(text: string): void {
    if (this.#held === undefined) this.#onNotice(text);
    else this.#held.push(text);
  }

  release(): void {
    const texts = this.#held ?? [];
    this.#held = undefined;
    for (const text of texts) this.#onNotice(text);
  }
}
