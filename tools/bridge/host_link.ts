import { type Id, INTERNAL_ERROR, isObject, type Json } from "./rpc.ts";

/** Why the runtime did not do what it was asked, in its own words. */
export class Refused extends Error {}

/**
 * The way to whoever started the bridge: messages go out in order, each as one line of at most `limit`
 * bytes, and the bridge's own requests, which are none of the server's, get their answers here.
 */
export class HostLink {
  readonly #write: (text: string) => Promise<void>;
  readonly #limit: number;
  readonly #waiting = new Map<string, PromiseWithResolvers<Json>>();
  #last = Promise.resolve();

  /** @param write Sends one whole line. */
  constructor(write: (text: string) => Promise<void>, limit: number) {
    this.#write = write;
    this.#limit = limit;
  }

  /** Resolves when everything was written that was sent so far. */
  get flushed(): Promise<void> {
    return this.#last;
  }

  /** Sends a message. An answer that is too long becomes an error for its id. @returns false for one that is not sent. */
  send(message: Json): boolean {
    const line = lineOf(message);
    if (line.length <= this.#limit) return this.#put(line);
    if (message.method !== undefined) return false;
    const reason = `The server's answer takes ${line.length} bytes: the limit is ${this.#limit}`;
    this.fail(message.id as Id, reason);
    return true;
  }

  /** Answers a request with an error. */
  fail(id: Id, message: string, code = INTERNAL_ERROR): void {
    this.#put(lineOf({ id, error: { code, message } }));
  }

  /** Asks the runtime itself. @throws {Refused} */
  ask(method: string, params: Json): Promise<Json> {
    // Nobody else can have this id: the server's requests go the same way.
    const id = crypto.randomUUID();
    const answer = Promise.withResolvers<Json>();
    this.#waiting.set(id, answer);
    this.#put(lineOf({ id, method, params }));
    return answer.promise;
  }

  /** Takes a message that answers a request of the bridge's own. @returns false for any other. */
  settle({ id, method, result, error }: Json): boolean {
    const waiting = method === undefined && typeof id === "string" && this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    if (isObject(result)) waiting.resolve(result);
    else {
      const message = isObject(error) && typeof error.message === "string" ? error.message : "";
      waiting.reject(new Refused(message));
    }
    return true;
  }

  #put(line: Uint8Array): boolean {
    const text = new TextDecoder().decode(line);
    this.#last = this.#last.then(() => this.#write(text)).catch(() => {}); // the host is gone: its end follows
    return true;
  }
}

function lineOf(message: Json): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ ...message, jsonrpc: "2.0" })}\n`);
}
