/** A word of a shell line. `isExact` is false when the shell puts something else in its place. */
export interface Word {
  readonly text: string;
  readonly isExact: boolean;
  /** It had quotes: it is no keyword or operator. */
  readonly isQuoted: boolean;
  /** What stands before its first quote: an assignment has its name and its `=` there. */
  readonly bare: string;
}

/** A shell line taken apart: words, operators (`|`, `;`, `&&`, a newline), and lines that run inside it. */
export interface ShellTokens {
  readonly tokens: readonly (Word | string)[];
  /** What `$(…)`, `` `…` ``, `<(…)` and `>(…)` hold. */
  readonly inner: readonly string[];
  /** The files that redirections write. */
  readonly written: readonly Word[];
}

/** Thrown inside this folder: the line cannot be read with certainty. */
export class Unreadable extends Error {}

/** The line goes on in the next one; in a comment, in single quotes and behind a backslash it does not. */
const CONTINUATION = "\\\n";
/** An operator, or what a `$` stands for, is read over the end of the line. */
const SPLIT = /^(?:[<>&|;](?:\\\n)+[<>&|;(]|\$\\\n)/;
/** `${NAME:=value}` sets a variable, `${NAME@P}` runs what it holds. */
const SETS_OR_RUNS = /^\$\{!?\w+(\[[^\]]*\])?(:?=|@[A-Za-z]\})/;
const REDIRECTION = /^(?:&>>?|[<>]{1,2}[&|]?)(?:[ \t]|\\\n)*/;
const OPERATORS = ["&&", "||", "|&", ";;", "|", ";", "&", "(", ")", "\n"];

/** Takes a line apart as bash does. @throws {Unreadable} for what it is not sure about. */
export function shellWords(line: string): ShellTokens {
  return new Reader(line).read();
}

class Reader {
  readonly #line: string;
  #at = 0;
  readonly #tokens: (Word | string)[] = [];
  readonly #inner: string[] = [];
  readonly #written: Word[] = [];
  #text = "";
  #isWord = false;
  #isExact = true;
  #isQuoted = false;
  #bare = "";

  constructor(line: string) {
    this.#line = line;
  }

