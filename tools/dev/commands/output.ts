import type { WalkWorld } from "./walk.ts";

/** What a command needs of the system. */
export type CommandWorld =
  & WalkWorld
  & Pick<typeof Deno, "cwd" | "open" | "readFile" | "stat" | "stderr" | "stdin" | "stdout">;

const BUFFER_CHARACTERS = 64 * 1024;

/** A command's output: gathered, and written in large pieces. */
export class Output implements Disposable {
  #buffer = "";
  #isClosed = false;
  readonly #encoder = new TextEncoder();

  constructor(private readonly world: Pick<CommandWorld, "stdout" | "stderr">) {}

  /** Nobody reads it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws When nobody reads it any more. */
  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length > BUFFER_CHARACTERS) this.#flush();
  }

  /** Tells a person what went wrong, and goes on. */
  warn(line: string): void {
    writeAll(this.world.stderr, this.#encoder.encode(`${line}\n`));
  }

  /** Tells a person why it ends here; gives the exit code of that. */
  fail(line: string): number {
    this.warn(line);
    return 2;
  }

  [Symbol.dispose](): void {
    try {
      this.#flush();
    } catch {
      // A reader that left has seen enough.
    }
  }

  #flush(): void {
    const bytes = this.#encoder.encode(this.#buffer);
    this.#buffer = "";
    if (this.#isClosed) return;
    try {
      writeAll(this.world.stdout, bytes);
    } catch (error) {
      this.#isClosed = true;
      throw error;
    }
  }
}

function writeAll(
  target: CommandWorld["stdout"] | CommandWorld["stderr"],
  bytes: Uint8Array,
): void {
  for (let at = 0; at < bytes.length;) at += target.writeSync(bytes.subarray(at));
}
