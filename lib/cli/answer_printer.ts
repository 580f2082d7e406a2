import { showExactly } from "../approval/show_exactly.ts";
import type { Host } from "../host/host.ts";
import type { Usage } from "../model/message.ts";
import { compactionText, type Update } from "../turn/update.ts";
import { usageText } from "./usage_text.ts";

/**
 * Prints a turn as it runs: the answer on stdout, in order, notices and (when a person watches) the
 * calls on stderr. Updates come faster than a terminal takes them, so printing waits in a line.
 */
export class AnswerPrinter {
  readonly #host: Pick<Host, "print" | "warn" | "isTerminal">;
  readonly #onBroken: () => void;
  #line: Promise<void> = Promise.resolve();
  #message = "";
  #atLineStart = true;
  /** What the session has used so far, when it was told. */
  #usage: Usage | undefined;
  /** Why nothing can be printed any more. */
  #failure: unknown;

  /** @param onBroken Called when nobody reads stdout any more. */
  constructor(host: Pick<Host, "print" | "warn" | "isTerminal">, onBroken: () => void) {
    this.#host = host;
    this.#onBroken = onBroken;
  }

  /** Takes one update of the session. */
  show(update: Update): void {
    switch (update.type) {
      case "text":
        if (update.message !== this.#message) this.endLine();
        this.#message = update.message;
        this.#print(update.text);
        return;
      case "call":
        if (this.#host.isTerminal("stderr")) {
          this.#leaveLine();
          this.#warn(showExactly(`→ ${update.tool} ${JSON.stringify(update.input ?? {})}`));
        }
        return;
      case "notice":
        this.#leaveLine();
        this.#warn(update.text);
        return;
      case "compaction": {
        const text = compactionText(update.compaction);
        if (text === undefined) return;
        this.#leaveLine();
        this.#warn(text);
        return;
      }
      case "usage":
        this.#usage = update.session;
        return;
      default:
        return; // thoughts and results are the model's, not the answer
    }
  }

  /** Ends the line that the answer stopped in. */
  endLine(): void {
    if (!this.#atLineStart) this.#print("\n");
  }

  /** Says what the session has used, to a person who watches. */
  showUsage(): void {
    const text = this.#usage === undefined ? undefined : usageText(this.#usage);
    if (text !== undefined && this.#host.isTerminal("stderr")) this.#warn(`(session: ${text})`);
  }

  /** Resolves when everything is printed. @throws what kept something from being printed. */
  async flush(): Promise<void> {
    await this.#line;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the answer's line before one of stderr, where both share a screen: elsewhere it would cut the answer. */
  #leaveLine(): void {
    if (this.#host.isTerminal("stdout")) this.endLine();
  }

  #print(text: string): void {
    if (text === "") return;
    this.#atLineStart = text.endsWith("\n");
    this.#line = this.#line.then(() => this.#tryPrint(text));
  }

  async #tryPrint(text: string): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#host.print(text);
    } catch (error) {
      this.#failure = error;
      this.#onBroken();
    }
  }

  #warn(text: string): void {
    this.#line = this.#line.then(() => this.#host.warn(text));
  }
}
