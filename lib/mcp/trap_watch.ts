import { messageOf } from "../errors.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { WriteLog } from "./server_log.ts";
import type { ServerOptions } from "./server_options.ts";

/** Looks behind calls for what a server left in folders for other programs to fall into. */
export class TrapWatch {
  readonly #launch: Pick<Launch, "findTraps" | "redact">;
  readonly #options: Pick<ServerOptions, "closing" | "limits" | "onNotice" | "world">;
  readonly #log: WriteLog;
  #isDue = false;
  #looking: Promise<void> | undefined;

  constructor(
    launch: Pick<Launch, "findTraps" | "redact">,
    options: Pick<ServerOptions, "closing" | "limits" | "onNotice" | "world">,
    log: WriteLog,
  ) {
    this.#launch = launch;
    this.#options = options;
    this.#log = log;
  }

  /** The look that is under way. */
  get looked(): Promise<void> | undefined {
    return this.#looking;
  }

  /** Whoever called does not wait for it: it looks through folders, and pauses between two looks. */
  look(): void {
    const { findTraps } = this.#launch;
    if (findTraps === undefined) return;
    this.#isDue = true;
    this.#looking ??= this.#lookWhileDue(findTraps).finally(() => this.#looking = undefined);
  }

  async #lookWhileDue(findTraps: NonNullable<Launch["findTraps"]>): Promise<void> {
    const { closing, limits, onNotice, world } = this.#options;
    while (this.#isDue && !closing.aborted) {
      this.#isDue = false;
      try {
        for (const line of await findTraps()) onNotice(this.#launch.redact(line));
      } catch (error) {
        this.#log("health", `its folders cannot be looked through: ${messageOf(error)}`);
      }
      await world.sleep(limits.trapPauseMs, closing).catch(() => {}); // closing: seen above
    }
  }
}
