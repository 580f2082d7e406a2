import type { Limits } from "../limits.ts";
import { fitFrame } from "./fit_frame.ts";
import { RPC_CODES, type RpcMessage } from "./rpc.ts";

/** The bounds on what is sent. */
export type OutboundLimits = Pick<Limits, "maxUnreadBytes" | "maxOutboundFrameBytes">;

/** Where bytes go; resolves when they were taken. A `WritableStreamDefaultWriter` is one. */
export interface ByteWriter {
  write(bytes: Uint8Array): Promise<unknown>;
}

/** Lines that wait are joined into writes of about this size: one line a write costs one system call each. */
const WRITE_BYTES = 64 * 1024;

/**
 * The one writer of the connection: messages go out in the order in which they were sent, a line each.
 * Sending never waits; who sends much asks {@linkcode isFull} or waits for {@linkcode room}.
 */
export class Outbound {
  readonly #output: ByteWriter;
  readonly #limits: OutboundLimits;
  readonly #onFailure: (error: unknown) => void;
  #lines: Uint8Array[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #hasFailed = false;
  #waiting: (() => void)[] = [];

  /** @param onFailure Called once when the output broke. From then on all that is sent is dropped. */
  constructor(output: ByteWriter, limits: OutboundLimits, onFailure: (error: unknown) => void) {
    this.#output = output;
    this.#limits = limits;
    this.#onFailure = onFailure;
  }

  /** True while more waits for the client than the limit. */
  get isFull(): boolean {
    return this.#bytes > this.#limits.maxUnreadBytes;
  }

  /**
   * Sends a message, within the bound on a frame: see {@linkcode fitFrame}. A reply that cannot be made
   * to fit is an error instead; an update is not sent.
   *
   * @returns False for a request that does not fit: nothing was sent, and nobody will answer.
   */
  send(message: RpcMessage): boolean {
    if (this.#hasFailed) return true;
    const { maxOutboundFrameBytes: limit } = this.#limits;
    const line = fitFrame(message, limit) ?? fitFrame(instead(message, limit), limit);
    if (line === undefined) return false;
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#writing ??= this.#writeAll();
    return true;
  }

  /** Resolves when no more waits than the limit, when the output broke, or when `signal` is aborted. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal.addEventListener("abort", this.#wake);
      await promise;
      signal.removeEventListener("abort", this.#wake);
    }
  }

  /** Resolves when nothing is left to write. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#lines.length > 0) {
        const batch = this.#takeBatch();
        await this.#output.write(batch);
        this.#bytes -= batch.length;
        this.#wake();
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#lines = [];
      this.#bytes = 0;
      this.#wake();
      this.#onFailure(error);
    } finally {
      this.#writing = undefined;
    }
  }

  #takeBatch(): Uint8Array {
    let bytes = 0;
    let count = 0;
    for (const line of this.#lines) {
      if (count > 0 && bytes + line.length > WRITE_BYTES) break;
      bytes += line.length;
      count++;
    }
    const lines = this.#lines.splice(0, count);
    if (lines.length === 1) return lines[0]!;
    const batch = new Uint8Array(bytes);
    let at = 0;
    for (const line of lines) {
      batch.set(line, at);
      at += line.length;
    }
    return batch;
  }

  readonly #wake = (): void => {
    for (const wake of this.#waiting.splice(0)) wake();
  };
}

/** What is sent for a message that does not fit: for a reply an error, else the message, which will not fit either. */
function instead(message: RpcMessage, limit: number): RpcMessage {
  if ("method" in message) return message;
  const text = `the reply is longer than a frame may be: the limit is ${limit} bytes`;
  return {
    jsonrpc: "2.0",
    id: message.id,
    error: { code: RPC_CODES.internalError, message: text },
  };
}
