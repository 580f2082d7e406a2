import type { StructuredPatchHunk } from "diff";

/** How a text changed. */
export interface UnifiedDiff {
  /** In the form of `diff -u`, with a newline at the end; empty when nothing changed. */
  readonly text: string;
  /** Lines added and removed; those of hunks that were left out are counted too. */
  readonly added: number;
  readonly removed: number;
  /** Some of it was left out: past the bound, or since it would take too long to find. */
  readonly isCut: boolean;
}

/** Lines around a change. */
const CONTEXT_LINES = 3;
/** Past these a diff is not worth its time: nobody reads one of thousands of changes. */
const MAX_EDITS = 4000;
const MAX_MS = 500;

/**
 * The difference of two texts by lines. Whole hunks are left out once it would pass `maxBytes`.
 *
 * @param name The file's name as both headers give it.
 */
export async function unifiedDiff(
  before: string,
  after: string,
  name: string,
  maxBytes: number,
): Promise<UnifiedDiff> {
  if (before === after) return { text: "", added: 0, removed: 0, isCut: false };
  const { structuredPatch } = await import("diff");
  const [oldPart, newPart, skippedLines] = changedPart(before, after);
  const patch = structuredPatch(name, name, oldPart, newPart, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
    timeout: MAX_MS,
  });
  if (patch === undefined) {
    const note = "[too many changes to show]\n";
    return { text: note, added: lineCount(newPart), removed: lineCount(oldPart), isCut: true };
  }
  const hunks = patch.hunks.map((hunk) => rendered(hunk, skippedLines));
  const isAbsolute = name.startsWith("/");
  let text = `--- ${isAbsolute ? "" : "a/"}${name}\n+++ ${isAbsolute ? "" : "b/"}${name}\n`;
  const encoder = new TextEncoder();
  let bytes = encoder.encode(text).length;
  let kept = 0;
  for (const hunk of hunks) {
    bytes += encoder.encode(hunk).length;
    if (bytes > maxBytes) break;
    text += hunk;
    kept++;
  }
  const left = hunks.length - kept;
  if (left > 0) text += `[… ${left} more ${left === 1 ? "hunk" : "hunks"} left out]\n`;
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    text,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    isCut: left > 0,
  };
}

/**
 * Both texts without the lines that they begin and end with alike, but for a context's worth: a diff of
 * a large file takes the time of its changes. Also gives how many lines were left out at the start.
 */
function changedPart(before: string, after: string): [string, string, number] {
  const shortest = Math.min(before.length, after.length);
  let same = 0;
  while (same < shortest && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  let start = lineStart(before, same);
  for (let line = 0; line < CONTEXT_LINES; line++) start = lineStart(before, start - 1);
  let alike = 0;
  while (
    alike < shortest - same &&
    before.charCodeAt(before.length - 1 - alike) === after.charCodeAt(after.length - 1 - alike)
  ) alike++;
  let end = before.length - alike;
  for (let line = 0; line <= CONTEXT_LINES + 1 && end < before.length; line++) {
    const newline = before.indexOf("\n", end);
    end = newline === -1 ? before.length : newline + 1;
  }
  const fromEnd = before.length - end;
  return [
    before.slice(start, end),
    after.slice(start, after.length - fromEnd),
    lineCount(before.slice(0, start)),
  ];
}

function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = -1; (at = text.indexOf("\n", at + 1)) !== -1;) count++;
  return count;
}

function rendered(hunk: StructuredPatchHunk, skippedLines: number): string {
  const from = range(hunk.oldStart + skippedLines, hunk.oldLines);
  const to = range(hunk.newStart + skippedLines, hunk.newLines);
  return `@@ -${from} +${to} @@\n${hunk.lines.map((line) => `${line}\n`).join("")}`;
}

/** The line before stands for an empty range, and a length of 1 goes without saying. */
function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`;
}
