/** The text of bytes in UTF-8, without a byte order mark. @throws {TypeError} when they are none. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError("it is not UTF-8 text", { cause });
  }
}
