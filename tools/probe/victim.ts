import type { World } from "./world.ts";

/** A process of the same user that holds a secret in its environment, and a file open. */
export class Victim {
  /** Text in its command line. */
  readonly mark: string;
  /** Text in its environment that no server may see. */
  readonly canary: string;
  readonly #child: Deno.ChildProcess;
  #ended: string[] = [];

  /** Starts it. */
  constructor(unique: string, file: string, world: Pick<World, "Command">) {
    this.mark = `skep-victim-${unique}`;
    this.canary = `skep-canary-${crypto.randomUUID()}`;
    this.#child = new world.Command("/bin/sh", {
      args: ["-c", 'exec 3<"$1"; while read -r _; do :; done', this.mark, file],
      clearEnv: true,
      env: { CANARY: this.canary },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#child.status.then(({ code, signal }) => {
      this.#ended = [`it ended: ${signal ?? code}`];
    });
  }

  /** What became of it, when it does not run any more. */
  async check(): Promise<string[]> {
    await Promise.resolve(); // lets the news of its end arrive
    return this.#ended;
  }

  async end(): Promise<void> {
    await this.#child.stdin.close().catch(() => {}); // it has ended before
    await this.#child.status;
  }
}
