import { failed, type ToolContext } from "./tool.ts";

/** What a person's editor has of a file beside what lies on the disk. */
export interface Unsaved {
  /** The text that is not saved; undefined where there is none. */
  readonly text?: string;
  /** What a model must know of it, for a result. */
  readonly notes: readonly string[];
}

/**
 * Asks for the text of a file that is not saved. What an editor cannot say is noted, and what lies on the disk
 * counts.
 *
 * @param target Canonical, once this server's grant allows the access there.
 * @throws the signal's reason.
 */
export async function unsavedText(
  target: string,
  { editor }: Pick<ToolContext, "editor">,
  signal: AbortSignal,
): Promise<Unsaved> {
  if (editor === undefined) return { notes: [] };
  const { text, problem } = await editor.read(target, signal);
  if (problem !== undefined) {
    return { notes: [`the text on the disk: the person's editor ${problem}`] };
  }
  if (text === undefined) return { notes: [] };
  return { text, notes: ["the text in the person's editor, which is not saved"] };
}

/**
 * Has the editor write the new text of a file that was not saved: written to the disk, it would stand against
 * what the person has open.
 *
 * @param path As the caller wrote it, for messages.
 * @returns what a person should know of it.
 * @throws {SkepError} `TOOL_FAILED`; the signal's reason.
 */
export async function writeUnsaved(
  { target, before, after }: {
    readonly target: string;
    readonly before: string;
    readonly after: string;
  },
  path: string,
  context: ToolContext,
  signal: AbortSignal,
): Promise<string[]> {
  const { maxEditorFileBytes } = context.limits;
  const bytes = new TextEncoder().encode(JSON.stringify(after)).length;
  const { problem } = bytes > maxEditorFileBytes
    ? { problem: `takes at most ${maxEditorFileBytes} bytes` }
    : await context.editor?.write(target, before, after, signal) ?? {};
  if (problem === undefined) return ["written by the person's editor, where it was not saved"];
  const advice = "read it again, or ask for it to be saved";
  throw failed(
    context,
    `Cannot write "${path}": it has text that is not saved, and the person's editor ${problem}; ${advice}`,
  );
}
