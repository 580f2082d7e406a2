import type { Limits } from "../../lib/limits.ts";
import type { Artifact, Artifacts } from "./artifacts.ts";
import { counted } from "./counted.ts";
import { HeadAndTail } from "./head_and_tail.ts";
import { plainOutput } from "./plain_output.ts";

/** What a command wrote, as it is shown. */
export interface ShownOutput {
  readonly text: string;
  /** What a reader should know of it. */
  readonly notes: readonly string[];
  /** The file that has all of a text whose middle is left out. */
  readonly whole?: string;
}

/**
 * Takes what a command writes: keeps its beginning and its end for the result, and the whole of it in
 * a file once that is longer.
 */
export class CommandOutput implements Disposable {
  readonly #limit: number;
  /** Since the last look. */
  #kept: HeadAndTail;
  #all: HeadAndTail | undefined;
  #artifact: Artifact | undefined;
  #total = 0;
  #lines = 0;
  /** Where the first NUL was; text has none. */
  #nul: number | undefined;

  constructor(
    { maxShellOutputBytes }: Pick<Limits, "maxShellOutputBytes">,
    private readonly artifacts: Artifacts | undefined,
  ) {
    this.#limit = maxShellOutputBytes;
    this.#kept = this.#all = new HeadAndTail(maxShellOutputBytes);
  }

  /** How much came so far, in words. */
  get size(): string {
    return `${counted(this.#total, "byte")} of output, ${counted(this.#lines, "line")}`;
  }

  /** The last lines since it was shown last, as far as they are text. */
  get end(): string {
    const text = shownText(this.#kept.text()).slice(-END_CHARACTERS).toWellFormed();
    return text.split("\n").slice(-END_LINES - 1).join("\n");
  }

  /** Takes the next bytes. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#nul === undefined) {
      const at = bytes.indexOf(0);
      if (at !== -1) this.#nul = this.#total + at;
    }
    this.#total += bytes.length;
    for (let at = -1; (at = bytes.indexOf(NEWLINE, at + 1)) !== -1;) this.#lines++;
    await this.#keepWhole(bytes);
    this.#kept.push(bytes);
    if (this.#all !== this.#kept) this.#all?.push(bytes);
  }

  /** Shows what came since it was shown last. */
  show(): ShownOutput {
    const kept = this.#kept;
    this.#kept = new HeadAndTail(this.#limit);
    const decoded = kept.text();
    const isInvalid = decoded.includes("\ufffd") && !isUtf8(kept);
    if (this.#nul !== undefined && isInvalid) {
      const what = `the output looks binary (${this.#total} bytes, NUL at byte ${this.#nul})`;
      const how = "look at it with the shell, such as od -c";
      return {
        text: plainOutput(decoded.slice(0, Math.max(decoded.indexOf("\0"), 0))),
        notes: [`${what} and is not shown from there on: ${how}`, ...this.#whereNotes()],
      };
    }
    const isCut = kept.total > this.#limit;
    return {
      text: shownText(decoded),
      notes: [
        ...(decoded.includes("\0") ? [`NUL characters are shown as ${NUL_SIGN}`] : []),
        ...(isInvalid ? ["some bytes are not UTF-8 and shown as \ufffd"] : []),
        ...(isCut ? this.#whereNotes() : []),
      ],
      ...(isCut && this.#artifact !== undefined ? { whole: this.#artifact.path } : {}),
    };
  }

  [Symbol.dispose](): void {
    this.#artifact?.[Symbol.dispose]();
  }

  #whereNotes(): string[] {
    if (this.#artifact === undefined) return [];
    const { path, isWhole } = this.#artifact;
    return [`${isWhole ? "the whole" : "the beginning"} of the output is in ${path}`];
  }

  async #keepWhole(bytes: Uint8Array): Promise<void> {
    if (this.#artifact !== undefined) return await this.#artifact.write(bytes);
    if (this.#all === undefined) return;
    const isLong = this.#all.total + bytes.length > this.#limit;
    if (!isLong && this.#nul === undefined) return;
    const before = this.#all.bytes();
    this.#all = undefined; // from here on the file has it all
    try {
      this.#artifact = await this.artifacts?.open();
      await this.#artifact?.write(before);
      await this.#artifact?.write(bytes);
    } catch {
      // A full disk, or no grant for the folder: the result has head and tail all the same.
    }
  }
}

const NEWLINE = 0x0a;
/** What stands for a character that cannot be seen: names that end with a NUL are text all the same. */
const NUL_SIGN = "\u2400";
/** What a note of progress has room for, and an eye. */
const END_LINES = 10;
const END_CHARACTERS = 1000;

function shownText(decoded: string): string {
  return plainOutput(decoded).replaceAll("\0", NUL_SIGN);
}

/** What was left out, or cut at its edges, is not judged. */
function isUtf8(kept: HeadAndTail): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(kept.bytes(), { stream: true });
    return true;
  } catch {
    return false;
  }
}
