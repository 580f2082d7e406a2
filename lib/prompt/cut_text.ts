const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text as far as it fits. */
export interface CutText {
  readonly text: string;
  /** Of it, and of the whole, in bytes. */
  readonly bytes: number;
  readonly allBytes: number;
}

/**
 * A text cut to at most `maxBytes`, between characters; the marker that says so comes on top, on a line of
 * its own. A text that fits stays as it is.
 */
export function cutText(text: string, maxBytes: number): CutText {
  const all = encoder.encode(text);
  if (all.length <= maxBytes) return { text, bytes: all.length, allBytes: all.length };
  let end = Math.max(0, maxBytes);
  while (end > 0 && (all[end]! & 0b1100_0000) === 0b1000_0000) end--; // inside a character
  const head = decoder.decode(all.subarray(0, end));
  const marker = `[cut here: these are the first ${end} of ${all.length} bytes]`;
  return { text: `${head}\n${marker}`, bytes: end, allBytes: all.length };
}
