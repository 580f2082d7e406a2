/** How a pattern is to be read. */
export interface PatternOptions {
  readonly isFixed: boolean;
  readonly isCaseIgnored: boolean;
  /** Case is ignored for a pattern without upper case. */
  readonly isSmartCase: boolean;
  readonly isWord: boolean;
  readonly isLine: boolean;
}

/** A pattern that cannot be read; the message says why. */
export class PatternInvalid extends Error {
  override readonly name = "PatternInvalid";
}

/**
 * Reads patterns of ripgrep as one regular expression of JavaScript, to be used on a line or on a whole
 * text. What both read alike is passed on; what they do not is written anew or refused.
 *
 * @throws {PatternInvalid}
 */
export function readPattern(patterns: readonly string[], options: PatternOptions): RegExp {
  const parts = patterns.map((pattern) =>
    options.isFixed ? escaped(pattern) : `(?:${translated(pattern)})`
  );
  let source = parts.join("|");
  if (options.isLine) source = `${LINE_START}(?:${source})${LINE_END}`;
  else if (options.isWord) source = `(?<!${WORD})(?:${source})(?!${WORD})`;
  const isCaseIgnored = options.isCaseIgnored ||
    options.isSmartCase && !patterns.some((pattern) => hasUpperCase(pattern, options.isFixed));
  try {
    return new RegExp(source, `gu${isCaseIgnored ? "i" : ""}`);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^.*: /s, "");
    throw new PatternInvalid(`regex parse error: ${patterns.join(" | ")}: ${reason}`);
  }
}

const WORD_SET = "\\p{L}\\p{M}\\p{N}_";
const WORD = `[${WORD_SET}]`;
/** JavaScript ends a line at a carriage return and more; here only a newline does. */
const LINE_START = "(?<![^\\n])";
const LINE_END = "(?![^\\n])";
const PLAIN: Readonly<Record<string, string>> = {
  "^": LINE_START,
  "$": LINE_END,
  ".": "[^\\n]",
  "]": "\\]",
};

/** Classes of POSIX inside of brackets. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\s",
  upper: "A-Z",
  word: "A-Za-z0-9_",
  xdigit: "0-9A-Fa-f",
};

/** Escapes that stand for something else here, outside of brackets. */
const ESCAPES: Readonly<Record<string, string>> = {
  w: WORD,
  W: `[^${WORD_SET}]`,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  a: "\\x07",
};
const ESCAPES_IN_SET: Readonly<Record<string, string>> = {
  w: WORD_SET,
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  a: "\\x07",
};

function translated(pattern: string): string {
  let out = "";
  let closing = "";
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    if (char === "\\") {
      const [text, length] = escape(pattern, at, ESCAPES);
      out += text;
      at += length;
    } else if (char === "[") {
      const [text, length] = bracket(pattern, at);
      out += text;
      at += length;
    } else if (char === "(" && pattern[at + 1] === "?") {
      const [text, length] = group(pattern, at);
      if (/^\(\?[imsux-]+\)$/.test(text)) {
        if (out !== "") throw new PatternInvalid(`flags are only read at the start: ${text}`);
        const [on = "", off = ""] = text.slice(2, -1).replaceAll("u", "").split("-");
        if ((on + off).includes("x")) throw new PatternInvalid("the flag x is not read here");
        out += `(?${on}${off === "" ? "" : `-${off}`}:`;
        closing += ")";
      } else out += text;
      at += length;
    } else {
      const point = String.fromCodePoint(pattern.codePointAt(at)!);
      out += PLAIN[point] ??
        (point === "}" && !isRepetitionEnd(pattern, at) ? "\\}" : point);
      at += point.length;
    }
  }
  return out + closing;
}

function isRepetitionEnd(pattern: string, at: number): boolean {
  return /\{\d*,?\d*$/.test(pattern.slice(0, at));
}

function escape(
  pattern: string,
  at: number,
  table: Readonly<Record<string, string>>,
): [string, number] {
  const next = pattern[at + 1];
  if (next === undefined) throw new PatternInvalid("it ends in a single backslash");
  const [special] =
    /^\\(x\{[\da-fA-F]+\}|x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|[pP]\{[^}]+\}|[pP].)/
      .exec(pattern.slice(at)) ?? [];
  if (special !== undefined) {
    if (special.startsWith("\\x{")) return [`\\u${special.slice(2)}`, special.length];
    if (/^\\[pP][^{]$/.test(special)) {
      return [`${special.slice(0, 2)}{${special[2]}}`, special.length];
    }
    return [special, special.length];
  }
  const known = table[next];
  if (known !== undefined) return [known, 2];
  if (/[nrtfvsSW]/.test(next)) return [`\\${next}`, 2];
  if (/[0-9a-zA-Z]/.test(next)) throw new PatternInvalid(`unrecognized escape sequence \\${next}`);
  return [escaped(next), 2];
}

/** A set in brackets, with its length. */
function bracket(pattern: string, start: number): [string, number] {
  let at = start + 1;
  let out = "[";
  if (pattern[at] === "^") {
    out += "^";
    at++;
  }
  for (let isFirst = true;; isFirst = false) {
    const char = pattern[at];
    if (char === undefined) throw new PatternInvalid("unclosed character class");
    if (char === "]" && !isFirst) return [`${out}]`, at + 1 - start];
    const [posix, negated, name] = /^\[:(\^?)([a-z]+):\]/.exec(pattern.slice(at)) ?? [];
    if (posix !== undefined) {
      const set = POSIX[name!];
      if (set === undefined || negated === "^") {
        throw new PatternInvalid(`unrecognized class ${posix}`);
      }
      out += set;
      at += posix.length;
    } else if (char === "[") {
      throw new PatternInvalid("a set inside of a set is not read here");
    } else if (char === "\\") {
      const [text, length] = escape(pattern, at, ESCAPES_IN_SET);
      out += text;
      at += length;
    } else {
      if (pattern.startsWith("&&", at)) throw new PatternInvalid("&& in a set is not read here");
      out += char === "]" ? "\\]" : char;
      at++;
    }
  }
}

/** The beginning of a group that starts with `(?`, with its length. */
function group(pattern: string, at: number): [string, number] {
  const rest = pattern.slice(at);
  const [named, name] = /^\(\?P?<(\w+)>/.exec(rest) ?? [];
  if (named !== undefined) return [`(?<${name}>`, named.length];
  const [flags] = /^\(\?[imsux-]*[:)]/.exec(rest) ?? [];
  if (flags !== undefined) return [flags, flags.length];
  if (/^\(\?(=|!|<=|<!)/.test(rest)) {
    throw new PatternInvalid("look-around, including look-ahead and look-behind, is not supported");
  }
  throw new PatternInvalid(`unrecognized group ${rest.slice(0, 4)}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function hasUpperCase(pattern: string, isFixed: boolean): boolean {
  return /\p{Lu}/u.test(isFixed ? pattern : pattern.replaceAll(/\\[pP]\{[^}]*\}|\\./g, ""));
}
