import type { Limits } from "../limits.ts";
import type { Image, Text } from "../model/message.ts";
import { byteLength, elideMiddle, READ_ARTIFACT } from "./elide.ts";
import { isObject } from "./message.ts";
import type { Keep } from "./registry.ts";
import { isSameJson } from "./same_json.ts";

/** The result of `tools/call` as the server wrote it: anything at all, so long as it is an object. */
export type RawResult = Readonly<Record<string, unknown>>;

/** A server's result as a model reads it. */
export interface ReadResult {
  readonly isError: boolean;
  readonly content: readonly (Text | Image)[];
}

/** Our own servers set it in a result's `_meta` when its structured content says nothing beyond its text. */
const COMPLETE_TEXT_META = "skep/text-is-complete";
const MAX_NAME_CHARACTERS = 256;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_TYPE = /^image\/[A-Za-z0-9.+-]+$/;

/**
 * Reads a tool's result. Neighbouring texts are joined; what no model takes becomes a note in brackets;
 * structured content is kept once, as JSON, when no text says the same (T36), be it as JSON or as its only value. Texts and images
 * together stay under their bounds: a text loses its middle, an image that does not fit is replaced
 * by a note.
 *
 * @param redact Takes secrets out of texts, before they are cut.
 * @param keep Keeps all of a text that is cut, and an image that does not fit; the marker or note
 * names where. Absent: what is cut is gone.
 */
export function readResult(
  raw: RawResult,
  limits: Pick<Limits, "maxToolResultTextBytes" | "maxToolResultBytes">,
  redact: (text: string) => string = (text) => text,
  keep?: Keep,
): ReadResult {
  const blocks = Array.isArray(raw.content) ? raw.content.map(readBlock) : [];
  const isTextComplete = isObject(raw._meta) && raw._meta[COMPLETE_TEXT_META] === true;
  const structured = isTextComplete ? undefined : readStructured(raw.structuredContent, blocks);
  const all = (structured === undefined ? blocks : [...blocks, structured])
    .map((block) => block.type === "text" ? { ...block, text: redact(block.text) } : block);
  return { isError: raw.isError === true, content: bounded(joined(all), limits, keep) };
}

function readBlock(block: unknown): Text | Image {
  if (!isObject(block)) return note("content elided: not an object");
  switch (block.type) {
    case "text":
      return typeof block.text === "string"
        ? { type: "text", text: block.text.toWellFormed() }
        : note("content elided: a text block without text");
    case "image":
      return readImage(block.data, block.mimeType);
    case "audio":
      return note(`audio elided: ${shown(block.mimeType)}, ${sizeOf(block.data)} bytes`);
    case "resource_link":
      return note(`resource: ${shown(block.uri)}${alsoNamed(block)}${described(block)}`);
    case "resource":
      return readResource(isObject(block.resource) ? block.resource : {});
    default:
      return note(`content elided: ${shown(block.type)}`);
  }
}

function readImage(data: unknown, mimeType: unknown): Text | Image {
  const base64 = typeof data === "string" ? data.replaceAll(/\s+/g, "") : "";
  // A provider refuses the whole request for one image that it cannot read, and every later one.
  if (!BASE64.test(base64) || base64.length % 4 !== 0) {
    return note(`image elided: ${shown(mimeType)}, its data is not base64`);
  }
  if (typeof mimeType !== "string" || !IMAGE_TYPE.test(mimeType)) {
    return note(`image elided: ${shown(mimeType)} is no image type`);
  }
  return { type: "image", data: base64, mediaType: mimeType };
}

function readResource({ uri, text, blob, mimeType }: RawResult): Text | Image {
  if (typeof text === "string") {
    return { type: "text", text: `[resource: ${shown(uri)}]\n${text.toWellFormed()}` };
  }
  if (typeof mimeType === "string" && IMAGE_TYPE.test(mimeType)) return readImage(blob, mimeType);
  const size = blob === undefined ? "" : `, ${shown(mimeType)}, ${sizeOf(blob)} bytes`;
  return note(`resource: ${shown(uri)}${size}`);
}

function note(text: string): Text {
  return { type: "text", text: `[${text}]` };
}

/** A short text of the server's for a note, on one line. */
function shown(value: unknown): string {
  if (typeof value !== "string") return "unknown";
  return value.replaceAll(/\s+/g, " ").slice(0, MAX_NAME_CHARACTERS).toWellFormed();
}

