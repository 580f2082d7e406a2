import type { Limits } from "../limits.ts";
import { section } from "./section.ts";
import { cutText } from "./cut_text.ts";

const INTRO =
  "Of the servers and tools that were asked for, these are not there, or have another name. " +
  "When a request\nneeds one that is not there, say so.";

/** What servers and tools are not there, as one section of the prompt up to its bound; empty when all are. */
export function missingTools(
  sentences: readonly string[],
  { maxMissingToolsBytes }: Pick<Limits, "maxMissingToolsBytes">,
): string {
  if (sentences.length === 0 || maxMissingToolsBytes <= 0) return "";
  const { text } = cutText(sentences.map((each) => `- ${each}`).join("\n"), maxMissingToolsBytes);
  return section("missing_tools", `${INTRO}\n${text}`);
}
