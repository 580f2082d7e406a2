const MARKER_BYTES = 128;

/** The name of the tool that gives what was left out. */
export const READ_ARTIFACT = "read_artifact";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Keeps the beginning and the end of a text, at most `maxBytes` of it in all. The line between them
 * counts what was left out. A budget that is too small for that line keeps the beginning alone.
 *
 * @param artifact The id under which the whole is kept, which that line names.
 */
export function elideMiddle(text: string, maxBytes: number, artifact?: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const kept = maxBytes - MARKER_BYTES;
  if (kept <= 0) return decoder.decode(bytes.subarray(0, startOfCharacter(bytes, maxBytes)));
  const head = startOfCharacter(bytes, Math.ceil(kept / 2));
  const tail = endOfCharacter(bytes, bytes.length - Math.floor(kept / 2));
  const where = artifact === undefined ? "" : `; ${READ_ARTIFACT} ${artifact} has the whole`;
  const marker = `[... ${
    tail - head
  } of ${bytes.length} bytes elided from tool result${where} ...]`;
  return `${decoder.decode(bytes.subarray(0, head))}\n${marker}\n${
    decoder.decode(bytes.subarray(tail))
  }`;
}

/** Keeps the beginning of a text. A cut text ends with `mark` (of ASCII), which the `maxBytes` include. */
export function elideEnd(text: string, maxBytes: number, mark: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const end = startOfCharacter(bytes, maxBytes - mark.length);
  return decoder.decode(bytes.subarray(0, end)) + mark;
}

/** Keeps the end of a text, at most `maxBytes` of it. */
export function elideStart(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  return decoder.decode(bytes.subarray(endOfCharacter(bytes, bytes.length - maxBytes)));
}

/** The last position up to `position` where a character starts. */
function startOfCharacter(bytes: Uint8Array, position: number): number {
  let start = Math.max(position, 0);
  while (start > 0 && isInsideCharacter(bytes[start])) start--;
  return start;
}

/** The first position from `position` on where a character starts. */
function endOfCharacter(bytes: Uint8Array, position: number): number {
  let end = position;
  while (end < bytes.length && isInsideCharacter(bytes[end])) end++;
  return end;
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
