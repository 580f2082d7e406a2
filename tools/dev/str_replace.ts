import { LIMITS } from "../../lib/limits.ts";
import type { Arguments } from "./arguments.ts";
import { applyEdits, type Edit, type EditedText, EditRefused } from "./apply_edits.ts";
import { changeFile } from "./change_file.ts";
import { decodeText, encodeText, NAMED_ENCODINGS } from "./decode_text.ts";
import { attempt, leadNotes, locate } from "./paths.ts";
import { readBytes } from "./read_bytes.ts";
import { defineTool, failed, type Tool, type ToolContext } from "./tool.ts";
import { checkWritable } from "./check_writable.ts";
import { unsavedText } from "./unsaved_text.ts";

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to workdir" },
    old_str: { type: "string", description: "The text to replace, exactly as it stands" },
    new_str: { type: "string", description: "The text in its place, or to insert" },
    replace_all: { type: "boolean", description: "Replace every occurrence; else it must be one" },
    insert_line: {
      type: "integer",
      description: "Insert new_str after this line instead; 0 is the start",
      minimum: 0,
    },
    edits: {
      type: "array",
      description: "Several replacements instead, one after another; all are made or none",
      maxItems: LIMITS.maxEdits.value,
      items: {
        type: "object",
        properties: {
          old_str: { type: "string", description: "The text to replace" },
          new_str: { type: "string", description: "The text in its place" },
          replace_all: { type: "boolean", description: "Replace every occurrence" },
        },
        required: ["old_str", "new_str"],
        additionalProperties: false,
      },
    },
    encoding: {
      type: "string",
      description: "For a file that is not UTF-8 and has no byte order mark",
      enum: NAMED_ENCODINGS,
    },
    workdir: { type: "string", description: "A folder, instead of the working directory" },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/** Changes parts of a text file. */
export const strReplace: Tool = defineTool({
  name: "str_replace",
  description: "Replaces text in a file and gives the difference. old_str must match exactly, " +
    "whitespace too, and be unique unless replace_all; lines of read_file come without their " +
    "number. Instead: `edits` for several at once, `insert_line` to insert. Prefer it to sed.",
  schema: SCHEMA,
  annotations: {
    title: "Edit a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  run: async (args, context, signal) => {
    const { path, workdir, encoding } = args;
    const edits = editsIn(args, context);
    const target = await locate(path, workdir, "write", context);
    return await context.state.locks.run(target, async () => {
      const limit = context.limits.maxReadFileBytes;
      const advice = "change it with the shell, such as sed";
      const { bytes, facts } = await readBytes(target, path, limit, advice, context, signal);
      checkWritable(facts, path, context);
      const decoded = decodeText(bytes, path, context, encoding);
      const unsaved = await unsavedText(target, context, signal);
      const isUnsaved = unsaved.text !== undefined;
      const before = { ...decoded, text: unsaved.text ?? decoded.text };
      const seen = isUnsaved ? new TextEncoder().encode(before.text) : bytes;
      const isStale = await context.state.reads.isStale(target, seen);
      if (isStale && edits.some(({ kind }) => kind === "insert")) {
        const advice = "lines may have moved; read it again";
        throw failed(
          context,
          `Cannot insert in "${path}": it has changed since you saw it, ${advice}`,
        );
      }
      const after = edited(before.text, edits, path, context);
      if (after.text === before.text) {
        return { text: `Unchanged: "${path}" is the same after the edit as before` };
      }
      const newBytes = encodeText({ ...before, text: after.text });
      if (newBytes === undefined) {
        const reason = `the new text has characters that ${before.encoding} cannot write`;
        throw failed(context, `Cannot edit "${path}": ${reason}`);
      }
      const notes = [
        ...leadNotes(path, workdir, target, context),
        ...(after.hasTurnedLineEnds ? ["line ends written as CRLF, as the file has them"] : []),
        ...(isStale ? ["the file has changed since you last saw it"] : []),
        ...(isUnsaved ? [] : unsaved.notes),
      ];
      const texts = { before: before.text, after: after.text, bytes: newBytes, isUnsaved };
      const change = { target, facts, ...texts };
      const done = `Edited "${path}": ${after.done.join(", ")}`;
      return await attempt(
        "write",
        path,
        target,
        context,
        () => changeFile(change, done, notes, context, signal),
      );
    });
  },
});

function editsIn(args: Arguments<typeof SCHEMA>, context: ToolContext): readonly Edit[] {
  const { old_str, new_str, replace_all, insert_line, edits } = args;
  const { maxEdits } = context.limits;
  const ways = [old_str, insert_line, edits].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const given = ways.length === 0 ? "none was given" : "more than one was given";
    throw failed(context, `Give one of old_str, insert_line and edits: ${given}`);
  }
  if (edits !== undefined) {
    if (new_str !== undefined) throw failed(context, "new_str belongs in each of the edits");
    if (edits.length === 0) throw failed(context, "edits is empty: give at least one");
    if (edits.length > maxEdits) {
      throw failed(
        context,
        `Cannot make ${edits.length} edits in one call: the limit is ${maxEdits}`,
      );
    }
    return edits.map((edit) => checked(replacement(edit), context));
  }
  if (new_str === undefined) throw failed(context, 'new_str is missing; "" is no text');
  if (insert_line !== undefined) {
    return [checked({ kind: "insert", afterLine: insert_line, newText: new_str }, context)];
  }
  return [checked(replacement({ old_str: old_str ?? "", new_str, replace_all }), context)];
}

function replacement(
  { old_str, new_str, replace_all = false }: {
    readonly old_str: string;
    readonly new_str: string;
    readonly replace_all?: boolean | undefined;
  },
): Edit {
  return { kind: "replace", oldText: old_str, newText: new_str, isAll: replace_all };
}

function checked(edit: Edit, context: ToolContext): Edit {
  if (edit.newText.isWellFormed()) return edit;
  throw failed(context, "Cannot write new_str: it holds half of a surrogate pair");
}

function edited(
  text: string,
  edits: readonly Edit[],
  path: string,
  context: ToolContext,
): EditedText {
  try {
    return applyEdits(text, edits, context.limits.maxReadFileBytes);
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    throw failed(context, `Cannot edit "${path}": ${error.message}`, error);
  }
}
