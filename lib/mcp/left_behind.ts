import type { Host } from "../host/host.ts";
import type { Process } from "../host/process.ts";
import type { Limits } from "../limits.ts";

/** How often what a server started for cancelled calls is ended before the server itself is. */
const ATTEMPTS = 2;

/**
 * What a server still runs for calls that were cancelled. MCP's `notifications/cancelled` has no answer: a
 * server may stop, or not, and answer pings either way. So the programs that it started while such a call
 * ran are looked for after a moment, and ended; a server that starts more of them is of no use.
 */
export class LeftBehind {
  readonly #world: Pick<Host, "sleep" | "nowMs">;
  readonly #graceMs: number;
  /** When the first of the cancelled calls that were not looked at began, and the next call behind them. */
  #span: { readonly fromMs: number; toMs?: number; attempts: number } | undefined;

  constructor(
    world: Pick<Host, "sleep" | "nowMs">,
    { cancelGraceMs }: Pick<Limits, "cancelGraceMs">,
  ) {
    this.#world = world;
    this.#graceMs = cancelGraceMs;
  }

  /** A call begins: what is started from now on may be its own. */
  begin(): void {
    if (this.#span !== undefined) this.#span.toMs ??= this.#world.nowMs();
  }

  /** A call that began then, on the host's clock, was given up by whoever called. */
  cancelled(beganMs: number): void {
    this.#span = { fromMs: Math.min(beganMs, this.#span?.fromMs ?? beganMs), attempts: 0 };
  }

  /**
   * Ends what was left behind, when its server has had a moment to.
   *
   * @param closing Aborted when the server is stopped, and with it all that it started.
   * @returns why the server has to be stopped too, as the rest of a sentence about it.
   */
  async end(
    process: Pick<Process, "endStarted">,
    closing: AbortSignal,
  ): Promise<string | undefined> {
    for (let noted = this.#span; noted !== undefined; noted = this.#span) {
      if (noted.attempts++ === ATTEMPTS) {
        this.#span = undefined;
        return "goes on with a call that was cancelled";
      }
      try {
        await this.#world.sleep(this.#graceMs, closing);
      } catch {
        return undefined;
      }
      const ended = await process.endStarted(noted);
      if (ended === 0 && this.#span === noted) this.#span = undefined;
    }
    return undefined;
  }
}
