import type { Host } from "./host.ts";
import { type Span, startedBelow } from "./started_below.ts";

/** A child to start. Its environment is exactly `env`: nothing is inherited. */
export interface SpawnCommand {
  /** An absolute path. */
  readonly program: string;
  /** Its arguments, exactly. */
  readonly args: readonly string[];
  /** Its working directory. */
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a child ended. */
export interface ExitStatus {
  /** 0 to 255; 128 + the signal's number when a signal ended it. */
  readonly code: number;
  /** The signal that ended it, if one did. */
  readonly signal: string | undefined;
}

/** A running child, which leads a process group of its own. */
export interface Process {
  /** Its process id, and its group's. */
  readonly pid: number;
  /** What it reads. */
  readonly stdin: WritableStream<Uint8Array>;
  /** What it answers. */
  readonly stdout: ReadableStream<Uint8Array>;
  /** What it says for people. */
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the child itself has ended; others of its group may still run. */
  readonly exited: Promise<ExitStatus>;
  /** Sends a signal to the whole group. False when nobody is left in it. */
  signalGroup(name: "SIGTERM" | "SIGKILL" | "SIGINT"): boolean;
  /** Kills what it started within a span, itself or through others, and says how many there were. */
  endStarted(span: Span): Promise<number>;
}

/** Starts a child over `Deno.Command`, detached, so that it leads its own group. */
export function spawnProcess(command: SpawnCommand): Process {
  const child = new Deno.Command(command.program, {
    args: [...command.args],
    cwd: command.cwd,
    clearEnv: true,
    env: { ...command.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: child.status.then(({ code, signal }) => ({ code, signal: signal ?? undefined })),
    signalGroup: (name) => signalGroup(child.pid, name),
    endStarted: async (span) => {
      const started = await startedBelow(child.pid, span);
      return started.filter(kill).length;
    },
  };
}

/**
 * Ends a child and everything in its group: `closeStdin`, then TERM, then KILL of the group. Each of
 * the steps waits for the child's end, at most `stepMs`; after the child's end the group gets a KILL
 * all the same, for whoever it left behind. Resolves when the child has ended.
 */
export async function stopProcess(
  process: Pick<Process, "exited" | "signalGroup">,
  closeStdin: () => Promise<unknown>,
  stepMs: number,
  { sleep }: Pick<Host, "sleep">,
): Promise<void> {
  closeStdin().catch(() => {}); // a pipe whose reader is gone is closed already
  if (!await endsWithin(process.exited, stepMs, sleep)) {
    process.signalGroup("SIGTERM");
    await endsWithin(process.exited, stepMs, sleep);
  }
  process.signalGroup("SIGKILL");
  await process.exited;
}

async function endsWithin(
  ended: Promise<unknown>,
  ms: number,
  sleep: Host["sleep"],
): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, timer.signal).then(() => false, () => true);
  const inTime = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return inTime;
}

/** False for one that has ended meanwhile, or is another user's. */
function kill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

function signalGroup(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(Deno.build.os === "windows" ? pid : -pid, name);
    return true;
  } catch (error) {
    // ESRCH: the group is empty. On Windows an ended child answers with a TypeError.
    if (error instanceof Deno.errors.NotFound || error instanceof TypeError) return false;
    throw error;
  }
}
