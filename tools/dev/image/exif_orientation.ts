const ORIENTATION_TAG = 0x0112;
/** Entries of a directory that are looked at: a camera writes some twenty. */
const MAX_ENTRIES = 200;

/**
 * How an image wants to be turned, by its EXIF data, from 1 (not at all) to 8. Data that is damaged
 * says nothing.
 *
 * @param tiff The data from its byte order on. @see TIFF 6.0, section 2
 */
export function exifOrientation(tiff: Uint8Array): number {
  try {
    const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
    const isLittle = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, isLittle);
    const count = Math.min(view.getUint16(directory, isLittle), MAX_ENTRIES);
    for (let entry = 0; entry < count; entry++) {
      const at = directory + 2 + entry * 12;
      if (view.getUint16(at, isLittle) !== ORIENTATION_TAG) continue;
      const value = view.getUint16(at + 8, isLittle);
      return value >= 1 && value <= 8 ? value : 1;
    }
  } catch {
    // It points past its end: it says nothing then.
  }
  return 1;
}
