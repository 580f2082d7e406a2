import type { Limits } from "../../lib/limits.ts";
import { events } from "./events.ts";
import type { Http } from "./http.ts";
import { readAll } from "./read_all.ts";
import type { Emit, Remote } from "./remote.ts";
import { RemoteError } from "./remote_error.ts";
import { answers, type Id, isObject, type Json, parseJson, requestId } from "./rpc.ts";

/** What the transport is bounded by, and what it tells. */
export interface StreamableOptions {
  readonly limits: Pick<
    Limits,
    "maxFrameBytes" | "reopenMinMs" | "reopenMaxMs" | "reopenAttempts" | "endSessionMs"
  >;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly emit: Emit;
  readonly warn: (line: string) => void;
}

const BOTH = "application/json, text/event-stream";
const STREAM = "text/event-stream";

/**
 * MCP's streamable HTTP. A stream that breaks before its answer is taken up again where it ended; a session
 * that the server does not know any more is begun anew, and the message that found out is sent again.
 *
 * The SDK's own transport leaves a request without an answer when its stream ends early, drops answers that
 * are not exactly as its schemas, and holds whatever it is sent; so this one is ours.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class StreamableHttp implements Remote {
  readonly ended = new Promise<string>(() => {});
  readonly #http: Http;
  readonly #options: StreamableOptions;
  readonly #closing = new AbortController();
  #session: string | undefined;
  #version: string | undefined;
  /** The parameters of `initialize`, for another session. */
  #introduction: unknown;
  #listening = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(http: Http, options: StreamableOptions) {
    this.#http = http;
    this.#options = options;
  }

  async deliver(message: Json, signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#closing.signal]);
    if (message.method === "initialize") {
      this.#introduction = message.params;
      this.#session = this.#version = undefined;
    }
    await this.#renewing;
    const session = this.#session;
    const response = await this.#post(message, stop);
    if (response.status !== 404 || session === undefined) {
      await this.#take(message, response, stop, this.#options.emit);
    } else {
      await response.body?.cancel();
      await (this.#renewing ??= this.#renew(session).finally(() => this.#renewing = undefined));
      await this.#take(message, await this.#post(message, stop), stop, this.#options.emit);
    }
    if (message.method === "notifications/initialized") this.#listen();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listening.abort();
    if (this.#session === undefined) return;
    const signal = AbortSignal.timeout(this.#options.limits.endSessionMs);
    const response = await this.#http.send({ method: "DELETE", headers: this.#headers(), signal });
    await response.body?.cancel(); // a server that does not let its sessions be ended answers 405
  }

  /** Begins another session in place of one that is over. */
  async #renew(over: string): Promise<void> {
    if (this.#session !== over) return;
    this.#options.warn("the server ended the session; another one is begun");
    this.#listening.abort();
    this.#session = this.#version = undefined;
    const { signal } = this.#closing;
    const id = crypto.randomUUID();
    const hello = { id, method: "initialize", params: this.#introduction };
    let refusal: unknown;
    const onAnswer = (answer: Json) => refusal = answers(answer, id) ? answer.error : refusal;
    await this.#take(hello, await this.#post(hello, signal), signal, onAnswer);
    if (refusal !== undefined) throw new RemoteError("The server does not begin another session");
    const ready = { method: "notifications/initialized" };
    await this.#take(ready, await this.#post(ready, signal), signal, () => {});
    this.#listen();
    this.#options.emit({ method: "notifications/tools/list_changed" }); // it may be another version
  }

  #headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
      ...more,
    };
  }

  #post(message: Json, signal: AbortSignal): Promise<Response> {
    const body = JSON.stringify({ ...message, jsonrpc: "2.0" });
    const headers = this.#headers({ "content-type": "application/json", accept: BOTH });
    return this.#http.send({ method: "POST", headers, body, signal });
  }

  /** Takes what a POST was answered with. */
  async #take(
    message: Json,
    response: Response,
    signal: AbortSignal,
    emit: Emit,
  ): Promise<void> {
    if (!response.ok) throw await this.#http.refusal(response);
    const id = requestId(message);
    if (message.method === "initialize") {
      this.#session = response.headers.get("mcp-session-id") ?? undefined;
    }
    const note = (each: Json) => {
      if (message.method === "initialize" && id !== undefined && answers(each, id)) {
        const { protocolVersion } = isObject(each.result) ? each.result : {};
        if (typeof protocolVersion === "string") this.#version = protocolVersion;
      }
      emit(each);
    };
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type === STREAM && response.body !== null) {
      return await this.#read(response.body, id, signal, note);
    }
    if (id === undefined) return await response.body?.cancel();
    if (type !== "application/json") {
      await response.body?.cancel();
      throw new RemoteError(`The server answered with ${type ?? "nothing"}, not with JSON`);
    }
    const value = parseJson(await readAll(response, this.#options.limits.maxFrameBytes));
    const all = (Array.isArray(value) ? value : [value]).filter(isObject);
    all.forEach(note);
    if (!all.some((each) => answers(each, id))) {
      throw new RemoteError("The server answered with JSON that is no answer");
    }
  }

  /** Reads a stream up to the answer of `id`, taking it up again when it breaks; without an id up to its end. */
  async #read(
    first: ReadableStream<Uint8Array>,
    id: Id | undefined,
    signal: AbortSignal,
    emit: Emit,
  ): Promise<void> {
    const { limits, sleep } = this.#options;
    let body: ReadableStream<Uint8Array> | undefined = first;
    let last: string | undefined;
    let waitMs: number = limits.reopenMinMs;
    for (let attempts = 0; attempts <= limits.reopenAttempts;) {
      try {
        for await (const event of events(body ?? first, limits.maxFrameBytes)) {
          attempts = 0;
          if (event.kind === "retry") {
            waitMs = Math.min(Math.max(event.ms, limits.reopenMinMs), limits.reopenMaxMs);
            continue;
          }
          last = event.id ?? last;
          if (this.#hand(event.data, event.type, id, emit)) return;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RemoteError) throw error;
      }
      if (last === undefined) break; // there is nothing to go on from
      for (body = undefined; body === undefined && attempts <= limits.reopenAttempts;) {
        await sleep(Math.min(waitMs * 2 ** attempts++, limits.reopenMaxMs), signal);
        body = await this.#open(last, signal).catch((error) => {
          signal.throwIfAborted();
          if (attempts > limits.reopenAttempts) throw error;
          return undefined;
        });
      }
    }
    if (id !== undefined) throw new RemoteError("The server ended the stream before its answer");
  }

  /** Hands on what an event holds. @returns true for the answer that is waited for. */
  #hand(data: string, type: string, id: Id | undefined, emit: Emit): boolean {
    if (data === "" || type !== "message") return false;
    const value = parseJson(data);
    const all = (Array.isArray(value) ? value : [value]).filter(isObject);
    if (all.length === 0) this.#options.warn(`no message: ${data.slice(0, 200)}`);
    all.forEach(emit);
    return id !== undefined && all.some((each) => answers(each, id));
  }

  /** Opens a stream with GET, after the event `last`. @throws {RemoteError} when there is none. */
  async #open(
    last: string | undefined,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const resume = last === undefined ? {} : { "last-event-id": last };
    const headers = this.#headers({ accept: STREAM, ...resume });
    const response = await this.#http.send({ method: "GET", headers, signal });
    if (response.ok && response.body !== null) return response.body;
    throw await this.#http.refusal(response);
  }

  /** Listens for what the server says by itself, as long as the session lasts. A server need not offer it. */
  #listen(): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#closing.signal]);
    this.#listenUntil(signal).catch((error) => {
      const isUsual = error instanceof RemoteError &&
        (error.status === 405 || error.status === 404);
      if (!signal.aborted && !isUsual) this.#options.warn(`does not listen: ${error.message}`);
    });
  }

  async #listenUntil(signal: AbortSignal): Promise<void> {
    const { emit, limits, sleep } = this.#options;
    for (let waitMs: number = limits.reopenMinMs;; waitMs *= 2) {
      const opened = Date.now();
      const body = await this.#open(undefined, signal);
      await this.#read(body, undefined, signal, emit);
      if (Date.now() - opened > limits.reopenMaxMs) waitMs = limits.reopenMinMs; // it was a good one
      waitMs = Math.min(waitMs, limits.reopenMaxMs);
      await sleep(waitMs, signal);
    }
  }
}
