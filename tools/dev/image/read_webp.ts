import { exifOrientation } from "./exif_orientation.ts";
import { animated, type ImageFacts, ImageRefused } from "./read_image.ts";

const ANIMATION_BIT = 0x02;

/** Reads a WebP: every chunk up to its end. @see RFC 9649 */
export function readWebp(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = 8 + view.getUint32(4, true);
  if (end > bytes.length) throw new ImageRefused("it is cut off");
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let images = 0;
  for (let at = 12; at + 8 <= end;) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    const data = new DataView(bytes.buffer, bytes.byteOffset + at + 8, length);
    if (name === "VP8X") {
      if (data.getUint8(0) & ANIMATION_BIT) throw animated();
      size ??= { width: 1 + uint24(data, 4), height: 1 + uint24(data, 7) };
    } else if (name === "VP8 ") {
      const [width, height] = [data.getUint16(6, true) & 0x3fff, data.getUint16(8, true) & 0x3fff];
      size ??= { width, height };
    } else if (name === "VP8L") {
      const bits = data.getUint32(1, true);
      size ??= { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    } else if (name === "EXIF") {
      orientation = exifOrientation(bytes.subarray(at + 8, at + 8 + length));
    }
    at += 8 + length + length % 2;
    if (at > end) throw new ImageRefused("it is damaged: a chunk is longer than what holds it");
    if (name === "VP8 " || name === "VP8L") images++;
  }
  if (size === undefined || images === 0) throw new ImageRefused("it has no pixels");
  if (images > 1) throw new ImageRefused("it is damaged: it has more than one image");
  return { ...size, length: end, orientation };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
