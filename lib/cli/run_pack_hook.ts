import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { stopProcess } from "../host/process.ts";
import type { Limits } from "../limits.ts";
import { type ServerLog, serverLog } from "../mcp/server_log.ts";
import { Stderr } from "../mcp/stderr.ts";
import type { HookPoint } from "../persona/hooks.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { type HookOwner, hookSpec } from "../persona/hook_spec.ts";
import { HookWords } from "./hook_words.ts";

/** What running a hook takes. */
export interface HookWorld {
  readonly host: Pick<Host, "spawn" | "sleep">;
  readonly limits: Pick<
    Limits,
    "packHookMs" | "stopServerMs" | "maxServerLogBytes" | "maxHookResultBytes"
  >;
  readonly prepare: (spec: ServerSpec) => Promise<Launch>;
  /** Gets what a script writes to stderr, and what one that nobody listens to says. */
  readonly onLog: (line: ServerLog) => void;
}

/** What running a script came to. */
export interface HookOutcome {
  /** Why it failed; undefined when it did not. */
  readonly failure?: string;
  /** What it wrote to stdout, trimmed. */
  readonly said: string;
}

/**
 * Runs a pack's script for one point of a session, as a server runs: one confined process under the persona's
 * ceiling, refused where nothing can confine it, with at most `packHookMs`. It reads `input`.
 *
 * @returns silence when the pack has none for that point.
 */
export async function runPackHook(
  point: HookPoint,
  persona: HookOwner,
  input: string,
  world: HookWorld,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const spec = hookSpec(point, persona);
  if (spec === undefined) return { said: "" };
  let launch: Launch;
  try {
    launch = await world.prepare(spec);
  } catch (error) {
    return { failure: messageOf(error), said: "" };
  }
  try {
    const outcome = await runLaunch(launch, input, world, signal);
    const [cut] = launch.grant.cut;
    if (outcome.failure === undefined || cut === undefined) return outcome;
    const why = `it was not granted ${cut.list} ${cut.value}: ${cut.reason}`;
    return { ...outcome, failure: `${outcome.failure} (${why})` };
  } catch (error) {
    return { failure: messageOf(error), said: "" };
  } finally {
    await launch.release();
  }
}

async function runLaunch(
  launch: Launch,
  input: string,
  { host, limits, onLog }: HookWorld,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const { command, redact } = launch;
  const child = host.spawn(command);
  const log = serverLog(launch, limits.maxServerLogBytes, onLog);
  const stderr = new Stderr(
    child.stderr,
    limits.maxServerLogBytes,
    (line) => log("stderr", line),
    redact,
  );
  const words = new HookWords(child.stdout, limits.maxHookResultBytes);
  const fed = feed(child.stdin, input);
  const timer = new AbortController();
  const stop = AbortSignal.any([signal, timer.signal]);
  const late = host.sleep(limits.packHookMs, stop).then(
    () => "late" as const,
    () => "given up" as const,
  );
  const how = await Promise.race([child.exited, late]);
  timer.abort();
  await stopProcess(child, () => Promise.resolve(), limits.stopServerMs, host);
  await Promise.all([stderr.ended, words.ended, fed, late]);
  const said = words.text(redact);
  if (how === "late") return { said, failure: `it took longer than ${limits.packHookMs} ms` };
  if (how === "given up") return { said, failure: "it was given up" };
  if (how.code === 0) return { said };
  const why = stderr.tail.trim() || said;
  return { said, failure: `it ended with ${how.code}${why === "" ? "" : `: ${why}`}` };
}

/** A script that does not read its input breaks the pipe, which is its own affair. */
async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
}
