import { dirname } from "@std/path";
import { changeFile } from "./change_file.ts";
import { checkWritable } from "./check_writable.ts";
import { attempt, isHeld, isNamed, leadNotes, locate } from "./paths.ts";
import { replaceFile } from "./replace_file.ts";
import { defineTool, failed, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";
import { unsavedText } from "./unsaved_text.ts";
import type { FileFacts } from "./world.ts";

/** Creates a text file, or replaces all of it. */
export const writeFile: Tool = defineTool({
  name: "write_file",
  description: "Creates a text file, with the folders above it, or replaces all of its text and " +
    "gives the difference. The text is written as it is given, in UTF-8; end it with a newline " +
    "where the file wants one. To change a part of a file, use str_replace.",
  schema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file, relative to workdir" },
      content: { type: "string", description: "All of the file's new text" },
      workdir: { type: "string", description: "A folder, instead of the working directory" },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  annotations: {
    title: "Write a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ path, content, workdir }, context, signal) => {
    if (!content.isWellFormed()) {
      throw failed(context, `Cannot write "${path}": its content holds half of a surrogate pair`);
    }
    const bytes = new TextEncoder().encode(content);
    const target = await locate(path, workdir, "write", context);
    const leads = leadNotes(path, workdir, target, context);
    return await context.state.locks.run(
      target,
      () =>
        attempt("write", path, target, context, async () => {
          const facts = await currentFacts(target, context);
          if (facts !== undefined) {
            return await replaceAll(
              { target, facts, after: content, bytes, leads },
              path,
              context,
              signal,
            );
          }
          await context.world.mkdir(dirname(target), { recursive: true });
          await replaceFile(target, undefined, bytes, context.world, signal);
          await context.state.reads.note(target, bytes);
          return {
            text: [`Created "${path}" (${bytes.length} bytes)`, ...leads].join("; "),
            structured: { path: target, bytes: bytes.length, isNew: true },
          };
        }),
    );
  },
});

async function currentFacts(target: string, context: ToolContext): Promise<FileFacts | undefined> {
  return await context.world.stat(target).catch((error) => {
    if (isNamed(error, "NotFound")) return undefined;
    throw error;
  });
}

interface Replacement {
  readonly target: string;
  readonly facts: FileFacts;
  readonly after: string;
  readonly bytes: Uint8Array;
  /** What there is to say of the path. */
  readonly leads: readonly string[];
}

async function replaceAll(
  { target, facts, after, bytes, leads }: Replacement,
  path: string,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  if (facts.isDirectory) await checkNotHeld(target, facts, context);
  checkWritable(facts, path, context);
  const saved = await currentBytes(target, facts, context);
  const unsaved = await unsavedText(target, context, signal);
  const isUnsaved = unsaved.text !== undefined;
  const before = isUnsaved ? new TextEncoder().encode(unsaved.text) : saved;
  if (!isUnsaved && before !== undefined && sameBytes(before, bytes)) {
    await context.state.reads.note(target, bytes);
    return { text: `Unchanged: "${path}" has exactly these ${bytes.length} bytes already` };
  }
  if (isUnsaved && !context.state.reads.has(target)) {
    const advice = "read it first, so that nobody's work is lost";
    throw failed(context, `Cannot write "${path}": it has text that is not saved; ${advice}`);
  }
  if (before !== undefined && await context.state.reads.isStale(target, before)) {
    const advice = "read it again, so that nobody's work is lost";
    throw failed(context, `Cannot write "${path}": it has changed since you saw it; ${advice}`);
  }
  const done = `Replaced "${path}" (${bytes.length} bytes, before ${before?.length ?? facts.size})`;
  const text = before === undefined ? undefined : textIn(before);
  const notes = [...leads, ...(isUnsaved ? [] : unsaved.notes)];
  if (text !== undefined) {
    const texts = { before: text, after, bytes, isUnsaved };
    return await changeFile({ target, facts, ...texts }, done, notes, context, signal);
  }
  // What was there is no text, or too long for a difference.
  const written = await replaceFile(target, facts, bytes, context.world, signal);
  await context.state.reads.note(target, bytes);
  return { text: [done, ...notes, ...written].join("; ") };
}

/**
 * Where a protected file is missing, a folder that cannot be changed stands in its place: not that it is a
 * folder is what keeps it from being written.
 */
async function checkNotHeld(
  target: string,
  { mode }: FileFacts,
  { world }: ToolContext,
): Promise<void> {
  if (mode === null) return;
  await world.chmod(target, mode & 0o7777).catch((error) => {
    if (isHeld(error)) throw error;
  });
}

/** Undefined for a file that is too long, or that may be written and not read. */
async function currentBytes(
  target: string,
  { size }: FileFacts,
  { world, limits }: ToolContext,
): Promise<Uint8Array | undefined> {
  if (size > limits.maxReadFileBytes) return undefined;
  try {
    using file = await world.open(target, { read: true });
    const bytes = new Uint8Array(size + 1);
    let length = 0;
    for (let read; (read = await file.read(bytes.subarray(length))) !== null; length += read) {
      if (read === 0) return undefined; // it grows
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (isNamed(error, "NotCapable") || isNamed(error, "PermissionDenied")) return undefined;
    throw error;
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // the result has no difference then
  }
}
