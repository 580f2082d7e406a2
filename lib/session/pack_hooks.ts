/** The scripts that a persona's pack runs in a session, each as a confined process of its own. */
export interface PackHooks {
  /**
   * Before a prompt goes into the history; the script reads it.
   *
   * @throws {SkepError} `PROMPT_DENIED` when the script fails or takes too long; `CANCELLED`.
   */
  message(prompt: string, signal: AbortSignal): Promise<void>;
  /** At the session's end. What goes wrong is said, and keeps nothing from ending. */
  stop(): Promise<void>;
}
