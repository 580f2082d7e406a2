import { LIMITS } from "../../lib/limits.ts";
import { counted } from "./counted.ts";
import { type DecodedText, decodeText, NAMED_ENCODINGS } from "./decode_text.ts";
import { imageTypeOf } from "./image/image_type.ts";
import { listFolder } from "./list_folder.ts";
import { type NumberedLines, numberedLines } from "./numbered_lines.ts";
import { locate } from "./paths.ts";
import { kindOf, readBytes } from "./read_bytes.ts";
import { defineTool, failed, type Tool } from "./tool.ts";
import { unsavedText } from "./unsaved_text.ts";

/** Reads a text file, or lists a folder. */
export const readFile: Tool = defineTool({
  name: "read_file",
  description: "Reads a text file and gives its lines with their numbers, or lists a folder. " +
    "Prefer it to cat, head, tail and ls. A long file comes in parts: the result names the next offset.",
  schema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The file or folder, relative to workdir" },
      offset: {
        type: "integer",
        description: "The first line to give, counted from 1",
        minimum: 1,
        default: 1,
      },
      limit: {
        type: "integer",
        description: "The most lines to give",
        minimum: 1,
        default: LIMITS.maxReadLines.value,
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
  },
  annotations: {
    title: "Read a file",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ path, offset = 1, limit, encoding, workdir }, context, signal) => {
    const { maxReadLines, maxReadFileBytes } = context.limits;
    const window = { offset, limit: Math.min(limit ?? maxReadLines, maxReadLines) };
    const target = await locate(path, workdir, "read", context);
    if (await kindOf(target, path, context) === "folder") {
      return { text: await listFolder(path, target, window, context, signal) };
    }
    const advice = "read a part with the shell, such as head -c";
    const { bytes } = await readBytes(target, path, maxReadFileBytes, advice, context, signal);
    const image = imageTypeOf(bytes);
    if (image !== undefined) {
      throw failed(
        context,
        `Cannot read "${path}": it is an image (${image}); view_image shows it`,
      );
    }
    const decoded = decodeText(bytes, path, context, encoding);
    const unsaved = await unsavedText(target, context, signal);
    const { text = decoded.text } = unsaved;
    const seen = unsaved.text === undefined ? bytes : new TextEncoder().encode(text);
    await context.state.reads.note(target, seen);
    const lines = numberedLines(text, window, context.limits);
    return { text: render(path, lines, decoded, unsaved.notes) };
  },
});

function render(
  path: string,
  lines: NumberedLines,
  { encoding, hasBom }: DecodedText,
  also: readonly string[],
): string {
  const { first, last, total, crlf, lf } = lines;
  const notes = [
    ...(crlf === 0 ? [] : [lf === 0 ? "CRLF line endings" : `${crlf} CRLF and ${lf} LF endings`]),
    ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()]),
    ...(hasBom && encoding === "utf-8" ? ["UTF-8 BOM"] : []),
    ...also,
  ].map((note) => `; ${note}`).join("");
  if (total === 0) return `${path} is empty (0 lines${notes})`;
  if (last < first) {
    return `${path} (no line ${first}, the file has ${counted(total, "line")}${notes})`;
  }
  const header = `${path} (lines ${first}-${last} of ${total}${notes})\n`;
  const more = last < total
    ? `[lines ${first}-${last} of ${total} shown; use offset=${last + 1} to go on]\n`
    : "";
  return header + lines.text + more;
}
