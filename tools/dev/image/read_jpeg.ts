import { exifOrientation } from "./exif_orientation.ts";
import { type ImageFacts, ImageRefused } from "./read_image.ts";

const SCAN = 0xda;
const END = 0xd9;
const APP1 = 0xe1;
const EXIF = "Exif\0\0";

/** Reads a JPEG: its segments, and whether it comes to its end. @see ITU-T T.81, annex B */
export function readJpeg(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  for (let at = 2;;) {
    if (bytes[at] !== 0xff) {
      throw new ImageRefused("it is damaged: a segment does not begin as one");
    }
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++; // filling
      continue;
    }
    if (marker === SCAN) {
      if (size === undefined) throw new ImageRefused("it has pixels before it says how many");
      if (!endsWithMarker(bytes, at)) throw new ImageRefused("it is cut off: its end is missing");
      return { ...size, orientation };
    }
    const length = view.getUint16(at + 2);
    const data = bytes.subarray(at + 4, at + 2 + length);
    if (data.length < length - 2) throw new ImageRefused("it is cut off");
    if (isFrame(marker)) size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker === APP1 && String.fromCharCode(...data.subarray(0, 6)) === EXIF) {
      orientation = exifOrientation(data.subarray(6));
    }
    at += 2 + length;
  }
}

/** The frame headers: all of that range but tables and arithmetic coding's conditions. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Cameras put more after the end, so it need not be the last bytes. */
function endsWithMarker(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at > from; at--) {
    if (bytes[at] === 0xff && bytes[at + 1] === END) return true;
  }
  return false;
}
