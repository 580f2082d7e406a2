import type { Limits } from "../../lib/limits.ts";

/** Which lines of a text to give. */
export interface LineWindow {
  /** The first line, counted from 1. */
  readonly offset: number;
  /** The most lines. */
  readonly limit: number;
}

/** Lines of a text as a model reads them. */
export interface NumberedLines {
  /** `N:text`, a line each, with a newline after each one. */
  readonly text: string;
  /** The first and last line given; `last` is `first - 1` when there is none. */
  readonly first: number;
  readonly last: number;
  /** Lines of the whole text. A last newline makes no further line. */
  readonly total: number;
  /** Lines of the whole text that end in a carriage return and a newline, and in a newline alone. */
  readonly crlf: number;
  readonly lf: number;
}

/**
 * Numbers the lines of a text within a window. It ends early before `maxReadTextBytes` is passed, but
 * always gives one line; a line over `maxReadLineCharacters` is cut, with a marker that counts the
 * rest. A `\r` before a `\n` is dropped and counted.
 */
export function numberedLines(
  text: string,
  window: LineWindow,
  limits: Pick<Limits, "maxReadTextBytes" | "maxReadLineCharacters">,
): NumberedLines {
  const encoder = new TextEncoder();
  const lines: string[] = [];
  let [total, crlf, lf, bytes, isFull] = [0, 0, 0, 0, false];
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf("\n", start);
    const isLast = end === -1;
    if (isLast) end = text.length;
    const isCrlf = !isLast && end > start && text[end - 1] === "\r";
    if (isCrlf) crlf++;
    else if (!isLast) lf++;
    total++;
    if (isFull || total < window.offset || lines.length >= window.limit) continue;
    const line = cut(text.slice(start, isCrlf ? end - 1 : end), limits.maxReadLineCharacters);
    const numbered = `${total}:${line}\n`;
    bytes += encoder.encode(numbered).length;
    isFull = lines.length > 0 && bytes > limits.maxReadTextBytes;
    if (!isFull) lines.push(numbered);
  }
  const last = window.offset + lines.length - 1;
  return { text: lines.join(""), first: window.offset, last, total, crlf, lf };
}

function cut(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const end = isLowSurrogate(line.charCodeAt(limit)) ? limit - 1 : limit;
  return `${line.slice(0, end)}[… ${line.length - end} more characters]`;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
