/** The image types that models take. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

const MAGICS: readonly (readonly [ImageType, string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

/** What image some bytes are, by how they begin; a name or a header may say anything. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  const magic = MAGICS.find(([, text]) => start.startsWith(text));
  if (magic !== undefined) return magic[0];
  return start.startsWith("RIFF") && start.slice(8) === "WEBP" ? "image/webp" : undefined;
}
