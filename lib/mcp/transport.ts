// @ts-types="@modelcontextprotocol/sdk/shared/transport"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isSkepError, messageOf, SkepError } from "../errors.ts";
import { frames } from "../host/frames.ts";
import type { Process } from "../host/process.ts";
import type { Limits } from "../limits.ts";
import { parseMessage } from "./message.ts";

const NEWLINE = 0x0a;

/** What a {@linkcode PipeTransport} is bounded by and reports to. */
export interface TransportOptions {
  readonly limits: Pick<Limits, "maxFrameBytes" | "maxServerQueueBytes">;
  /** Gets each line that is no JSON-RPC message (T22), and those before anyone listens. */
  readonly onNoise: (line: string) => void;
}

/** Why a server can no longer be talked to, as the rest of a sentence about it. */
export interface TransportEnd {
  readonly reason: string;
  /** True when it broke a rule; false when a pipe was closed, which most who do are about to exit. */
  readonly isFault: boolean;
}

/**
 * The SDK's transport over a child's pipes: one JSON-RPC message a line. It reads from its creation
 * on, and neither starts nor stops the child. Both directions are bounded: a line over its limit and
 * a server that does not read its input end the transport.
 */
export class PipeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  /** Resolves when the server can no longer be talked to by its own doing; never once we closed. */
  readonly ended: Promise<TransportEnd>;
  /** Resolves when nothing more is read: at the end of the output at the latest. */
  readonly drained: Promise<void>;

  readonly #options: TransportOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #end = Promise.withResolvers<TransportEnd>();
  #queuedBytes = 0;
  #isOver = false;
  #isClosed = false;

  /** @param pipes The child's own: nobody else reads or writes them. */
  constructor(pipes: Pick<Process, "stdin" | "stdout">, options: TransportOptions) {
    this.#options = options;
    this.#reader = pipes.stdout.getReader();
    this.#writer = pipes.stdin.getWriter();
    this.#writer.closed.catch(() => {}); // a broken pipe shows at the next write
    this.ended = this.#end.promise;
    this.drained = this.#read().then((end) => this.#finish(end));
  }

  /** True as soon as the server can no longer be talked to. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Called by the SDK. Rejects when the server is gone already. */
  start(): Promise<void> {
    return this.#isClosed ? Promise.reject(new Error("Connection closed")) : Promise.resolve();
  }

  /** Sends one message; resolves when the pipe took it. Rejects when it cannot. */
  async send(message: JSONRPCMessage): Promise<void> {
    const line = new TextEncoder().encode(JSON.stringify(message) + "\n");
    const limit = this.#options.limits.maxServerQueueBytes;
    if (this.#queuedBytes > 0 && this.#queuedBytes + line.length > limit) {
      const reason = `does not read its input: more than ${limit} bytes wait for it`;
      this.#finish({ reason, isFault: true });
      throw new Error(`The server ${reason}`);
    }
    this.#queuedBytes += line.length;
    try {
      await this.#writer.write(line);
    } catch (error) {
      this.#finish({ reason: "closed its input", isFault: false });
      throw error;
    } finally {
      this.#queuedBytes -= line.length;
    }
  }

  /** Ends the server's input, after what waits for it. */
  closeInput(): Promise<void> {
    return this.#writer.close();
  }

  /** Stops reading and settles every request that waits, for good. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = this.#isOver = true;
    this.#reader.cancel().catch(() => {}); // the pipe broke, so there is nothing to stop reading
    this.onclose?.();
    return Promise.resolve();
  }

  #finish(end: TransportEnd): void {
    this.#isOver = true;
    if (!this.#isClosed) this.#end.resolve(end); // the first one counts
  }

  async #read(): Promise<TransportEnd> {
    const limit = this.#options.limits.maxFrameBytes;
    try {
      for await (const frame of frames(this.#chunks(limit), limit)) {
        if (frame.kind === "oversized") return { reason: tooLong(limit), isFault: true };
        const line = frame.kind === "text" ? frame.text : `(${frame.bytes} bytes, not UTF-8)`;
        const message = frame.kind === "text" ? parseMessage(line) : undefined;
        if (message === undefined || this.onmessage === undefined) this.#options.onNoise(line);
        else this.onmessage(message);
      }
      return { reason: "closed its output", isFault: false };
    } catch (error) {
      if (isSkepError(error, "FRAME_TOO_LARGE")) return { reason: error.message, isFault: true };
      return { reason: `cannot be read (${messageOf(error)})`, isFault: false };
    }
  }

  /** The output's chunks. Throws at a line over the limit without waiting for its end, which may never come. */
  async *#chunks(limit: number): AsyncGenerator<Uint8Array, void, void> {
    let unfinished = 0;
    for (let next; !(next = await this.#reader.read()).done;) {
      yield next.value;
      const end = next.value.lastIndexOf(NEWLINE);
      unfinished = end === -1 ? unfinished + next.value.length : next.value.length - end - 1;
      if (unfinished > limit) {
        throw new SkepError("FRAME_TOO_LARGE", tooLong(limit), { bytes: unfinished, limit });
      }
    }
  }
}

function tooLong(limit: number): string {
  return `sent a line of more than ${limit} bytes`;
}
