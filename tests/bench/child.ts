// A child whose output is timed as it comes: unlike the harness of the tests this one never polls.
import { childEnv, PATIENCE_MS, skepCommand, tempFolder } from "../harness.ts";

/** A program, a line of its stdout at a time. */
export class Child implements AsyncDisposable {
  readonly startMs: number;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(program: string, args: readonly string[], cwd: string, env: Record<string, string>) {
    this.startMs = performance.now();
    this.#child = new Deno.Command(program, {
      args: [...args],
      cwd,
      clearEnv: true,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  get pid(): number {
    return this.#child.pid;
  }

  async send(message: unknown): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  /** The next message that is wanted; those before it are dropped. */
  async message(
    isWanted: (message: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    for (;;) {
      const line = await this.#line();
      const message = JSON.parse(line);
      if (isWanted(message)) return message;
    }
  }

  /** Sends a request and waits for its answer. */
  async request(id: number, method: string, params: unknown): Promise<Record<string, unknown>> {
    await this.send({ jsonrpc: "2.0", id, method, params });
    const answer = await this.message((message) => message.id === id);
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
    return answer.result as Record<string, unknown>;
  }

  /** Waits for its end. */
  async ended(): Promise<void> {
    while (!(await this.#lines.read()).done);
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stdin.close().catch(() => {}); // it may have ended by itself
    await this.ended();
  }

  async #line(): Promise<string> {
    let end;
    while ((end = this.#rest.indexOf("\n")) === -1) {
      const { done, value } = await soon(this.#lines.read());
      if (done) throw new Error(`The program has ended: ${this.#rest}`);
      this.#rest += value;
    }
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line;
  }
}

/** A bench that waits for what never comes says so instead of hanging. */
async function soon<T>(line: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    const message = `The program wrote no line for ${PATIENCE_MS / 1000} s`;
    timer = setTimeout(() => fail(new Error(message)), PATIENCE_MS);
  });
  try {
    return await Promise.race([line, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One home for all runs, as a person has: what is fetched and found once stays. */
const HOME = await tempFolder();
addEventListener("unload", () => Deno.removeSync(HOME.path, { recursive: true }));
Deno.mkdirSync(`${HOME.path}/work`);

/** The empty folder that everything runs in. */
export const WORK = `${HOME.path}/work`;

/** A folder that nothing of skep's is in. */
export const ELSEWHERE = HOME.path;

/** The environment that everything runs with. */
export function benchEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return childEnv(HOME.path, extra);
}

/** Starts skep as people do. */
export function startSkep(
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Child {
  const [program, all] = skepCommand(args);
  return new Child(program, all, WORK, benchEnv(extra));
}

/** Runs `deno run` of an empty file to its end; gives the time in milliseconds. */
export async function bareDeno(): Promise<number> {
  const path = `${ELSEWHERE}/empty.ts`;
  await Deno.writeTextFile(path, "");
  const child = new Child(Deno.execPath(), ["run", path], WORK, benchEnv());
  await child.ended();
  const ms = performance.now() - child.startMs;
  await child[Symbol.asyncDispose]();
  return ms;
}
