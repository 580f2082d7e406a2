import type { Limits } from "../../lib/limits.ts";
import { events } from "./events.ts";
import type { Http } from "./http.ts";
import type { Emit, Remote } from "./remote.ts";
import { RemoteError } from "./remote_error.ts";
import { type Id, isObject, type Json, parseJson, requestId } from "./rpc.ts";

/** What the transport is bounded by, and what it tells. */
export interface LegacyOptions {
  readonly limits: Pick<Limits, "maxFrameBytes">;
  readonly emit: Emit;
  readonly warn: (line: string) => void;
}

/**
 * MCP's older transport, HTTP with server-sent events: one stream with all that the server says, whose first
 * event names where messages go. When the stream ends the session does.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class LegacySse implements Remote {
  readonly ended: Promise<string>;
  readonly #http: Http;
  readonly #options: LegacyOptions;
  readonly #closing = new AbortController();
  readonly #end = Promise.withResolvers<string>();
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  #endpoint: Promise<URL> | undefined;

  constructor(http: Http, options: LegacyOptions) {
    this.#http = http;
    this.#options = options;
    this.ended = this.#end.promise;
  }

  async deliver(message: Json, signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    const address = await (this.#endpoint ??= this.#open());
    const id = requestId(message);
    const answered = id === undefined ? undefined : this.#wait(id, stop);
    const response = await this.#http.send({
      method: "POST",
      address,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...message, jsonrpc: "2.0" }),
      signal: stop,
    });
    if (!response.ok) throw await this.#http.refusal(response);
    await response.body?.cancel();
    await answered;
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  /** Waits for the answer, which comes on the stream. */
  #wait(id: Id, stop: AbortSignal): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    const forget = () => this.#waiting.delete(String(id));
    this.#waiting.set(String(id), waiting);
    stop.addEventListener("abort", () => waiting.reject(stop.reason));
    waiting.promise.catch(() => {}); // the POST may fail first
    return waiting.promise.finally(forget);
  }

  /** Opens the stream; resolves with the address that messages are sent to. */
  async #open(): Promise<URL> {
    const response = await this.#http.send({
      method: "GET",
      headers: { accept: "text/event-stream" },
      signal: this.#closing.signal,
    });
    if (!response.ok || response.body === null) throw await this.#http.refusal(response);
    const named = Promise.withResolvers<URL>();
    this.#read(response.body, named).catch((error) => {
      const reason = error instanceof Error ? error.message : String(error);
      named.reject(error);
      this.#finish(`the stream broke: ${reason}`);
    });
    return await named.promise;
  }

  async #read(
    body: ReadableStream<Uint8Array>,
    named: PromiseWithResolvers<URL>,
  ): Promise<void> {
    for await (const event of events(body, this.#options.limits.maxFrameBytes)) {
      if (event.kind !== "event") continue;
      if (event.type === "endpoint") {
        const text = event.data.trim();
        const base = this.#http.address;
        const address = URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
        if (address?.origin !== base.origin) {
          throw new RemoteError("The server takes messages at another host, which is not followed");
        }
        named.resolve(address);
      } else if (event.type === "message") {
        const message = parseJson(event.data);
        if (!isObject(message)) {
          this.#options.warn(`no message: ${event.data.slice(0, 200)}`);
          continue;
        }
        this.#options.emit(message);
        if (message.method === undefined) this.#waiting.get(String(message.id))?.resolve();
      }
    }
    named.reject(new RemoteError("The server ended the stream before it named an address"));
    this.#finish("the server ended the stream");
  }

  #finish(reason: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new RemoteError(`No answer will come: ${reason}`));
    }
    if (!this.#closing.signal.aborted) this.#end.resolve(reason);
  }
}
