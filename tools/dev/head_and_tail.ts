const NEWLINE = 0x0a;
/** The head's part of what is kept; errors tend to be at the end, so the tail gets more. */
const HEAD_SHARE = 1 / 3;

/** Keeps the beginning and the end of a byte stream of any length, and counts what lies between. */
export class HeadAndTail {
  private readonly head: Uint8Array;
  /** A ring: the byte after `total` bytes goes to `(total - head.length) % tail.length`. */
  private readonly tail: Uint8Array;
  #total = 0;
  #newlines = 0;

  /** @param maxBytes Most bytes that are kept. */
  constructor(private readonly maxBytes: number) {
    this.head = new Uint8Array(Math.floor(maxBytes * HEAD_SHARE));
    this.tail = new Uint8Array(maxBytes - this.head.length);
  }

  /** Bytes that came so far. */
  get total(): number {
    return this.#total;
  }

  /** Line ends among them. */
  get newlines(): number {
    return this.#newlines;
  }

  /** Everything that came, while nothing was left out. */
  bytes(): Uint8Array {
    const tail = this.tailBytes();
    const head = this.head.subarray(0, this.#total);
    const all = new Uint8Array(head.length + tail.length);
    all.set(head);
    all.set(tail, head.length);
    return all;
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    this.#newlines += countNewlines(chunk);
    const free = Math.max(0, this.head.length - this.#total);
    const toHead = chunk.subarray(0, free);
    this.head.set(toHead, this.#total < this.head.length ? this.#total : 0);
    this.#total += toHead.length;
    const rest = chunk.subarray(toHead.length);
    // Of a chunk longer than the ring only the end stays.
    const skipped = Math.max(0, rest.length - this.tail.length);
    this.#total += skipped;
    this.pushToTail(rest.subarray(skipped));
  }

  /**
   * What was kept, as text: invalid UTF-8 as U+FFFD, and a line between head and tail that counts the
   * bytes and lines left out, when there are any.
   */
  text(): string {
    const decoder = new TextDecoder();
    const tail = this.tailBytes();
    if (this.#total <= this.maxBytes) {
      const head = this.head.subarray(0, this.#total);
      return decoder.decode(head, { stream: true }) + decoder.decode(tail);
    }
    const head = this.head.subarray(0, lastBoundary(this.head));
    const end = tail.subarray(firstBoundary(tail));
    const bytes = this.#total - head.length - end.length;
    const lines = this.#newlines - countNewlines(head) - countNewlines(end);
    const marker = `[… ${bytes} bytes with ${lines} line ends left out …]`;
    return `${decoder.decode(head)}\n${marker}\n${decoder.decode(end)}`;
  }

  private pushToTail(bytes: Uint8Array): void {
    const start = (this.#total - this.head.length) % this.tail.length;
    const fits = bytes.subarray(0, this.tail.length - start);
    if (fits.length > 0) this.tail.set(fits, start);
    this.tail.set(bytes.subarray(fits.length), 0);
    this.#total += bytes.length;
  }

  private tailBytes(): Uint8Array {
    const length = Math.max(0, this.#total - this.head.length);
    if (length <= this.tail.length) return this.tail.subarray(0, length);
    const start = length % this.tail.length;
    const bytes = new Uint8Array(this.tail.length);
    bytes.set(this.tail.subarray(start));
    bytes.set(this.tail.subarray(0, start), this.tail.length - start);
    return bytes;
  }
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = -1; (at = bytes.indexOf(NEWLINE, at + 1)) !== -1;) count++;
  return count;
}

/** Where the last character that may be cut begins, when it is cut; else the end. */
function lastBoundary(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function firstBoundary(bytes: Uint8Array): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte));
  return start === -1 ? 0 : start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
