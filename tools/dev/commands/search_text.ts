/** A line that is shown: one that matches, or one around it. */
export interface FoundLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
  /** Lines between this one and the one before were left out. */
  readonly isAfterGap: boolean;
}

/** What a search looks for in one text. */
export interface TextSearch {
  /** With the flag `g`; its lines end at newlines. */
  readonly pattern: RegExp;
  readonly isInverted: boolean;
  readonly before: number;
  readonly after: number;
  /** Most lines that match. */
  readonly maxCount: number;
}

/** The lines of a text that match, in order, with those around them. */
export function* searchText(text: string, search: TextSearch): Generator<FoundLine> {
  const { pattern, isInverted, before, after, maxCount } = search;
  if (!isInverted && !found(pattern, text)) return; // most texts end here
  const around: { number: number; text: string }[] = [];
  let [matches, left, last] = [0, 0, 0];
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    const isMatch = matches < maxCount && found(pattern, line) !== isInverted;
    if (isMatch) {
      matches++;
      left = after;
      for (const { number, text } of around.splice(0)) {
        yield { number, text, isMatch: false, isAfterGap: last > 0 && number > last + 1 };
        last = number;
      }
    } else if (left-- <= 0) {
      if (matches >= maxCount) return;
      around.push({ number, text: line });
      if (around.length > before) around.shift();
      continue;
    }
    yield { number, text: line, isMatch, isAfterGap: last > 0 && number > last + 1 };
    last = number;
  }
}

function found(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

/** Lines without their newline; the last newline makes no further line. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0, end; start < text.length; start = end + 1) {
    end = text.indexOf("\n", start);
    if (end === -1) end = text.length;
    yield text.slice(start, end);
  }
}
