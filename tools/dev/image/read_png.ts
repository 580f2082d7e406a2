import { animated, type ImageFacts, ImageRefused } from "./read_image.ts";
import { exifOrientation } from "./exif_orientation.ts";

const FIRST_CHUNK = 8;

/** Reads a PNG: every chunk whole and with the right checksum. @see PNG, third edition, section 5 */
export function readPng(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(FIRST_CHUNK + 8);
  const height = view.getUint32(FIRST_CHUNK + 12);
  let orientation = 1;
  let hasPixels = false;
  for (let at = FIRST_CHUNK;;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (at === FIRST_CHUNK && name !== "IHDR") throw new ImageRefused("it does not begin as a PNG");
    if (view.getUint32(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length))) {
      throw new ImageRefused(`it is damaged: its chunk ${printable(name)} has a wrong checksum`);
    }
    if (name === "acTL") throw animated();
    if (name === "eXIf") orientation = exifOrientation(data);
    if (name === "IDAT") hasPixels = true;
    if (name === "IEND") break;
    at += length + 12;
  }
  if (!hasPixels) throw new ImageRefused("it has no pixels");
  return { width, height, orientation };
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
