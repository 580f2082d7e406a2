import { failed, type ToolContext } from "./tool.ts";

/** How a file's bytes stand for characters. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin-1";

/** A file's text, with what it takes to write it back as it was. */
export interface DecodedText {
  /** Without a byte order mark. */
  readonly text: string;
  readonly encoding: Encoding;
  readonly hasBom: boolean;
}

/** The encodings that a caller may name; the others are told by their byte order mark. */
export const NAMED_ENCODINGS = ["utf-8", "latin-1"] as const;

const BOMS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
const NEWLINE = 0x0a;

/**
 * Decodes a file's bytes: as its byte order mark says, else as UTF-8 unless `encoding` says otherwise.
 *
 * @param path As the caller wrote it, for messages.
 * @throws {SkepError} `TOOL_FAILED`, saying where it stops being text, and what it looks like.
 */
export function decodeText(
  bytes: Uint8Array,
  path: string,
  context: Pick<ToolContext, "tool">,
  encoding: (typeof NAMED_ENCODINGS)[number] = "utf-8",
): DecodedText {
  if (encoding === "latin-1") {
    refuseBinary(bytes, path, context);
    return { text: decodeLatin1(bytes), encoding, hasBom: false };
  }
  const [marked, bom] = BOMS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ??
    ["utf-8", []];
  if (marked === "utf-8") refuseBinary(bytes, path, context);
  const text = decodeStrict(bytes.subarray(bom.length), marked);
  if (text !== undefined) return { text, encoding: marked, hasBom: bom.length > 0 };
  const reason = marked === "utf-8"
    ? `line ${
      firstBadLine(bytes)
    } is not UTF-8; pass encoding="latin-1" to read each byte as a character`
    : `its byte order mark says ${marked.toUpperCase()}, and that it is not`;
  throw failed(context, `Cannot read "${path}": ${reason}`);
}

/**
 * The bytes of a text in the encoding that it had. Undefined when the encoding has no such character.
 */
export function encodeText({ text, encoding, hasBom }: DecodedText): Uint8Array | undefined {
  switch (encoding) {
    case "utf-8":
      return new TextEncoder().encode(hasBom ? `\ufeff${text}` : text);
    case "latin-1":
      return encodeLatin1(text);
    case "utf-16le":
    case "utf-16be":
      return encodeUtf16(hasBom ? `\ufeff${text}` : text, encoding === "utf-16le");
    default:
      return encoding satisfies never;
  }
}

function refuseBinary(bytes: Uint8Array, path: string, context: Pick<ToolContext, "tool">): void {
  const nul = bytes.indexOf(0);
  if (nul === -1) return;
  const reason = `it looks like a binary file of ${bytes.length} bytes (NUL at byte ${nul})`;
  throw failed(context, `Cannot read "${path}": ${reason}`);
}

function decodeStrict(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the caller says where
  }
}

function firstBadLine(bytes: Uint8Array): number {
  // A newline byte is never part of another character: each line decodes by itself.
  let number = 1;
  for (let start = 0, end; start < bytes.length; start = end + 1, number++) {
    end = bytes.indexOf(NEWLINE, start);
    if (end === -1) end = bytes.length;
    if (decodeStrict(bytes.subarray(start, end), "utf-8") === undefined) break;
  }
  return number;
}

/** By hand: the decoder of that name reads Windows-1252, which cannot be written back byte for byte. */
function decodeLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return parts.join("");
}

/** Arguments of one call, well below what the engine takes. */
const CHUNK = 8192;

function encodeLatin1(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0xff) return undefined;
    bytes[at] = unit;
  }
  return bytes;
}

function encodeUtf16(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(at * 2, text.charCodeAt(at), isLittleEndian);
  }
  return new Uint8Array(view.buffer);
}
