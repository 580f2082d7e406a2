import { counted } from "./counted.ts";
import { lineEnds, withCrlf } from "./line_ends.ts";
import { type NearestText, nearestText } from "./nearest_text.ts";

/** One change of a text. */
export type Edit =
  | {
    readonly kind: "replace";
    readonly oldText: string;
    readonly newText: string;
    readonly isAll: boolean;
  }
  | { readonly kind: "insert"; readonly afterLine: number; readonly newText: string };

/** What the edits made of a text. */
export interface EditedText {
  readonly text: string;
  /** What was done, one entry an edit, such as `replaced 2 occurrences`. */
  readonly done: readonly string[];
  /** Line ends of the edits were turned into the file's CRLF. */
  readonly hasTurnedLineEnds: boolean;
}

/** An edit that cannot be made: `message` is the rest of a sentence that begins with the file. */
export class EditRefused extends Error {
  override readonly name = "EditRefused";
}

const SHOWN_LINES = 10;
const SHOWN_CHARACTERS = 200;

/**
 * Makes edits one after another, each on what the one before made of the text. A text is matched
 * exactly, except that in a file with CRLF line ends an edit may be written with LF.
 *
 * @param maxLength Most characters that the text may grow to.
 * @throws {EditRefused} for the first edit that cannot be made.
 */
export function applyEdits(text: string, edits: readonly Edit[], maxLength: number): EditedText {
  const done: string[] = [];
  let hasTurnedLineEnds = false;
  for (const [index, edit] of edits.entries()) {
    try {
      const result = edit.kind === "insert"
        ? insert(text, edit.afterLine, edit.newText)
        : replace(text, edit.oldText, edit.newText, edit.isAll, maxLength);
      if (result.text.length > maxLength) throw tooLong(result.text.length, maxLength);
      text = result.text;
      done.push(result.done);
      hasTurnedLineEnds ||= result.hasTurnedLineEnds;
    } catch (error) {
      if (!(error instanceof EditRefused) || edits.length === 1) throw error;
      throw new EditRefused(`edits[${index}]: ${error.message}. No edit was made`);
    }
  }
  return { text, done, hasTurnedLineEnds };
}

interface Edited {
  readonly text: string;
  readonly done: string;
  readonly hasTurnedLineEnds: boolean;
}

function replace(
  text: string,
  oldText: string,
  newText: string,
  isAll: boolean,
  maxLength: number,
): Edited {
  if (oldText === "") {
    throw new EditRefused("old_str is empty: insert_line inserts, write_file replaces all");
  }
  const { crlf, lf } = lineEnds(text);
  let wanted = oldText;
  let places = occurrences(text, wanted);
  if (places.length === 0 && crlf > 0) {
    wanted = withCrlf(oldText);
    places = occurrences(text, wanted);
  }
  const isCrlf = crlf > 0 && (lf === 0 || wanted !== oldText);
  const put = isCrlf ? withCrlf(newText) : newText;
  if (places.length === 0) throw new EditRefused(notFound(text, oldText));
  if (places.length > 1 && !isAll) throw new EditRefused(ambiguous(text, places));
  const length = text.length + places.length * (put.length - wanted.length);
  if (length > maxLength) throw tooLong(length, maxLength);
  const parts: string[] = [];
  let end = 0;
  for (const place of places) {
    parts.push(text.slice(end, place), put);
    end = place + wanted.length;
  }
  parts.push(text.slice(end));
  const count = places.length;
  return {
    text: parts.join(""),
    done: count === 1
      ? `replaced 1 occurrence at line ${lineAt(text, places[0]!)}`
      : `replaced ${count} occurrences`,
    hasTurnedLineEnds: wanted !== oldText || put !== newText,
  };
}

function insert(text: string, afterLine: number, newText: string): Edited {
  const { crlf, lf } = lineEnds(text);
  const lineEnd = crlf > 0 && lf === 0 ? "\r\n" : "\n";
  const put = lineEnd === "\r\n" ? withCrlf(newText) : newText;
  let at = 0;
  for (let line = 0; line < afterLine; line++) {
    if (at === text.length) {
      throw new EditRefused(
        `insert_line=${afterLine} is past its end: it has ${counted(line, "line")}`,
      );
    }
    const newline = text.indexOf("\n", at);
    at = newline === -1 ? text.length : newline + 1;
  }
  const before = text.slice(0, at);
  const after = text.slice(at);
  const isOpen = before !== "" && !before.endsWith("\n");
  const needsEnd = after !== "" && put !== "" && !put.endsWith("\n");
  return {
    text: before + (isOpen ? lineEnd : "") + put + (needsEnd ? lineEnd : "") + after,
    done: `inserted after line ${afterLine}`,
    hasTurnedLineEnds: put !== newText,
  };
}

/** Where a text stands in another, not overlapping, from the left. */
function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    places.push(at);
  }
  return places;
}

function ambiguous(text: string, places: readonly number[]): string {
  const shown = places.slice(0, SHOWN_LINES).map((place) => lineAt(text, place)).join(", ");
  const more = places.length > SHOWN_LINES ? ", …" : "";
  return `old_str is found ${places.length} times (lines ${shown}${more}): ` +
    "give more of the text around it, or replace_all";
}

function notFound(text: string, oldText: string): string {
  const start = "old_str is not found, which must match exactly";
  const nearest = nearestText(text, oldText);
  if (nearest === undefined) return `${start}, and nothing there is like it`;
  return `${start}. ${described(nearest)}`;
}

function described(nearest: NearestText): string {
  const { first, last, lines, isWhitespaceOnly, difference } = nearest;
  const where = first === last ? `line ${first}` : `lines ${first}-${last}`;
  const kind = isWhitespaceOnly ? "The same but for whitespace" : "The nearest text";
  const shown = lines.slice(0, SHOWN_LINES).map((line, index) => `${first + index}:${cut(line)}`);
  const more = lines.length > SHOWN_LINES ? [`[… ${lines.length - SHOWN_LINES} more lines]`] : [];
  return [
    `${kind} is at ${where}:`,
    ...shown,
    ...more,
    `The first difference is in line ${difference.line}:`,
    `  there:   ${JSON.stringify(cut(difference.found))}`,
    `  old_str: ${JSON.stringify(cut(difference.wanted))}`,
  ].join("\n");
}

function cut(line: string): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  return `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = -1; (at = text.indexOf("\n", at + 1)) !== -1 && at < place;) line++;
  return line;
}

function tooLong(length: number, limit: number): EditRefused {
  return new EditRefused(`the result would have ${length} characters, the limit is ${limit}`);
}