/** What a link is called, unless its address says so. */
function alsoNamed({ uri, title, name }: RawResult): string {
  const label = shown(title ?? name);
  return label === "unknown" || shown(uri).includes(label) ? "" : `, ${label}`;
}

/** What a link leads to, in its server's words. */
function described({ description }: RawResult): string {
  const words = typeof description === "string" ? shown(description).trim() : "";
  return words === "" ? "" : `: ${words}`;
}

function sizeOf(data: unknown): number {
  return typeof data === "string" ? data.length : 0;
}

function readStructured(value: unknown, blocks: readonly (Text | Image)[]): Text | undefined {
  if (value === undefined || value === null) return undefined;
  const texts = blocks.flatMap((block) => block.type === "text" ? [block.text] : []);
  if (texts.some((text) => isSameJson(parseJson(text), value))) return undefined;
  if (isOnlyValue(value, texts)) return undefined;
  return { type: "text", text: JSON.stringify(value).toWellFormed() };
}

/**
 * True of an object whose only value some text says, as servers wrap what is no object (`{"result": 5}`), or a list
 * whose items the texts say one by one.
 */
function isOnlyValue(value: unknown, texts: readonly string[]): boolean {
  const values = isObject(value) ? Object.values(value) : [];
  const [only] = values;
  if (values.length !== 1) return false;
  if (texts.some((text) => says(text, only))) return true;
  return Array.isArray(only) && only.length > 0 && only.length === texts.length &&
    only.every((item, place) => says(texts[place]!, item));
}

/** True of a text that is the value, or its JSON; servers differ in its last newline. */
function says(text: string, value: unknown): boolean {
  if (typeof value !== "string") return isSameJson(parseJson(text), value);
  return withoutLastNewline(value.toWellFormed()) === withoutLastNewline(text);
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // plain text: it says nothing in JSON
  }
}

function joined(blocks: readonly (Text | Image)[]): (Text | Image)[] {
  const runs: (Text | Image)[] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (block.type === "text" && last?.type === "text") {
      runs[runs.length - 1] = { type: "text", text: `${last.text}\n${block.text}` };
    } else {
      runs.push(block);
    }
  }
  return runs;
}

function bounded(
  blocks: readonly (Text | Image)[],
  limits: Pick<Limits, "maxToolResultTextBytes" | "maxToolResultBytes">,
  keep: Keep | undefined,
): (Text | Image)[] {
  const isCut = byteLength(textsOf(blocks)) > limits.maxToolResultTextBytes;
  const whole = isCut ? keep?.({ type: "text", text: textsOf(blocks) }) : undefined;
  const cut = fitted(blocks, limits, whole, keep);
  const where = `${READ_ARTIFACT} ${whole}`;
  if (whole === undefined || textsOf(cut).includes(where)) return cut;
  const remark = note(`the text is cut off; ${where} has the whole`);
  const left = limits.maxToolResultTextBytes - byteLength(remark.text);
  return [...fitted(blocks, { ...limits, maxToolResultTextBytes: left }, whole, keep), remark];
}

function fitted(
  blocks: readonly (Text | Image)[],
  limits: Pick<Limits, "maxToolResultTextBytes" | "maxToolResultBytes">,
  whole: string | undefined,
  keep: Keep | undefined,
): (Text | Image)[] {
  let textBytes = limits.maxToolResultTextBytes;
  let allBytes = limits.maxToolResultBytes;
  const kept: (Text | Image)[] = [];
  for (const block of blocks) {
    if (block.type === "image") {
      const bytes = block.data.length + block.mediaType.length;
      if (bytes <= allBytes) {
        kept.push(block);
        allBytes -= bytes;
        continue;
      }
    }
    const full = block.type === "text" ? block.text : noRoom(block, keep?.(block));
    const text = elideMiddle(full, Math.min(textBytes, allBytes), whole);
    if (text !== "") kept.push({ type: "text", text });
    textBytes -= byteLength(text);
    allBytes -= byteLength(text);
  }
  return kept;
}

function textsOf(blocks: readonly (Text | Image)[]): string {
  return blocks.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

function noRoom({ mediaType, data }: Image, kept: string | undefined): string {
  const where = kept === undefined ? "" : `; ${READ_ARTIFACT} ${kept} has it`;
  return `[image elided: ${mediaType}, ${data.length} base64 bytes exceeds remaining tool-result budget${where}]`;
}
