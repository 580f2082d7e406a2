import { animated, type ImageFacts, ImageRefused } from "./read_image.ts";

const EXTENSION = 0x21;
const PICTURE = 0x2c;
const TRAILER = 0x3b;

/** Reads a GIF: every block up to its end. @see GIF89a, section 17 and following */
export function readGif(bytes: Uint8Array): Omit<ImageFacts, "type"> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 13 + colorTableBytes(view.getUint8(10));
  let pictures = 0;
  for (let block; (block = view.getUint8(at)) !== TRAILER;) {
    if (block === PICTURE) {
      if (++pictures > 1) throw animated();
      at += 10 + colorTableBytes(view.getUint8(at + 9)) + 1; // and the size of its codes
    } else if (block === EXTENSION) at += 2;
    else throw new ImageRefused("it is damaged: a block of it is of no known kind");
    for (let length; (length = view.getUint8(at)) !== 0;) at += length + 1;
    at++;
  }
  if (pictures === 0) throw new ImageRefused("it has no pixels");
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return { ...size, length: at + 1, orientation: 1 };
}

function colorTableBytes(packed: number): number {
  return packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0;
}
