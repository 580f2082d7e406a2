import { guardArguments } from "./guard.ts";
import { hasTerminal } from "./has_terminal.ts";
import type { World } from "./world.ts";

/** A started guard, see {@linkcode guardArguments}. */
export type Guard = ReturnType<InstanceType<World["Command"]>["spawn"]>;

/**
 * The guards of a server. After the first command one waits for the next, so that a call does not wait
 * for bash to start.
 */
export class Guards implements AsyncDisposable {
  #waiting: Guard | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  /** @param scratch The server's own folder, see {@linkcode guardArguments}. */
  constructor(
    private readonly scratch: string | undefined,
    private readonly world: Pick<World, "Command">,
  ) {}

  /**
   * A guard that runs nothing yet: the one that waits, unless `isFresh` asks for another.
   *
   * @throws What the system says when bash cannot be started.
   */
  async take(isFresh = false): Promise<Guard> {
    const waiting = this.#waiting;
    if (isFresh || waiting === undefined) return await this.#start();
    this.#waiting = undefined;
    return waiting;
  }

  /** Has one wait, as soon as nothing else is to be done. */
  prepare(): void {
    if (this.#isOver || this.#waiting !== undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start().then((guard) => this.#keep(guard), () => {}); // the next call will say why
    }, 0);
  }

  /** Ends the one that waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#waiting !== undefined) await end(this.#waiting);
  }

  async #keep(guard: Guard): Promise<void> {
    if (this.#isOver || this.#waiting !== undefined) return await end(guard);
    this.#waiting = guard;
    await guard.status; // whatever ended it, such as a command that kills every bash
    if (this.#waiting === guard) this.#waiting = undefined;
  }

  async #start(): Promise<Guard> {
    return new this.world.Command("bash", {
      args: guardArguments(this.scratch),
      // Where there is a terminal, bash would take it over to control jobs: a session of its own has
      // none. Else it costs more than the rest together, since it is a fork of this whole process.
      detached: await hasTerminal(this.world),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }
}

async function end(guard: Guard): Promise<void> {
  await guard.stdin.close().catch(() => {}); // it has ended by itself
  await Promise.all([guard.stdout.cancel(), guard.stderr.cancel(), guard.status]);
}
