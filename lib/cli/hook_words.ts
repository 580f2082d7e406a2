import { joinBytes } from "../host/join_bytes.ts";
import { byteLength, elideEnd, elideStart } from "../mcp/elide.ts";

/** What a script writes to stdout, of which the beginning and the end are kept. */
export class HookWords {
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;
  readonly #maxBytes: number;
  #head = new Uint8Array(0);
  #tail = new Uint8Array(0);
  #bytes = 0;

  /** @param maxBytes Most bytes of {@linkcode text}, its line about the middle aside. */
  constructor(stream: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.ended = stream.pipeTo(new WritableStream({ write: (chunk) => this.#keep(chunk) }))
      .catch(() => {}); // the pipe broke: what was said before it is kept
  }

  /** @param redact Takes the secrets out. */
  text(redact: (text: string) => string): string {
    const all = new TextDecoder();
    const isWhole = this.#bytes <= this.#head.length + this.#tail.length;
    // A secret that the middle cuts would not be known: all that is there is redacted as one text.
    const parts = isWhole ? [joinBytes([this.#head, this.#tail])] : [this.#head, this.#tail];
    const [head = "", end = head] = parts.map((part) => redact(all.decode(part)));
    if (isWhole && byteLength(head) <= this.#maxBytes) return head.trim();
    const half = Math.floor(this.#maxBytes / 2);
    return `${
      elideEnd(head, half, "")
    }\n[... the middle of ${this.#bytes} bytes is left out ...]\n` +
      elideStart(end, half).trimEnd();
  }

  /** Twice what is told of each, so that no secret is cut in half before it is taken out. */
  #keep(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    const room = Math.max(2 * this.#maxBytes - this.#head.length, 0);
    this.#head = joinBytes([this.#head, chunk.subarray(0, room)]);
    const rest = chunk.subarray(room);
    if (rest.length > 0) this.#tail = joinBytes([this.#tail, rest]).slice(-2 * this.#maxBytes);
  }
}
