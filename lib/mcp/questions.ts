import { messageOf } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Deadline } from "./deadline.ts";
import { type Elicitor, readElicitation, toElicitResult } from "./elicitation.ts";
import type { WriteLog } from "./server_log.ts";

/** What {@linkcode Questions} are asked for and with. */
export interface QuestionsOptions {
  /** The server that asks. */
  readonly server: string;
  /** Asks a person; absent: nobody is there, and a question is declined. */
  readonly elicitor?: Elicitor;
  readonly log: WriteLog;
  readonly limits: Pick<Limits, "maxQuestionCharacters">;
}

/**
 * What one server asks a person while its calls run. Their time is not the calls': the deadlines stand still
 * until there is an answer. Nobody is asked any more when no call waits for it.
 */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #waiting = new Set<Deadline>();
  #idle = new AbortController();
  #open = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** What a server is told of it: nothing where nobody can be asked. */
  get capability(): { readonly elicitation?: Readonly<Record<string, Record<string, never>>> } {
    const { elicitor } = this.#options;
    if (elicitor === undefined || elicitor.modes.length === 0) return {};
    return { elicitation: Object.fromEntries(elicitor.modes.map((mode) => [mode, {}])) };
  }

  /** True while a person has a question before them. */
  get areOpen(): boolean {
    return this.#open > 0;
  }

  /** Holds a call's deadline still while a question is open, until the call is over. */
  during(deadline: Deadline): Disposable {
    if (this.#waiting.size === 0) this.#idle = new AbortController();
    this.#waiting.add(deadline);
    if (this.areOpen) deadline.pause();
    return {
      [Symbol.dispose]: () => {
        this.#waiting.delete(deadline);
        if (this.#waiting.size === 0) this.#idle.abort();
      },
    };
  }

  /** Asks a person what a server wants to know, and gives the result for the server. */
  async answer(params: unknown, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { elicitor, limits, log, server } = this.#options;
    if (elicitor === undefined) return { action: "decline" };
    const question = readElicitation(server, params, limits);
    if (!question || !elicitor.modes.includes(question.mode)) {
      log("health", "a question of its is too long, or none that can be asked: it was declined");
      return { action: "decline" };
    }
    const stop = AbortSignal.any([signal, this.#idle.signal]);
    this.#open++;
    for (const deadline of this.#waiting) deadline.pause();
    try {
      return { ...toElicitResult(question, await elicitor.ask(question, stop)) };
    } catch (error) {
      if (!stop.aborted) log("health", `its question cannot be asked: ${messageOf(error)}`);
      return { action: "cancel" };
    } finally {
      this.#open--;
      if (!this.areOpen) { for (const deadline of this.#waiting) deadline.extend(); }
    }
  }
}
