import type { Remote } from "./remote.ts";
import { RemoteError } from "./remote_error.ts";
import type { Json } from "./rpc.ts";

/** How a server answers that does not take messages at its address, as the specification has it. */
const NOT_THERE: readonly (number | undefined)[] = [400, 404, 405];

/**
 * A server of which nobody said how it is spoken to: streamable HTTP first, and the older way when the server
 * does not take `initialize` like that.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export class EitherWay implements Remote {
  readonly ended: Promise<string>;
  readonly #older: () => Remote;
  readonly #end = Promise.withResolvers<string>();
  #remote: Remote;
  #isSettled = false;

  constructor(newer: Remote, older: () => Remote) {
    this.#remote = newer;
    this.#older = older;
    this.ended = this.#end.promise;
  }

  async deliver(message: Json, signal: AbortSignal): Promise<void> {
    if (message.method !== "initialize" || this.#isSettled) {
      return await this.#remote.deliver(message, signal);
    }
    try {
      await this.#remote.deliver(message, signal);
    } catch (error) {
      if (!(error instanceof RemoteError) || !NOT_THERE.includes(error.status)) throw error;
      await this.#remote.close();
      const older = this.#older();
      this.#remote = older;
      // What the first answer said is the better reason when the other way leads nowhere.
      await older.deliver(message, signal).catch(() => Promise.reject(error));
      older.ended.then(this.#end.resolve);
    }
    this.#isSettled = true;
  }

  close(): Promise<void> {
    return this.#remote.close();
  }
}
