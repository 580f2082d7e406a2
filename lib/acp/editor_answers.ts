import type { EditorProblem } from "../mcp/editor_files.ts";
import { plainText } from "../mcp/plain_text.ts";
import { cutLine } from "./cut_line.ts";
import { isRecord } from "./is_record.ts";
import type { Answered } from "./requests.ts";

/** What a client answered to `fs/read_text_file`; of an error's words at most `maxBytes` are given. */
export function readText(
  answered: Answered,
  maxBytes: number,
): { readonly text: string } | EditorProblem {
  if ("error" in answered) return problemOf(answered.error, maxBytes);
  const { content } = isRecord(answered.result) ? answered.result : {};
  return typeof content === "string" ? { text: content } : { problem: "gave no text" };
}

/** The same for `fs/write_text_file`; undefined when it was done. */
export function readWritten(answered: Answered, maxBytes: number): EditorProblem | undefined {
  return "error" in answered ? problemOf(answered.error, maxBytes) : undefined;
}

function problemOf({ code, message }: { code: number; message: string }, maxBytes: number) {
  const words = plainText(message).replaceAll(/\s+/g, " ").trim() || String(code);
  return { problem: `answered with an error: ${cutLine(words, maxBytes)}` };
}
