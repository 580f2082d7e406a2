/** A text of at most `maxBytes` bytes of UTF-8: a longer one is cut between characters, and marked. */
export function cutLine(text: string, maxBytes: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= maxBytes) return text;
  const room = new Uint8Array(Math.max(0, maxBytes - encoder.encode("…").length));
  return text.slice(0, encoder.encodeInto(text, room).read) + "…";
}
