import { animated, type ImageFacts, ImageRefused } from "./read_image.ts";
import { exifOrientation } from "./exif_orientation.ts";

const FIRST_CHUNK = 8;

/** A part of a PNG. */
export interface PngChunk {
  readonly name: string;
  readonly data: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

/** Reads a PNG: every chunk whole and with the right checksum. @see PNG, third edition, section 5 */
export function readPng(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(FIRST_CHUNK + 8);
  const height = view.getUint32(FIRST_CHUNK + 12);
  let orientation = 1;
  let hasPixels = false;
  let length = 0;
  for (const { name, data, end } of pngChunks(bytes)) {
    if (length === 0 && name !== "IHDR") throw new ImageRefused("it does not begin as a PNG");
    if (name === "acTL") throw animated();
    if (name === "eXIf") orientation = exifOrientation(data);
    if (name === "IDAT") hasPixels = true;
    length = end;
  }
  if (!hasPixels) throw new ImageRefused("it has no pixels");
  return { width, height, length, orientation };
}

/**
 * The chunks of a PNG up to its end.
 *
 * @throws {ImageRefused} for one with a wrong checksum; `RangeError` for one that is cut off.
 */
export function* pngChunks(bytes: Uint8Array): Generator<PngChunk, void, void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = FIRST_CHUNK, name = ""; name !== "IEND";) {
    const length = view.getUint32(at);
    name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (view.getUint32(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length))) {
      throw new ImageRefused(`it is damaged: its chunk ${printable(name)} has a wrong checksum`);
    }
    const data = bytes.subarray(at + 8, at + 8 + length);
    at += length + 12;
    yield { name, data, end: at };
  }
}

function printable(name: string): string {
  return name.replaceAll(/[^A-Za-z]/g, "?");
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) {
    crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
