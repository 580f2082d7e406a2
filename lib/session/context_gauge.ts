import type { Message, Usage } from "../model/message.ts";
import type { ModelRequest } from "../model/model.ts";
import { messageTokens, textTokens, toolTokens } from "./estimate_tokens.ts";

/** What goes along with a history. */
export type Along = Pick<ModelRequest, "system" | "tools">;

/**
 * Tells how many tokens the next request takes: what the provider counted of the last one, and an estimate
 * of what came since. Looks at each message once, so that a round costs the same however long the history.
 */
export class ContextGauge {
  readonly #history: readonly Message[];
  /** Messages that are in `#tokens`. */
  #seen = 0;
  #tokens = 0;
  /** What was estimated to go along with the request that the provider counted. */
  #alongCounted = 0;
  #system: { readonly text: string; readonly tokens: number } = { text: "", tokens: 0 };

  /** @param history Grows at its end; for any other change there is `reset()`. */
  constructor(history: readonly Message[]) {
    this.#history = history;
  }

  /** Tokens of a request with the history as it is now. */
  measure(along: Along): number {
    this.#look();
    return this.#tokens + this.#alongTokens(along) - this.#alongCounted;
  }

  /** Takes the provider's count of a request with the history as it is now, its reply not in it. */
  told({ inputTokens, failedInputTokens = 0 }: Usage, along: Along): void {
    if (inputTokens === undefined || inputTokens <= failedInputTokens) return;
    this.#tokens = inputTokens - failedInputTokens;
    this.#seen = this.#history.length;
    this.#alongCounted = this.#alongTokens(along);
  }

  /** The history is another one: nothing of it was counted. */
  reset(): void {
    this.#seen = 0;
    this.#tokens = 0;
    this.#alongCounted = 0;
  }

  #look(): void {
    for (; this.#seen < this.#history.length; this.#seen++) {
      this.#tokens += messageTokens(this.#history[this.#seen]!);
    }
  }

  #alongTokens({ system, tools }: Along): number {
    if (system !== this.#system.text) {
      this.#system = { text: system, tokens: textTokens(system) };
    }
    return this.#system.tokens + toolTokens(tools);
  }
}
