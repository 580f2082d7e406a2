import { frames } from "../host/frames.ts";
import { elideStart } from "./elide.ts";
import { plainText } from "./plain_text.ts";

/**
 * Drains a child's stderr for as long as the child writes, so that it never blocks on it. Each line
 * goes to `onLine`; the end of it all is kept for the error that may follow.
 */
export class Stderr {
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;

  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #maxBytes: number;
  readonly #redact: (text: string) => string;
  #tail = new Uint8Array(0);

  /**
   * @param maxBytes Most bytes of one line, and of the end.
   * @param redact Takes the secrets out of the end; lines are given as they are.
   */
  constructor(
    stream: ReadableStream<Uint8Array>,
    maxBytes: number,
    onLine: (line: string) => void,
    redact: (text: string) => string = (text) => text,
  ) {
    this.#reader = stream.getReader();
    this.#maxBytes = maxBytes;
    this.#redact = redact;
    this.ended = this.#drain(onLine);
  }

  /** The end of what was written so far, as text for people; empty when there was nothing. */
  get tail(): string {
    const whole = new TextDecoder().decode(this.#tail);
    // The first line of a beginning that was dropped may start with half a secret.
    const isCut = this.#tail.length === 2 * this.#maxBytes;
    const text = isCut ? whole.slice(whole.indexOf("\n") + 1) : whole;
    return elideStart(this.#redact(plainText(text)).trim(), this.#maxBytes);
  }

  /** Stops reading, for a stream that something else still holds open. */
  stop(): void {
    this.#reader.cancel().catch(() => {}); // the pipe broke: it is over anyway
  }

  async #drain(onLine: (line: string) => void): Promise<void> {
    try {
      for await (const frame of frames(this.#chunks(), this.#maxBytes)) {
        onLine(frame.kind === "text" ? frame.text : `(a line of ${frame.bytes} bytes)`);
      }
    } catch {
      // The pipe broke: what was said before it is kept, and the child's end tells the rest.
    }
  }

  async *#chunks(): AsyncGenerator<Uint8Array, void, void> {
    for (let next; !(next = await this.#reader.read()).done;) {
      this.#keep(next.value);
      yield next.value;
    }
  }

  #keep(chunk: Uint8Array): void {
    const kept = new Uint8Array(this.#tail.length + chunk.length);
    kept.set(this.#tail);
    kept.set(chunk, this.#tail.length);
    // Twice what is told, so that no secret is cut in half before it is taken out.
    this.#tail = kept.slice(-2 * this.#maxBytes);
  }
}
