import type { Files } from "./files.ts";
import type { Launchers } from "./launchers.ts";
import type { Lifeline } from "./lifeline.ts";
import type { OwnStdout } from "./own_stdout.ts";
import type { Process, SpawnCommand } from "./process.ts";
import type { Connection, Listener } from "./sockets.ts";

/**
 * The world outside the program. Everything above `lib/host` takes the slice it uses, so that its
 * test passes two lambdas: `Pick<Host, "nowMs" | "sleep">`.
 */
export interface Host {
  /** Wall-clock time, in milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The platform's `fetch`. */
  fetch(request: Request): Promise<Response>;
  /** Starts a child in a process group of its own. @throws when the program cannot be started. */
  spawn(command: SpawnCommand): Process;
  /** One environment variable of the runtime. */
  env(name: string): string | undefined;
  /** Files and folders. */
  readonly files: Files;
  /** The folder the program was started in. */
  cwd(): string;
  /** What the person or client sends. */
  readonly stdin: ReadableStream<Uint8Array>;
  /** True when stdin, or stdout, is a terminal. */
  isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean;
  /** How many characters wide the terminal is; undefined where there is none, or it does not tell. */
  columns(): number | undefined;
  /** Writes bytes to stdout, whole, waiting until they are taken. @throws when nobody reads any more. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Keeps stdout for one protocol, until it is disposed of: only the writer that it gives writes there, as
   * `write` does. Whatever else is written to stdout by this program's code comes out on stderr.
   */
  ownStdout(): OwnStdout;
  /** Writes text to stdout, as `write` does. */
  print(text: string): Promise<void>;
  /** Writes one message to stderr, as one line. */
  warn(line: string): void;
  /** Calls `handler` on each of the signals, until `stop` is aborted. */
  onSignal(
    names: readonly Deno.Signal[],
    handler: (name: Deno.Signal) => void,
    stop: AbortSignal,
  ): void;
  /** The process id of whatever started us; it changes when that dies. */
  parentPid(): number;
  /** The programs between us and whoever really started us, such as `npx`; see `launchers.ts`. */
  launchersAbove(pid: number): Promise<Launchers>;
  /** Whether there is a process of that number. */
  isAlive(pid: number): boolean;
  /** True when the program runs as the administrator. */
  isRoot(): boolean;
  /** Makes the FIFO whose end tells the servers that this program is gone, however that came. */
  openLifeline(): Promise<Lifeline>;
  /**
   * Listens on a unix socket at an absolute path that is not there yet, for this user alone.
   * @throws when the path is taken, or longer than a socket's may be (107 bytes).
   */
  listenUnix(path: string): Promise<Listener>;
  /**
   * Connects to an IP address, without brackets: that very one, no name is looked up.
   * @throws when nobody answers, and the signal's reason as soon as that is aborted.
   */
  connectTcp(address: string, port: number, signal: AbortSignal): Promise<Connection>;
  /**
   * The IP addresses of a name, at least one, in the order to try them, as every program of this
   * machine would find them. @throws when there is no such name, or nobody to ask.
   */
  lookup(name: string): Promise<string[]>;
  /** The operating system and processor. */
  readonly platform: { readonly os: typeof Deno.build.os; readonly arch: typeof Deno.build.arch };
  /** The `deno` program that runs us, or the compiled program itself when `isStandalone`. */
  execPath(): string;
  /** True in a program made by `deno compile`, which cannot run `deno run` by itself. */
  readonly isStandalone: boolean;
}
