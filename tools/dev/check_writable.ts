import { failed, type ToolContext } from "./tool.ts";
import type { FileFacts } from "./world.ts";

/**
 * Sees to it that what is to be written over is a regular file that somebody may write. A rename over
 * it would ask no such thing.
 *
 * @throws {SkepError} `TOOL_FAILED`
 */
export function checkWritable(facts: FileFacts, path: string, context: ToolContext): void {
  const isReadOnly = facts.mode !== null && (facts.mode & 0o222) === 0;
  const reason = facts.isDirectory
    ? "it is a folder"
    : !facts.isFile
    ? "it is not a regular file"
    : isReadOnly
    ? "nobody may write it, its mode is read-only"
    : undefined;
  if (reason !== undefined) throw failed(context, `Cannot write "${path}": ${reason}`);
}
