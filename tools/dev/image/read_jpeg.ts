import { exifOrientation } from "./exif_orientation.ts";
import { type ImageFacts, ImageRefused } from "./read_image.ts";

const SCAN = 0xda;
const END = 0xd9;
const APP1 = 0xe1;
/** The first of eight, which stand among the pixels. */
const RESTART = 0xd0;
/** Each block of 8×8 pixels takes one bit at least. */
const PIXELS_PER_BYTE = 8 * 64;
const EXIF = "Exif\0\0";

/** Reads a JPEG: its segments and scans up to its end. @see ITU-T T.81, annex B */
export function readJpeg(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasScan = false;
  for (let at = 2;;) {
    if (bytes[at] !== 0xff) {
      throw new ImageRefused("it is damaged: a segment does not begin as one");
    }
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++; // filling
      continue;
    }
    if (marker === END) {
      if (size === undefined || !hasScan) throw new ImageRefused("it has no pixels");
      if (at * PIXELS_PER_BYTE < size.width * size.height) {
        const says = `${size.width}×${size.height}`;
        throw new ImageRefused(`it is damaged: ${at} bytes cannot hold the ${says} pixels it says`);
      }
      return { ...size, length: at + 2, orientation }; // cameras put more behind it
    }
    const length = view.getUint16(at + 2);
    const data = bytes.subarray(at + 4, at + 2 + length);
    if (data.length < length - 2) throw new ImageRefused("it is cut off");
    if (isFrame(marker)) size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === APP1 && String.fromCharCode(...data.subarray(0, 6)) === EXIF) {
      orientation = exifOrientation(data.subarray(6));
    }
    at += 2 + length;
    if (marker !== SCAN) continue;
    if (size === undefined) throw new ImageRefused("it has pixels before it says how many");
    hasScan = true;
    at = endOfScan(bytes, at);
  }
}

/** The frame headers: all of that range but tables and arithmetic coding's conditions. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Where the marker behind packed pixels stands: a byte of theirs that looks like one has a zero behind it. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; (at = bytes.indexOf(0xff, at)) !== -1; at++) {
    const marker = bytes[at + 1];
    if (marker === undefined) break;
    const isData = marker === 0 || (marker >= RESTART && marker < RESTART + 8);
    if (!isData) return at;
  }
  throw new ImageRefused("it is cut off: its end is missing");
}
