import type { World } from "../world.ts";

/** The size of a file, and its lines: undefined for one that is not text, or too large to look. */
export interface CountedLines {
  readonly lines: number | undefined;
  readonly bytes: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Counts a file's lines; a last one without a newline counts. One that cannot be read has none. */
export async function countLines(
  path: string,
  maxBytes: number,
  world: Pick<World, "open">,
): Promise<CountedLines> {
  try {
    using file = await world.open(path, { read: true });
    const { size } = await file.stat();
    if (size > maxBytes) return { lines: undefined, bytes: size };
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size + 1));
    let [lines, last] = [0, NEWLINE];
    for (let read; (read = await file.read(chunk)) !== null;) {
      const bytes = chunk.subarray(0, read);
      if (bytes.includes(0)) return { lines: undefined, bytes: size };
      for (let at = -1; (at = bytes.indexOf(NEWLINE, at + 1)) !== -1;) lines++;
      last = bytes[read - 1] ?? last;
    }
    return { lines: last === NEWLINE ? lines : lines + 1, bytes: size };
  } catch {
    return { lines: 0, bytes: 0 }; // no right to read it: the folder shows it all the same
  }
}
