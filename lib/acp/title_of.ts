import type { Image, Text } from "../model/message.ts";
import { cutLine } from "./cut_line.ts";

/** Controls, what formats invisibly, and line breaks: a list shows a title on one line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * The name of a session by its first prompt: the first line that says something, cut to `maxBytes`.
 * Undefined for a prompt without text.
 */
export function titleOf(
  prompt: readonly (Text | Image)[],
  maxBytes: number,
): string | undefined {
  const text = prompt.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
  const line = text.split("\n").map((each) => each.replaceAll(UNSEEN, " ").trim())
    .find((each) => each !== "");
  return line === undefined ? undefined : cutLine(line, maxBytes);
}
