import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { stopProcess } from "../host/process.ts";
import type { Limits } from "../limits.ts";
import { Stderr } from "../mcp/stderr.ts";
import type { HookPoint } from "../persona/hooks.ts";
import type { Launch } from "../sandbox/launch.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { type HookOwner, hookSpec } from "./hook_spec.ts";

/** What running a hook takes. */
export interface HookWorld {
  readonly host: Pick<Host, "spawn" | "sleep">;
  readonly limits: Pick<Limits, "packHookMs" | "stopServerMs" | "maxServerLogBytes">;
  readonly prepare: (spec: ServerSpec) => Promise<Launch>;
}

/**
 * Runs a pack's script for one point of a session, as a server runs: one confined process under the persona's
 * ceiling, refused where nothing can confine it, with at most `packHookMs`. It reads `input`.
 *
 * @returns why it failed; undefined when it did not, or the pack has none for that point.
 */
export async function runPackHook(
  point: HookPoint,
  persona: HookOwner,
  input: string,
  world: HookWorld,
  signal: AbortSignal,
): Promise<string | undefined> {
  const spec = hookSpec(point, persona);
  if (spec === undefined) return undefined;
  let launch: Launch;
  try {
    launch = await world.prepare(spec);
  } catch (error) {
    return messageOf(error);
  }
  try {
    const why = await runLaunch(launch, input, world, signal);
    const [cut] = launch.grant.cut;
    if (why === undefined || cut === undefined) return why;
    return `${why} (it was not granted ${cut.list} ${cut.value}: ${cut.reason})`;
  } catch (error) {
    return messageOf(error);
  } finally {
    await launch.release();
  }
}

async function runLaunch(
  { command, redact }: Launch,
  input: string,
  { host, limits }: HookWorld,
  signal: AbortSignal,
): Promise<string | undefined> {
  const child = host.spawn(command);
  const stderr = new Stderr(child.stderr, limits.maxServerLogBytes, () => {}, redact);
  const drained = child.stdout.pipeTo(new WritableStream()).catch(() => {}); // nobody needs it
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
  await Promise.all([stderr.ended, drained, fed, late]);
  if (how === "late") return `it took longer than ${limits.packHookMs} ms`;
  if (how === "given up") return "it was given up";
  if (how.code === 0) return undefined;
  const said = stderr.tail.trim();
  return `it ended with ${how.code}${said === "" ? "" : `: ${said}`}`;
}

/** A script that does not read its input breaks the pipe, which is its own affair. */
async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
}
