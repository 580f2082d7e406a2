import type { Image, Text } from "../model/message.ts";

/** What a session is called in lists: the words of its first prompt in one line, as long as they are. */
export function titleOf(content: readonly (Text | Image)[]): string {
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n")
    .replaceAll(/[\s\p{C}]+/gu, " ").trim();
}
