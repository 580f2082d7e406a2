import type { Text } from "../model/message.ts";

/** What scripts say to the model, which no person said and is marked so. */
export interface PackWords {
  /** What was said at the session's start, with the first prompt. */
  readonly before: readonly Text[];
  readonly after: readonly Text[];
}

/** The scripts that a persona's pack runs in a session, each as a confined process of its own. */
export interface PackHooks {
  /**
   * Before a prompt goes into the history; the script reads it.
   *
   * @throws {SkepError} `PROMPT_DENIED` when the script fails, takes too long or says so; `CANCELLED`.
   */
  message(prompt: string, signal: AbortSignal): Promise<PackWords>;
  /** At the session's end. What goes wrong is said, and keeps nothing from ending. */
  stop(): Promise<void>;
}
