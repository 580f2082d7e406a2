import { nearMiss } from "./near_miss.ts";
import { attempt, isNamed } from "./paths.ts";
import { failed, type ToolContext } from "./tool.ts";
import type { FileFacts } from "./world.ts";

/** What a path leads to. */
export type FileKind = "file" | "folder" | "a FIFO" | "a socket" | "a device";

/**
 * What lies at a path. Known before the file is opened: opening a FIFO waits, and a device has no end.
 *
 * @param path As the caller wrote it, for messages.
 * @throws {SkepError} `TOOL_FAILED` when nothing is there, with what may have been meant; `ACCESS_DENIED`.
 */
export async function kindOf(
  target: string,
  path: string,
  context: ToolContext,
): Promise<FileKind> {
  const facts = await attempt("read", path, target, context, async () => {
    try {
      return await context.world.stat(target);
    } catch (error) {
      if (!isNamed(error, "NotFound")) throw error;
      const hint = await nearMiss(target, path, context.world);
      throw failed(context, `Cannot read "${path}": no such file or folder${hint}`);
    }
  });
  return kindIn(facts);
}

/**
 * All bytes of a regular file.
 *
 * @param advice What to do about a file over the limit.
 * @returns The facts of the file at the time it was opened, too.
 * @throws {SkepError} `TOOL_FAILED` when it is over the limit or no regular file; `ACCESS_DENIED`.
 */
export async function readBytes(
  target: string,
  path: string,
  maxBytes: number,
  advice: string,
  context: ToolContext,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; facts: FileFacts }> {
  const kind = await kindOf(target, path, context);
  if (kind !== "file") {
    const what = kind === "folder" ? "a folder" : kind;
    throw failed(context, `Cannot read "${path}": it is ${what}, not a regular file`);
  }
  return await attempt("read", path, target, context, async () => {
    using file = await context.world.open(target, { read: true });
    const facts = await file.stat();
    const { size } = facts;
    // One byte more than was promised: a file that grows meanwhile is noticed.
    const bytes = new Uint8Array(Math.min(size, maxBytes) + 1);
    let length = 0;
    for (let read; (read = await file.read(bytes.subarray(length))) !== null; length += read) {
      signal.throwIfAborted();
      if (read === 0) break; // the buffer is full
    }
    if (size <= maxBytes && length <= size) return { bytes: bytes.subarray(0, length), facts };
    const found = size > maxBytes ? `it has ${size} bytes` : "it grows while it is read";
    throw failed(context, `Cannot read "${path}": ${found}, the limit is ${maxBytes}; ${advice}`);
  });
}

function kindIn(facts: FileFacts): FileKind {
  if (facts.isFile) return "file";
  if (facts.isDirectory) return "folder";
  if (facts.isFifo) return "a FIFO";
  if (facts.isSocket) return "a socket";
  return "a device";
}
