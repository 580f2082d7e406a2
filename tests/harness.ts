// What the process tests share: the real command line as a child, with an environment of its own.
import { dirname, join } from "@std/path";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The absolute path of a file of the repository. */
export function fromRepo(path: string): string {
  return join(ROOT, path);
}

/** How a program that has ended did. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a child is started with, beside its arguments. */
export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/**
 * A folder of the test's own, removed at the end: `await using home = await tempFolder()`.
 *
 * @param dir Where it lies: among the temporary ones when left out.
 */
export async function tempFolder(dir?: string): Promise<{ path: string } & AsyncDisposable> {
  const options = { prefix: "skep-test-", ...(dir === undefined ? {} : { dir }) };
  const path = await Deno.realPath(await Deno.makeTempDir(options));
  return {
    path,
    [Symbol.asyncDispose]: () => removeFolder(path),
  };
}

/** Removes a folder, also one that a process that was just killed still writes to. */
export async function removeFolder(path: string): Promise<void> {
  for (const end = Date.now() + SOON_MS;;) {
    try {
      return await Deno.remove(path, { recursive: true });
    } catch (error) {
      if (!(error instanceof Error && /not empty/.test(error.message)) || Date.now() > end) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * The arguments of `deno` in a task of the task file, which is the one place that says them: the tests
 * hold what people use.
 */
export function taskArgs(task: string): string[] {
  const { tasks } = JSON.parse(Deno.readTextFileSync(fromRepo("deno.json")));
  const words: string[] = tasks[task].command.match(/"[^"]*"|\S+/g) ?? [];
  return words.slice(words.indexOf("deno") + 1).map((word) => word.replaceAll('"', ""));
}

/** `deno` and the arguments that run skep with `args`, from any folder: those of the task `skep`. */
export function skepCommand(args: readonly string[]): [program: string, args: string[]] {
  const absolute: Record<string, string> = {
    "cli.ts": fromRepo("cli.ts"),
    "--lock=deno.lock": `--lock=${fromRepo("deno.lock")}`,
  };
  return [Deno.execPath(), [...taskArgs("skep").map((word) => absolute[word] ?? word), ...args]];
}

/**
 * The environment of a child: nothing of the test's own but PATH and Deno's cache. INIT_CWD above
 * all is left out: `deno task` sets it for its own children.
 */
export function childEnv(
  home: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const path = Deno.env.get("PATH") ?? "";
  return { PATH: path, HOME: home, DENO_DIR: denoDir(), NO_COLOR: "1", LANG: "C.UTF-8", ...extra };
}

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

let cache: string | undefined;

/**
 * One cache folder of skep for all the runs of a test file: what a bundled server imports is looked up
 * once in each.
 */
function cacheFolder(): string {
  if (cache !== undefined) return cache;
  const path = cache = Deno.makeTempDirSync({ prefix: "skep-test-cache-" });
  addEventListener("unload", () => Deno.removeSync(path, { recursive: true }));
  return path;
}

function skepEnv(home: string, options: ChildOptions): Record<string, string> {
  return childEnv(home, { SKEP_CACHE_DIR: cacheFolder(), ...options.env });
}

/** Runs skep to its end, in an empty folder unless `options.cwd` is given. stdin is empty unless given. */
export async function skep(args: readonly string[], options: ChildOptions = {}): Promise<Ended> {
  await using home = await tempFolder();
  const [program, all] = skepCommand(args);
  return await runChild(program, all, await skepOptions(home.path, options));
}

/** Starts skep as `skep()` does and does not wait for it. Its stdin stays open, `options.stdin` is written to it. */
export async function startSkep(
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Running> {
  const home = await tempFolder();
  const [program, all] = skepCommand(args);
  return new Running(program, all, await skepOptions(home.path, options), home);
}

/** True where `startInTerminal()` works: `script` of util-linux is there. */
export const HAS_TERMINAL = Deno.build.os === "linux" && existsSync("/usr/bin/script");

/**
 * Starts skep in a terminal of its own: what is written to its stdin is typed, and all that it shows is
 * its stdout. Killing the program that is returned closes the terminal.
 */
export async function startInTerminal(
  args: readonly string[],
  options: ChildOptions = {},
): Promise<Running> {
  const home = await tempFolder();
  const [program, all] = skepCommand(args);
  const line = [program, ...all].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const settings = await skepOptions(home.path, options);
  const env = { ...settings.env, TERM: "xterm" };
  const typed = ["-q", "-e", "-f", "-c", `exec ${line}`, "/dev/null"];
  return new Running("/usr/bin/script", typed, { ...settings, env }, home);
}

async function skepOptions(home: string, options: ChildOptions): Promise<ChildOptions> {
  const cwd = join(home, "work");
  await Deno.mkdir(cwd);
  return { cwd, ...options, env: skepEnv(home, options) };
}

/** Runs any program to its end, with exactly the environment given. */
export async function runChild(
  program: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<Ended> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: options.cwd ?? fromRepo("."),
    clearEnv: true,
    env: { ...options.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A child that ends without reading its input breaks the pipe; its exit code tells the test why.
  await writer.write(new TextEncoder().encode(options.stdin ?? "")).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/**
 * What happens soon happens within this, in ms, on a machine however busy; what would take its place
 * lasts at least four times as long. How soon it is, the benches measure.
 */
export const SOON_MS = 15_000;

/** How long a test waits for what must come, in ms: it ends the wait for what never does. */
export const PATIENCE_MS = 60_000;

/** A program that runs. `await using` ends it with all that it started. */
export class Running implements AsyncDisposable {
  /** What it wrote so far. */
  stdout = "";
  stderr = "";
  /** Resolves when it has ended and both of its outputs are closed. */
  readonly ended: Promise<Ended>;
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #belongings: AsyncDisposable | undefined;
  #isOver = false;

  /** @param belongings Disposed of with it. */
  constructor(
    program: string,
    args: readonly string[],
    options: ChildOptions,
    belongings?: AsyncDisposable,
  ) {
    this.#child = new Deno.Command(program, {
      args: [...args],
      cwd: options.cwd ?? fromRepo("."),
      clearEnv: true,
      env: { ...options.env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#belongings = belongings;
    const reading = [
      collect(this.#child.stdout, (text) => this.stdout += text),
      collect(this.#child.stderr, (text) => this.stderr += text),
    ];
    this.ended = Promise.all([this.#child.status, ...reading]).then(([{ code }]) => {
      this.#isOver = true;
      return { code, stdout: this.stdout, stderr: this.stderr };
    });
    if (options.stdin !== undefined) this.write(options.stdin);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Writes to its stdin. One that has ended reads no more, which its exit code explains. */
  async write(text: string): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(text)).catch(() => {});
  }

  async closeStdin(): Promise<void> {
    await this.#stdin.close().catch(() => {});
  }

  signal(name: Deno.Signal): void {
    this.#child.kill(name);
  }

  /** Waits until something holds of what it wrote. @throws with all it wrote, after `ms` or at its end. */
  async until(isThere: (running: this) => boolean, ms = PATIENCE_MS): Promise<void> {
    const until = Date.now() + ms;
    while (!isThere(this)) {
      if (this.#isOver || Date.now() > until) {
        const what = this.#isOver ? "The program has ended" : `Nothing came within ${ms} ms`;
        throw new Error(`${what}; stdout: ${this.stdout}\nstderr: ${this.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) killAll([this.pid, ...await descendants(this.pid)]);
    await this.closeStdin();
    await this.ended;
    await this.#belongings?.[Symbol.asyncDispose]();
  }
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) take(text);
}

/** Sends a KILL to each of the processes; one that is gone is as it should be. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Writes a file of MCP servers, in Claude desktop's form, for `--mcp`; gives its path. */
export async function serverFile(
  folder: string,
  servers: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = join(folder, "servers.json");
  await Deno.writeTextFile(path, JSON.stringify({ mcpServers: servers }));
  return path;
}

/**
 * The entry of the fault-injecting server of `fixtures/fake_mcp.ts` in such a file, with its knobs. It
 * starts on any machine, whatever that can confine.
 */
export function fakeServer(
  knobs: readonly string[] = [],
  { permissions = {}, ...more }: Readonly<Record<string, unknown>> & { permissions?: object } = {},
): Record<string, unknown> {
  return {
    command: "deno",
    args: ["run", fromRepo("tests/fixtures/fake_mcp.ts"), ...knobs],
    permissions: { sandbox: "prefer", ...permissions },
    ...more,
  };
}

/** Which of the processes still run, as `ps` sees them (a zombie has ended). */
export async function alive(pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  const { stdout } = await runChild("/bin/ps", ["-o", "pid=,stat=", "-p", pids.join(",")], {});
  return stdout.split("\n").map((line) => line.trim().split(/\s+/))
    .filter(([pid, stat]) => pid !== "" && stat?.startsWith("Z") === false)
    .map(([pid]) => Number(pid));
}

/** Waits until none of the processes runs, at most `ms`; gives those that still do. */
export async function waitForEnd(pids: readonly number[], ms = SOON_MS): Promise<number[]> {
  const until = Date.now() + ms;
  for (;;) {
    const left = await alive(pids);
    if (left.length === 0 || Date.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Every process below `pid`, itself not counted. */
export async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await runChild("/bin/ps", ["-e", "-o", "pid=,ppid="], {});
  const rows = stdout.trim().split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const found: number[] = [];
  for (let parents = [pid]; parents.length > 0;) {
    parents = rows.filter(([, parent]) => parents.includes(parent!)).map(([child]) => child!);
    found.push(...parents);
  }
  return found;
}
