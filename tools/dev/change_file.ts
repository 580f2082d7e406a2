import { isAbsolute, relative } from "@std/path";
import { replaceFile } from "./replace_file.ts";
import type { ToolContext, ToolOutput } from "./tool.ts";
import { unifiedDiff } from "./unified_diff.ts";
import { writeUnsaved } from "./unsaved_text.ts";
import type { FileFacts } from "./world.ts";

/** A file's text before and after, and the bytes that stand for the latter. */
export interface FileChange {
  /** Canonical. */
  readonly target: string;
  readonly facts: FileFacts;
  readonly before: string;
  readonly after: string;
  readonly bytes: Uint8Array;
  /** `before` is the text in the person's editor, which is not saved; else it lies on the disk. */
  readonly isUnsaved?: boolean;
}

/**
 * Writes a file's new text and tells the difference, for the model and for programs.
 *
 * @param done What was done, such as `Replaced 1 occurrence in "a.ts"`; `notes` follow it.
 * @throws What {@linkcode replaceFile} does, and {@linkcode writeUnsaved}.
 */
export async function changeFile(
  change: FileChange,
  done: string,
  notes: readonly string[],
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { target, facts, before, after, bytes } = change;
  const name = shownPath(target, context.cwd);
  const written = change.isUnsaved
    ? await writeUnsaved(change, name, context, signal)
    : await replaceFile(target, facts, bytes, context.world, signal);
  await context.state.reads.note(target, bytes);
  const diff = await unifiedDiff(before, after, name, context.limits.maxDiffBytes);
  return {
    text: `${[done, ...notes, ...written].join("; ")}\n\n${diff.text}`,
    structured: {
      path: target,
      diff: diff.text,
      added: diff.added,
      removed: diff.removed,
      isDiffCut: diff.isCut,
    },
  };
}

function shownPath(target: string, cwd: string): string {
  const path = relative(cwd, target);
  return path === ".." || path.startsWith("../") || isAbsolute(path) ? target : path;
}
