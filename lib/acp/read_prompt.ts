import { SkepError } from "../errors.ts";
import type { Image, Text } from "../model/message.ts";
import { imageType } from "./image_type.ts";
import { isRecord } from "./is_record.ts";

const METHOD = "session/prompt";
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/**
 * Reads the content blocks of a prompt. Texts that follow one another are joined by a newline. A link
 * is named, not read: the model has tools for that. What is embedded comes with its address.
 *
 * @param limit Most bytes that the prompt's texts may hold together.
 * @param method Whose prompt it is, for the message.
 * @throws {SkepError} `INVALID_PARAMS` when a block cannot be used, there is nothing, or too much.
 */
export function readPrompt(prompt: unknown, limit: number, method = METHOD): (Text | Image)[] {
  try {
    return readBlocks(prompt, limit);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const message = `${method}: ${error.message}`;
    throw new SkepError("INVALID_PARAMS", message, { method });
  }
}

function readBlocks(prompt: unknown, limit: number): (Text | Image)[] {
  if (!Array.isArray(prompt)) throw invalid("prompt must be an array of content blocks");
  const content: (Text | Image)[] = [];
  for (const block of prompt.map(readBlock)) {
    const last = content.at(-1);
    if (block.type === "text" && last?.type === "text") {
      content[content.length - 1] = { type: "text", text: `${last.text}\n${block.text}` };
    } else content.push(block);
  }
  if (content.every((block) => block.type === "text" && block.text.trim() === "")) {
    throw invalid("the prompt is empty");
  }
  const texts = content.map((block) => block.type === "text" ? block.text : "").join("");
  const bytes = new TextEncoder().encode(texts).length;
  if (bytes > limit) throw invalid(`the prompt has ${bytes} bytes of text: the limit is ${limit}`);
  return content;
}

function readBlock(block: unknown): Text | Image {
  const { type, ...rest } = isRecord(block) ? block : {};
  switch (type) {
    case "text":
      return { type: "text", text: text(rest.text, "the text of a text block") };
    case "image":
      return readImage(rest.data, rest.mimeType);
    case "resource_link":
      return { type: "text", text: readLink(rest.uri, rest.name) };
    case "resource":
      return readResource(isRecord(rest.resource) ? rest.resource : {});
    case "audio":
      throw invalid("audio is not taken: send the words as text");
    default:
      throw invalid(`unsupported content block ${JSON.stringify(type)?.slice(0, 100) ?? ""}`);
  }
}

function readImage(data: unknown, mimeType: unknown): Image {
  if (typeof data !== "string" || data === "" || NOT_BASE64.test(data)) {
    throw invalid("an image's data is no base64");
  }
  if (typeof mimeType !== "string" || !mimeType.startsWith("image/")) {
    throw invalid("an image's mimeType must start with image/");
  }
  const mediaType = imageType(data);
  if (mediaType === undefined) {
    throw invalid(
      `an image must be PNG, JPEG, GIF or WebP: one that is said to be ${line(mimeType)} is not`,
    );
  }
  return { type: "image", data, mediaType };
}

function readLink(uri: unknown, name: unknown): string {
  const address = line(text(uri, "the uri of a resource link"));
  const called = typeof name === "string" ? line(name) : "";
  return called === "" ? `[resource: ${address}]` : `[resource: ${address}] ${called}`;
}

function readResource(resource: Readonly<Record<string, unknown>>): Text | Image {
  const { uri, text: body, blob, mimeType } = resource;
  if (typeof body === "string") return { type: "text", text: `${readLink(uri, "")}\n${body}` };
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) {
    return readImage(blob, mimeType);
  }
  throw invalid("an embedded resource must be text or an image");
}

function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw invalid(`${what} is missing`);
}

/** On one line: a name must not look like further text of the prompt. */
function line(value: string): string {
  return value.replaceAll(/\s+/g, " ").trim();
}

/** Why a prompt cannot be used. */
class Unusable extends Error {}

function invalid(what: string): Unusable {
  return new Unusable(what);
}
