import type { CommandOutput } from "./command_output.ts";
import { type GuardReport, guardRequest, readReport } from "./guard.ts";
import type { Guard, Guards } from "./guards.ts";
import type { World } from "./world.ts";

/** A shell command to run. */
export interface GroupCommand {
  readonly command: string;
  /** Canonical. */
  readonly cwd: string;
  /** What it gets to read. */
  readonly input: string;
  /** Undefined: it may run as long as it likes. */
  readonly timeoutMs: number | undefined;
  /** From TERM to KILL, when it is ended early. */
  readonly stopMs: number;
  /** Gets what it writes to stdout and stderr, in the order in which it does. */
  readonly output: CommandOutput;
}

/** How it ended. */
export interface GroupResult {
  /** Its exit code, 128 + the signal's number when a signal ended it; undefined when nobody knows. */
  readonly exitCode: number | undefined;
  readonly endedBy: "itself" | "timeout" | "cancel";
  readonly report: GuardReport;
  /** Something of it may still run: it left the group unseen, or cannot be killed. */
  readonly hasEscaped: boolean;
  readonly durationMs: number;
}

const NEWLINE = 0x0a;

/**
 * Runs a command in a process group of its own. When it has ended, whatever it left behind is killed.
 * A timeout and an abort end the whole group: TERM, `stopMs`, KILL.
 *
 * @throws What the system says when bash cannot be started, or cannot start the command.
 */
export async function runInGroup(
  options: GroupCommand,
  guards: Guards,
  world: Pick<World, "Command">,
  signal: AbortSignal,
): Promise<GroupResult> {
  const result = await runUnder(await guards.take(), options, world, signal) ??
    await runUnder(await guards.take(true), options, world, signal) ??
    nothingStarted("its guard was killed twice");
  guards.prepare();
  return result;
}

/** Undefined when the guard was killed before it had started anything, which may be tried again. */
async function runUnder(
  guard: Guard,
  options: GroupCommand,
  world: Pick<World, "Command">,
  signal: AbortSignal,
): Promise<GroupResult | undefined> {
  const startMs = performance.now();
  const reading = read(guard.stdout, options.output);
  const reporting = new Response(guard.stderr).text();
  const writing = feed(guard.stdin, options);

  const first = await firstOf(guard.status, options.timeoutMs, signal);
  const isOver = first === "end" || await stop(guard, options.stopMs);
  const exit = isOver ? await guard.status : undefined;
  if (exit !== undefined && exit.signal !== null) await killGroup(reading.group(), world);
  await writing.cancel();

  const isOutputEnded = await firstOf(reading.end, options.stopMs) === "end";
  await reading.cancel();
  const report = readReport(isOver ? await reporting : "");
  if (first === "end" && reading.group() === undefined) {
    if (exit?.signal !== null) return undefined;
    if (report.isFolderMissing) {
      return nothingStarted(`the folder ${options.cwd} cannot be entered`);
    }
    return nothingStarted("no process can be started for the command");
  }
  return {
    exitCode: exit?.signal === null ? exit.code : undefined,
    endedBy: first === "end" ? "itself" : first,
    report,
    hasEscaped: !isOver || !isOutputEnded,
    durationMs: performance.now() - startMs,
  };
}

function nothingStarted(why: string): never {
  throw new Error(why);
}

interface Reading {
  /** Resolves when nobody can write any more. */
  readonly end: Promise<void>;
  /** The group's number, once it was read. */
  group(): number | undefined;
  cancel(): Promise<void>;
}

function read(stream: ReadableStream<Uint8Array>, output: CommandOutput): Reading {
  const reader = stream.getReader();
  let group: number | undefined;
  async function drain(): Promise<void> {
    const { value: first, done } = await reader.read();
    if (done) return;
    const end = first.indexOf(NEWLINE); // a line that short is written and read whole
    group = Number(new TextDecoder().decode(first.subarray(0, end)));
    await output.push(first.subarray(end + 1));
    for (let part; !(part = await reader.read()).done;) await output.push(part.value);
  }
  return { end: drain(), group: () => group, cancel: () => reader.cancel() };
}

/** Writes what is to run, and its input. A command that does not read that leaves it unwritten. */
function feed(
  stdin: WritableStream<Uint8Array>,
  { cwd, command, input }: GroupCommand,
): { cancel(): Promise<void> } {
  const writer = stdin.getWriter();
  const write = async () => {
    await writer.write(guardRequest(cwd, command, input !== ""));
    if (input !== "") await writer.write(new TextEncoder().encode(input));
    await writer.close();
  };
  const done = write();
  const ignored = done.catch(() => {}); // a broken pipe: it has ended, or closed its input
  return {
    cancel: async () => {
      await writer.abort().catch(() => {}); // it is closed already
      await ignored;
    },
  };
}

/** TERM, a while, KILL. False when even that did not end it. */
async function stop(guard: Guard, stopMs: number): Promise<boolean> {
  for (const name of ["SIGTERM", "SIGUSR1"] as const) {
    try {
      guard.kill(name);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended by itself meanwhile
    }
    if (await firstOf(guard.status, stopMs) === "end") return true;
  }
  return false;
}

async function killGroup(
  group: number | undefined,
  world: Pick<World, "Command">,
): Promise<void> {
  if (!Number.isSafeInteger(group)) return; // the command was not started
  await new world.Command("bash", {
    args: ["-c", 'kill -KILL -- "-$1"', "bash", String(group)],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().status; // a group that is empty is what was wanted
}

async function firstOf(
  end: Promise<unknown>,
  ms: number | undefined,
  signal?: AbortSignal,
): Promise<"end" | "timeout" | "cancel"> {
  const { promise, resolve } = Promise.withResolvers<"timeout" | "cancel">();
  const timer = ms === undefined ? undefined : setTimeout(() => resolve("timeout"), ms);
  const cancel = () => resolve("cancel");
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([end.then(() => "end" as const), promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
