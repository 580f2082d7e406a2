import { messageOf } from "../errors.ts";
import type { Limits } from "../limits.ts";
import { READ_ARTIFACT } from "../mcp/elide.ts";
import type { CallResult } from "../mcp/registry.ts";
import type { ArtifactStore } from "./artifacts.ts";
import type { BuiltIn } from "./built_ins.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The tool by which the model reads what was too long for a result; listed once there is such a thing. */
export function readArtifactTool(
  artifacts: Pick<ArtifactStore, "get" | "size">,
  limits: Pick<Limits, "maxArtifactTextBytes">,
): BuiltIn {
  return {
    definition: {
      name: READ_ARTIFACT,
      description: "Reads what was left out of a tool result, by the id that its marker names: " +
        "from a byte on, or only the lines that hold a text.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", description: 'As in the marker, such as "a1"' },
          offset: { type: "integer", minimum: 0, description: "The first byte; 0 unless given" },
          find: { type: "string", description: "Gives the lines that hold this text, as it is" },
        },
        required: ["id"],
      },
    },
    isListed: () => artifacts.size > 0,
    run: async ({ id, offset = 0, find }) => {
      if (typeof id !== "string") return said("id must be a text, such as a1", true);
      if (!Number.isSafeInteger(offset) || Number(offset) < 0) {
        return said(`offset must be a whole number from 0, not ${JSON.stringify(offset)}`, true);
      }
      if (find !== undefined && (typeof find !== "string" || find === "")) {
        return said("find must be a text that is not empty", true);
      }
      try {
        const found = await artifacts.get(id);
        if (found === undefined) return said(`There is no artifact "${id}", or no more`, true);
        if (found.type === "image") return { isError: false, content: [found] };
        const bytes = new TextEncoder().encode(found.text);
        const most = limits.maxArtifactTextBytes;
        return find === undefined
          ? said(part(bytes, Number(offset), most))
          : said(lines(bytes, find, Number(offset), most));
      } catch (error) {
        return said(`Cannot read artifact "${id}": ${messageOf(error)}`, true);
      }
    },
  };
}

function said(text: string, isError = false): CallResult {
  return { isError, content: [{ type: "text", text }] };
}

/** So many bytes from an offset on, whole characters, and where to go on. */
function part(bytes: Uint8Array, offset: number, most: number): string {
  if (offset >= bytes.length) return `[byte ${offset} is past the end: there are ${bytes.length}]`;
  let start = offset;
  while (start < bytes.length && isInside(bytes[start])) start++;
  let end = Math.min(start + most, bytes.length);
  while (end > start + 1 && isInside(bytes[end])) end--;
  const next = end < bytes.length ? `; go on with offset ${end}` : "";
  const head = `[bytes ${start} to ${end} of ${bytes.length}${next}]`;
  return `${head}\n${decoder.decode(bytes.subarray(start, end))}`;
}

/** The lines that hold a text, each with the offset of its first byte, and where to go on. */
function lines(bytes: Uint8Array, wanted: string, offset: number, most: number): string {
  const found: string[] = [];
  let size = 0;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = start >= offset ? decoder.decode(bytes.subarray(start, end)) : "";
    if (line.includes(wanted)) {
      const shown = `${start}: ${around(line, wanted, most)}`;
      size += new TextEncoder().encode(shown).length + 1;
      if (size > most && found.length > 0) {
        return `${found.join("\n")}\n[more lines hold it; go on with offset ${start}]`;
      }
      found.push(shown);
    }
    start = end + 1;
  }
  return found.length === 0 ? `[no line from byte ${offset} on holds it]` : found.join("\n");
}

/** A line that is too long for a result is shown around what was looked for. */
function around(line: string, wanted: string, most: number): string {
  const characters = Math.max(16, Math.floor(most / 8)); // four bytes each at most
  if (line.length <= characters) return line;
  const place = line.indexOf(wanted);
  const start = Math.max(0, place - Math.floor(characters / 2));
  return `… ${line.slice(start, start + characters).toWellFormed()} …`;
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
