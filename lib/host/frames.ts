/** One line of a stream that carries a message a line. */
export type Frame =
  /** A line's text, its `\n` and a `\r` before it dropped. */
  | {
    readonly kind: "text";
    readonly text: string;
    /** The stream ended without the line's `\n`. */
    readonly isUnfinished?: boolean;
  }
  /** A line over the limit; it was read to its end and dropped, but for a little of both its ends. */
  | {
    readonly kind: "oversized";
    readonly bytes: number;
    readonly start: string;
    readonly end: string;
  }
  /** A line that is not UTF-8. */
  | { readonly kind: "not_utf8"; readonly bytes: number };

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const FIRST_BYTES = 4096;
/** What is kept of either end of a line that is too long: its id and its method stand there. */
const EDGE_BYTES = 1024;

/**
 * Splits a byte stream into {@linkcode Frame}s at each `\n` and at nothing else: U+2028 and a lone
 * `\r` are text (JSON may hold them). Blank lines are skipped. Never holds more than `limit` bytes.
 * An unfinished last line is dropped: its sender died while writing it.
 *
 * @param limit Most bytes one line may hold, its `\n` counted.
 * @param takesUnfinished The last line is given although it has no end: it may be whole but for that.
 * @see ACP and MCP over stdio: https://agentclientprotocol.com/protocol/transports
 *
 * @example
 * ```ts
 * import { frames } from "./frames.ts";
 *
 * const stream = new Blob(['{"a":1}\n']).stream();
 * for await (const frame of frames(stream, 1024)) console.assert(frame.kind === "text");
 * ```
 */
export async function* frames(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  takesUnfinished = false,
): AsyncGenerator<Frame, void, void> {
  let line = new Uint8Array(Math.min(limit, FIRST_BYTES));
  let bytes = 0;
  let edge = new Uint8Array();
  const take = (part: Uint8Array) => {
    const length = Math.min(bytes + part.length, limit);
    if (length > line.length) line = grown(line, length, limit);
    if (bytes < length) line.set(part.subarray(0, length - bytes), bytes);
    bytes += part.length;
    if (bytes <= limit) return;
    // The part that goes over the limit may be short: what stood before it lies at the end too.
    const before = bytes - part.length;
    if (edge.length === 0) edge = line.slice(Math.max(0, before - EDGE_BYTES), before);
    edge = new Uint8Array([...edge, ...part.subarray(-EDGE_BYTES)]).slice(-EDGE_BYTES);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end; (end = chunk.indexOf(NEWLINE, start)) !== -1; start = end + 1) {
      take(chunk.subarray(start, end + 1));
      const frame = finish(line, bytes, limit, edge);
      bytes = 0;
      edge = new Uint8Array();
      if (frame !== undefined) yield frame;
    }
    take(chunk.subarray(start));
  }
  if (!takesUnfinished || bytes === 0) return;
  take(new Uint8Array([NEWLINE]));
  const last = finish(line, bytes, limit, edge);
  if (last?.kind === "text") yield { ...last, isUnfinished: true };
}

function grown(line: Uint8Array, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(limit, Math.max(needed, line.length * 2)));
  larger.set(line);
  return larger;
}

function finish(
  line: Uint8Array,
  bytes: number,
  limit: number,
  edge: Uint8Array,
): Frame | undefined {
  if (bytes > limit) {
    const [start, end] = [line.subarray(0, EDGE_BYTES), edge].map((part) =>
      new TextDecoder().decode(part)
    );
    return { kind: "oversized", bytes, start: start ?? "", end: end ?? "" };
  }
  const end = bytes > 1 && line[bytes - 2] === RETURN ? bytes - 2 : bytes - 1;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line.subarray(0, end));
    return text.trim() === "" ? undefined : { kind: "text", text };
  } catch {
    return { kind: "not_utf8", bytes };
  }
}
