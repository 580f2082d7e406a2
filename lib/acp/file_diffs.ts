import type { Diff } from "@agentclientprotocol/sdk";
import { isAbsolute } from "@std/path";
import type { CallResult } from "../mcp/registry.ts";
import type { AskedCall } from "./call_ids.ts";

/** A changed part of a file. */
export interface FileDiff extends Diff {
  /** Where it begins in the new file, counted from 1. */
  readonly line: number;
}

/**
 * What a call changed in a file, a part for each hunk. Servers say it in their structured content:
 * `{path, diff}` with an absolute path and a unified diff, or `{path, isNew: true}` for a file whose text
 * was the call's `content`. Of a diff that was cut, what is there; what cannot be read gives nothing.
 */
export function fileDiffs(
  { structured, isError }: CallResult,
  asked: AskedCall | undefined,
): FileDiff[] {
  const { path, diff, isNew } = structured ?? {};
  if (isError || typeof path !== "string" || !isAbsolute(path)) return [];
  if (typeof diff === "string") return hunksOf(diff).map((hunk) => ({ path, ...hunk }));
  const newText = asked?.input?.content;
  return isNew === true && typeof newText === "string" ? [{ path, newText, line: 1 }] : [];
}

type Hunk = Omit<FileDiff, "path">;

const HUNK_HEAD = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = diff.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const head = HUNK_HEAD.exec(lines[at]!);
    if (head === null) continue;
    const counts = { old: Number(head[1] ?? 1), new: Number(head[3] ?? 1) };
    const hunk = hunkAt(lines, at + 1, counts);
    hunks.push({ ...hunk, line: Math.max(1, Number(head[2])) });
  }
  return hunks;
}

/** The texts of a hunk by the counts in its head: a changed line may itself look like a head. */
function hunkAt(
  lines: readonly string[],
  first: number,
  left: { old: number; new: number },
): Pick<Hunk, "oldText" | "newText"> {
  let oldText = "";
  let newText = "";
  for (let at = first; at < lines.length; at++) {
    const line = lines[at]!;
    const [sign, text] = [line[0], line.slice(1)];
    if (left.old + left.new <= 0 && sign !== "\\") break;
    const end = lines[at + 1]?.startsWith("\\") ? "" : "\n"; // "\ No newline at end of file"
    if (sign === " " || sign === "-") oldText += text + end;
    if (sign === " " || sign === "+") newText += text + end;
    if (sign === " " || sign === "-") left.old--;
    if (sign === " " || sign === "+") left.new--;
  }
  return { oldText, newText };
}
