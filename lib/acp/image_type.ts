/** How the data of the kinds of images begin that every provider takes, in Latin-1. */
const KINDS: readonly (readonly [mediaType: string, begins: (data: string) => boolean])[] = [
  ["image/png", (data) => data.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (data) => data.startsWith("\xff\xd8\xff")],
  ["image/gif", (data) => data.startsWith("GIF87a") || data.startsWith("GIF89a")],
  ["image/webp", (data) => data.startsWith("RIFF") && data.slice(8, 12) === "WEBP"],
];

/** Characters of base64 that hold the longest start. */
const START = 16;

/**
 * What kind of image base64 text holds, by its first bytes: clients take the kind from a file's name, and a
 * provider refuses one that is not what it is said to be. Undefined for none that providers take.
 */
export function imageType(base64: string): string | undefined {
  const start = base64.slice(0, START);
  let bytes: string;
  try {
    bytes = atob(start);
  } catch {
    return undefined; // padding in the middle, or a length that is none
  }
  return KINDS.find(([, begins]) => begins(bytes))?.[0];
}
