import { ImageRefused } from "./read_image.ts";
import { pngChunks } from "./read_png.ts";

/**
 * Unpacks all that is packed in a PNG and keeps nothing of it: its pixels must come to no more than its size
 * says, its texts and its colour profile to no more than `maxBytes`. Who unpacks it later may have no bound.
 *
 * @param bytes One that was read to its end.
 * @throws {ImageRefused} for what unpacks to more, or cannot be unpacked; the signal's reason.
 * @see PNG, third edition, sections 7.2, 8.1 and 11.3
 */
export async function checkUnpacked(
  bytes: Uint8Array,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const pixels: Uint8Array[] = [];
  let mostPixels = 0;
  for (const { name, data } of pngChunks(bytes)) {
    if (name === "IHDR") mostPixels = pixelBytes(data);
    else if (name === "IDAT") pixels.push(data);
    else {
      const packed = packedIn(name, data);
      if (packed !== undefined) await unpack(`its chunk ${name}`, [packed], maxBytes, signal);
    }
  }
  await unpack("what its pixels are packed in", pixels, mostPixels, signal);
}

/** Channels by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The passes of an interlaced image: first column and row, and the steps to the next. */
const PASSES: readonly (readonly [x: number, y: number, dx: number, dy: number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];
const WHOLE = [[0, 0, 1, 1]] as const;

/** Each row of each pass begins with a byte of its own. */
function pixelBytes(header: Uint8Array): number {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const bits = view.getUint8(8) * (CHANNELS[view.getUint8(9)] ?? 0);
  const passes = view.getUint8(12) === 0 ? WHOLE : PASSES;
  return passes.reduce((sum, [x, y, dx, dy]) => {
    const columns = Math.ceil(Math.max(0, width - x) / dx);
    const rows = Math.ceil(Math.max(0, height - y) / dy);
    return columns === 0 ? sum : sum + rows * (1 + Math.ceil(columns * bits / 8));
  }, 0);
}

/** What of a chunk is packed: a keyword, a NUL and how it is packed stand before it. */
function packedIn(name: string, data: Uint8Array): Uint8Array | undefined {
  const after = data.indexOf(0) + 1;
  if (name === "zTXt" || name === "iCCP") return data.subarray(after + 1);
  if (name !== "iTXt" || data[after] !== 1) return undefined;
  const language = data.indexOf(0, after + 2) + 1;
  return data.subarray(data.indexOf(0, language) + 1);
}

async function unpack(
  what: string,
  parts: readonly Uint8Array[],
  most: number,
  signal: AbortSignal,
): Promise<void> {
  let length = 0;
  try {
    const unpacked = ReadableStream.from(pieces(parts)).pipeThrough(
      new DecompressionStream("deflate"),
    );
    for await (const part of unpacked) {
      signal.throwIfAborted();
      length += part.length;
      if (length > most) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new ImageRefused(`it is damaged: ${what} cannot be unpacked`, { cause: error });
  }
  if (length > most) throw new ImageRefused(`${what} unpacks to more than ${most} bytes`);
}

/**
 * Bytes that are unpacked at once: what they come to is held whole before it can be counted, and deflate makes
 * at most 1,032 of one.
 */
const PIECE_BYTES = 4096;

function* pieces(parts: readonly Uint8Array[]): Generator<Uint8Array<ArrayBuffer>, void, void> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      yield part.slice(at, at + PIECE_BYTES) as Uint8Array<ArrayBuffer>;
    }
  }
}
