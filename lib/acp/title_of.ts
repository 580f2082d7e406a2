import type { Image, Text } from "../model/message.ts";
import { titleOf as wholeTitleOf } from "../session/title_of.ts";
import { cutLine } from "./cut_line.ts";

/**
 * The name of a session by its first prompt: the first line that says something, cut to `maxBytes`.
 * Undefined for a prompt without text.
 */
export function titleOf(
  prompt: readonly (Text | Image)[],
  maxBytes: number,
): string | undefined {
  const title = wholeTitleOf(prompt);
  return title === "" ? undefined : cutLine(title, maxBytes);
}
