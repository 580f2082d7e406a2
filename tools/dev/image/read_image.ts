import { type ImageType, imageTypeOf } from "./image_type.ts";
import { readGif } from "./read_gif.ts";
import { readJpeg } from "./read_jpeg.ts";
import { readPng } from "./read_png.ts";
import { readWebp } from "./read_webp.ts";

/** What an image says of itself. Nothing was unpacked for it. */
export interface ImageFacts {
  readonly type: ImageType;
  /** In pixels, as they are stored: before it is turned. */
  readonly width: number;
  readonly height: number;
  /** The bytes that it takes up: what stands behind its end is none of it. */
  readonly length: number;
  /** How it wants to be turned: 1 is not at all. @see EXIF 2.32, tag 0x0112 */
  readonly orientation: number;
}

/** An image that cannot be shown; the message is the rest of a sentence about it. */
export class ImageRefused extends Error {
  override readonly name = "ImageRefused";
}

const READERS: Readonly<Record<ImageType, (bytes: Uint8Array) => Omit<ImageFacts, "type">>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": readGif,
  "image/webp": readWebp,
};

/**
 * Reads what an image is, by its bytes, and goes through its structure to the end: a part that is
 * missing or damaged is noticed before anything is unpacked.
 *
 * @throws {ImageRefused} when it is none, is cut off, has no size, or moves.
 */
export function readImage(bytes: Uint8Array): ImageFacts {
  if (bytes.length === 0) throw new ImageRefused("it is empty");
  const type = imageTypeOf(bytes);
  if (type === undefined) {
    throw new ImageRefused("it is no image that is known here (png, jpeg, gif, webp)");
  }
  let facts;
  try {
    facts = READERS[type](bytes);
  } catch (error) {
    if (error instanceof ImageRefused) throw error;
    // Only a view asked for bytes past the end throws here.
    throw new ImageRefused("it is cut off or damaged");
  }
  if (facts.width > 0 && facts.height > 0) return { type, ...facts };
  throw new ImageRefused("it has no pixels");
}

/** What a reader says of an image with more than one picture. */
export function animated(): ImageRefused {
  return new ImageRefused("animated images are not shown: give one picture of it");
}
