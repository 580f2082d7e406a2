import type { World } from "../world.ts";

/** The size of a file, and its lines, or why they are not known: it is no text, or too large to look. */
export interface CountedLines {
  readonly lines: number | "binary" | "not counted";
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
    if (size > maxBytes) return { lines: "not counted", bytes: size };
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size + 1));
    let [lines, last] = [0, NEWLINE];
    let utf16: TextDecoder | undefined;
    let isStart = true;
    for (let read; (read = await file.read(chunk)) !== null;) {
      if (isStart) utf16 = decoderOf(chunk);
      isStart = false;
      const bytes = utf16 === undefined
        ? chunk.subarray(0, read)
        : new TextEncoder().encode(utf16.decode(chunk.subarray(0, read), { stream: true }));
      if (bytes.includes(0)) return { lines: "binary", bytes: size };
      for (let at = -1; (at = bytes.indexOf(NEWLINE, at + 1)) !== -1;) lines++;
      last = bytes.at(-1) ?? last;
    }
    return { lines: last === NEWLINE ? lines : lines + 1, bytes: size };
  } catch {
    return { lines: 0, bytes: 0 }; // no right to read it: the folder shows it all the same
  }
}

/** What reads a file whose byte order mark says UTF-16: half of its bytes are NULs, and it is text. */
function decoderOf([first, second]: Uint8Array): TextDecoder | undefined {
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  return first === 0xfe && second === 0xff ? new TextDecoder("utf-16be") : undefined;
}
