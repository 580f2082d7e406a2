import { joinBytes } from "../host/join_bytes.ts";
import { explainDenial, findDenial, isMarkedDenial } from "../sandbox/denial.ts";
import type { Launch } from "../sandbox/launch.ts";

const NEWLINE = 0x0a;

/**
 * What an MCP server writes, byte for byte, but for results of calls that its grant stopped: they end with
 * what was refused and the line that would allow it, as in a session. Where one of our servers said so itself,
 * that stands in place of its own words.
 *
 * @param limit A line over so many bytes is passed on unread.
 */
export async function* explainDenials(
  source: AsyncIterable<Uint8Array>,
  launch: Pick<Launch, "grant" | "redact" | "takeRefused">,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(NEWLINE, start) + 1 || chunk.length;
      const part = chunk.subarray(start, end);
      start = end;
      bytes += part.length;
      parts.push(part);
      const isWhole = part.at(-1) === NEWLINE;
      if (bytes > limit) yield* parts;
      else if (isWhole) yield explainedLine(joinBytes(parts), launch);
      else continue;
      parts = [];
      if (isWhole) bytes = 0;
    }
  }
  yield* parts;
}

function explainedLine(
  line: Uint8Array,
  { grant, redact, takeRefused }: Pick<Launch, "grant" | "redact" | "takeRefused">,
): Uint8Array {
  const message = parsed(line);
  const { result } = message;
  if (!isRecord(result) || !Array.isArray(result["content"])) return line;
  const isMarked = isMarkedDenial(result);
  const refused = takeRefused?.() ?? [];
  const denial = refused.length === 0 || isMarked ? findDenial(grant, result) : undefined;
  const texts = denial === undefined
    ? refused.map(({ text }) => text)
    : [explainDenial(denial, grant)];
  if (texts.length === 0) return line;
  const told = { type: "text", text: redact(texts.join("\n")) };
  const content = isMarked ? [told] : [...result["content"], told];
  const explained = { ...message, result: { ...result, content } };
  return new TextEncoder().encode(`${JSON.stringify(explained)}\n`);
}

/** Nothing for a line that is no JSON object. */
function parsed(line: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const message: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    return isRecord(message) ? message : {};
  } catch {
    return {}; // the host will say so
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
