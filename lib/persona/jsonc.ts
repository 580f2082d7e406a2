import type { Place } from "./problems.ts";

/** What a text of JSON holds, or where it stops being JSON. */
export type JsoncResult =
  | {
    readonly ok: true;
    readonly value: unknown;
    /** The place of a key or an item by its path, such as `mcpServers.dev.args[0]`; "" is the whole. */
    placeOf(path: string): Place | undefined;
  }
  | {
    readonly ok: false;
    readonly line: number;
    readonly column: number;
    readonly problem: string;
  };

/** Deeper than any configuration, and far from the end of the stack. */
const MAX_DEPTH = 100;

const SPACE = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
// deno-lint-ignore no-control-regex -- JSON forbids them in strings
const STRING = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /\w+/y;
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/**
 * Parses JSON as people write it by hand: comments and trailing commas are allowed, a byte order mark
 * is dropped. A key that an object has twice is a problem, since one of the two would be lost.
 *
 * @example
 * ```ts
 * import { parseJsonc } from "./jsonc.ts";
 *
 * const json = parseJsonc('{ "a": [1, 2,], } // numbers');
 * if (!json.ok) throw new Error(`${json.line}:${json.column}: ${json.problem}`);
 * ```
 */
export function parseJsonc(source: string): JsoncResult {
  const text = source.replace(/^\uFEFF/, "");
  const parser = new Parser(text);
  try {
    const value = parser.document();
    return { ok: true, value, placeOf: (path) => parser.placeOf(path) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, ...placeAt(text, error.position), problem: error.message };
  }
}

class Problem extends Error {
  constructor(readonly position: number, message: string) {
    super(message);
  }
}

class Parser {
  private position = 0;
  private readonly positions = new Map<string, number>();

  constructor(private readonly text: string) {}

  document(): unknown {
    const value = this.value("", 0);
    if (this.peek() !== undefined) throw this.unexpected("the end");
    return value;
  }

  placeOf(path: string): Place | undefined {
    const position = this.positions.get(path);
    return position === undefined ? undefined : placeAt(this.text, position);
  }

  private value(path: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Problem(this.position, `it is over ${MAX_DEPTH} levels deep`);
    const next = this.peek();
    if (!this.positions.has(path)) this.positions.set(path, this.position); // a key's is its name's
    if (next === "{") return this.object(path, depth);
    if (next === "[") return this.array(path, depth);
    if (next === '"') return this.string();
    const number = this.match(NUMBER);
    if (number !== undefined) return Number(number);
    const start = this.position;
    const word = this.match(WORD);
    if (word !== undefined && Object.hasOwn(WORDS, word)) return WORDS[word];
    this.position = start;
    throw this.unexpected("a value");
  }

  private object(path: string, depth: number): unknown {
    const entries = new Map<string, unknown>();
    this.position++;
    while (!this.take("}")) {
      const start = this.position;
      if (this.peek() !== '"') throw this.unexpected('a name in double quotes or "}"');
      const name = this.string();
      const inner = path === "" ? name : `${path}.${name}`;
      this.positions.set(inner, start);
      if (entries.has(name)) throw new Problem(start, `the name "${name}" is there twice`);
      if (!this.take(":")) throw this.unexpected('":"');
      entries.set(name, this.value(inner, depth + 1));
      if (!this.take(",") && this.peek() !== "}") throw this.unexpected('"," or "}"');
    }
    return Object.fromEntries(entries);
  }

  private array(path: string, depth: number): unknown {
    const items: unknown[] = [];
    this.position++;
    while (!this.take("]")) {
      items.push(this.value(`${path}[${items.length}]`, depth + 1));
      if (!this.take(",") && this.peek() !== "]") throw this.unexpected('"," or "]"');
    }
    return items;
  }

  private string(): string {
    const token = this.match(STRING);
    if (token === undefined) {
      throw new Problem(this.position, "a string is not closed or not valid");
    }
    return JSON.parse(token);
  }

  /** The next character after blanks and comments; undefined at the end. */
  private peek(): string | undefined {
    this.match(SPACE);
    return this.text[this.position];
  }

  private take(character: string): boolean {
    const isNext = this.peek() === character;
    if (isNext) this.position++;
    return isNext;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  private unexpected(wanted: string): Problem {
    const found = this.peek();
    const what = found === undefined ? "the file ends" : `there is ${JSON.stringify(found)}`;
    return new Problem(this.position, `${what} where ${wanted} should be`);
  }
}

function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
