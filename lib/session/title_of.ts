import type { Image, Text } from "../model/message.ts";

/** Controls, what formats invisibly, and line breaks: a list shows a title on one line. */
const UNSEEN = /[\p{C}\p{Z}\s]+/gu;

/** What a session is called by a prompt: the first line that says something, however long; empty when none does. */
export function titleOf(content: readonly (Text | Image)[]): string {
  const text = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
  return text.split("\n").map((line) => line.replaceAll(UNSEEN, " ").trim())
    .find((line) => line !== "") ?? "";
}
