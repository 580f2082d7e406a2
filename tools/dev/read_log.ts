/**
 * What a session has seen of its files, by canonical path: a hash of the bytes that were last read or
 * written there. The oldest are forgotten past a bound.
 */
export class ReadLog {
  readonly #hashes = new Map<string, string>();

  /** @param maxFiles Most files that are remembered. */
  constructor(private readonly maxFiles: number) {}

  /** Remembers the bytes of a file as seen. */
  async note(path: string, bytes: Uint8Array): Promise<void> {
    const hash = await hashOf(bytes);
    this.#hashes.delete(path); // to the end of the order
    this.#hashes.set(path, hash);
    const [oldest] = this.#hashes.keys();
    if (this.#hashes.size > this.maxFiles && oldest !== undefined) this.#hashes.delete(oldest);
  }

  /** True when the file was seen with other bytes; one that was never seen is not stale. */
  async isStale(path: string, bytes: Uint8Array): Promise<boolean> {
    const seen = this.#hashes.get(path);
    return seen !== undefined && seen !== await hashOf(bytes);
  }

  /** True when the file was read or written in this session and is remembered. */
  has(path: string): boolean {
    return this.#hashes.has(path);
  }
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toHex();
}