  read(): ShellTokens {
    while (this.#at < this.#line.length) this.#next();
    this.#endWord();
    return { tokens: this.#tokens, inner: this.#inner, written: this.#written };
  }

  #next(): void {
    const rest = this.#line.slice(this.#at, this.#at + 2);
    const character = rest[0]!;
    if (rest === CONTINUATION) {
      this.#at += 2;
      return;
    }
    if (rest[1] === "\\" && SPLIT.test(this.#line.slice(this.#at))) {
      throw new Unreadable("an operator that goes on in the next line");
    }
    if (character === " " || character === "\t") {
      this.#at++;
      return this.#endWord();
    }
    if (character === "#" && !this.#isWord) {
      const end = this.#line.indexOf("\n", this.#at);
      this.#at = end === -1 ? this.#line.length : end;
      return;
    }
    if (rest === "<<") throw new Unreadable("a here-document");
    if (rest === "<(" || rest === ">(") {
      this.#at += 2;
      return this.#runs(this.#until(")"));
    }
    if (character === "<" || character === ">") return this.#redirect();
    if (rest === "&>") return this.#redirect();
    const operator = OPERATORS.find((each) => rest.startsWith(each));
    if (operator !== undefined) {
      this.#endWord();
      this.#at += operator.length;
      this.#tokens.push(operator);
      return;
    }
    this.#piece(character);
  }

  #piece(character: string): void {
    this.#isWord = true;
    switch (character) {
      case "\\":
        this.#quote();
        this.#text += this.#line[this.#at + 1] ?? "";
        this.#at += 2;
        return;
      case "'": {
        this.#quote();
        const end = this.#line.indexOf("'", this.#at + 1);
        if (end === -1) throw new Unreadable("a quote that is not closed");
        this.#text += this.#line.slice(this.#at + 1, end);
        this.#at = end + 1;
        return;
      }
      case '"':
        this.#quote();
        this.#at++;
        while (this.#line[this.#at] !== '"') this.#quoted();
        this.#at++;
        return;
      case "$":
      case "`":
        return this.#expansion();
      default:
        if ("*?[{~!".includes(character)) this.#isExact = false;
        this.#text += character;
        this.#at++;
    }
  }

  #quote(): void {
    if (!this.#isQuoted) this.#bare = this.#text;
    this.#isQuoted = true;
  }

  #quoted(): void {
    const character = this.#line[this.#at];
    if (character === undefined) throw new Unreadable("a quote that is not closed");
    if (character === "$" || character === "`") return this.#expansion();
    const next = this.#line[this.#at + 1] ?? "";
    if (character + next === CONTINUATION) {
      this.#at += 2;
      return;
    }
    const isEscape = character === "\\" && '$`"\\'.includes(next) && next !== "";
    this.#text += isEscape ? next : character;
    this.#at += isEscape ? 2 : 1;
  }

  #expansion(): void {
    const rest = this.#line.slice(this.#at);
    if (rest.startsWith("$'") || rest.startsWith('$"')) throw new Unreadable("a $-quote");
    if (rest.startsWith(`$${CONTINUATION}`)) {
      throw new Unreadable("a $ that goes on in the next line");
    }
    if (rest.startsWith("$((")) throw new Unreadable("arithmetic");
    if (rest.startsWith("$(")) {
      this.#at += 2;
      return this.#runs(this.#until(")"));
    }
    if (rest.startsWith("`")) {
      this.#at++;
      const line = this.#until("`");
      if (line.includes("\\")) throw new Unreadable("a backslash between backquotes");
      return this.#runs(line);
    }
    const [variable = ""] = /^\$(\{[^}$`]*\}|[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(rest) ?? [];
    if (rest.startsWith("${") && variable === "") throw new Unreadable("a nested expansion");
    if (SETS_OR_RUNS.test(variable)) throw new Unreadable("an expansion that does more");
    if (variable !== "") this.#isExact = false;
    this.#text += variable === "" ? "$" : variable;
    this.#at += Math.max(variable.length, 1);
  }

  #runs(line: string): void {
    this.#isWord = true;
    this.#isExact = false;
    this.#text += "$(…)";
    this.#inner.push(line);
  }

  /** The text up to the closing character, which is read over; quotes and nested ones are skipped. */
  #until(close: ")" | "`"): string {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#line.length; this.#at++) {
      const character = this.#line[this.#at];
      if (character === "\\") this.#at++;
      else if (character === "'" && close === ")") {
        this.#at = this.#line.indexOf("'", this.#at + 1);
        if (this.#at === -1) break;
      } else if (character === close && depth === 0) {
        return this.#line.slice(start, this.#at++);
      } else if (character === "(") depth++;
      else if (character === ")") depth--;
      else if (character === '"' && close === ")") {
        // A quote inside a substitution may hold a parenthesis: too much for a glance.
        const end = this.#line.indexOf('"', this.#at + 1);
        const held = this.#line.slice(this.#at + 1, end);
        if (end === -1 || /[()\\`]/.test(held)) break;
        this.#at = end;
      }
    }
    throw new Unreadable("a substitution that is not closed");
  }

  /** Reads over a redirection and its target, which is no argument. */
  #redirect(): void {
    // A number right before it is part of it, as in 2>&1.
    if (/^\d+$/.test(this.#text) && !this.#isQuoted) this.#forget();
    this.#endWord();
    const [sign = ""] = REDIRECTION.exec(this.#line.slice(this.#at)) ?? [];
    this.#at += sign.length;
    const before = this.#tokens.length;
    while (this.#at < this.#line.length && !/[ \t\n|;&()<>]/.test(this.#line[this.#at]!)) {
      this.#next();
    }
    const isDescriptor = sign.endsWith("&") && /^\d*-?$/.test(this.#text);
    if (sign.includes(">") && !isDescriptor && this.#text !== "/dev/null") {
      const [text, isExact] = [this.#text, this.#isExact];
      this.#written.push({ text, isExact, isQuoted: true, bare: "" });
    }
    this.#forget();
    this.#tokens.length = before;
  }

  #endWord(): void {
    if (this.#isWord) {
      this.#tokens.push({
        text: this.#text,
        isExact: this.#isExact || /^\[\[?$/.test(this.#text), // alone they are no pattern of files
        isQuoted: this.#isQuoted,
        bare: this.#isQuoted ? this.#bare : this.#text,
      });
    }
    this.#forget();
  }

  #forget(): void {
    this.#text = "";
    this.#isWord = false;
    this.#isExact = true;
    this.#isQuoted = false;
  }
}
