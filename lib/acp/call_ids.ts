/** What the model asked for with a call. */
export interface AskedCall {
  /** The qualified name, `server__tool`. */
  readonly tool: string;
  /** Undefined when its arguments are no object. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Ids of a session's calls, as the client knows them. A model may give one id again in a later turn
 * (`call_1`); the client would take that for news of the old call, so it gets a number behind it.
 */
export class CallIds {
  readonly #uses = new Map<string, number>();
  readonly #asked = new Map<string, AskedCall>();

  /** The id of a call that begins. */
  begin(callId: string, asked: AskedCall): string {
    this.#uses.set(callId, (this.#uses.get(callId) ?? 0) + 1);
    this.#asked.set(callId, asked);
    return this.of(callId);
  }

  /** The id of the call that began last under this id. */
  of(callId: string): string {
    const uses = this.#uses.get(callId) ?? 1;
    return uses === 1 ? callId : `${callId}#${uses}`;
  }

  /** What was asked for with a call that ends; undefined for one that never began, or ended already. */
  end(callId: string): AskedCall | undefined {
    const asked = this.#asked.get(callId);
    this.#asked.delete(callId);
    return asked;
  }
}
