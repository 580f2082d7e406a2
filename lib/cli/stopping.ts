import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";

/** Exit codes after a signal: 128 and the signal's number. */
const CODES: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a command that the signals INT, TERM and HUP end. The first one aborts the signal that `run`
 * gets, so that it stops its children before it ends; further ones change nothing, since stopping
 * takes about a second. One that hangs is left behind after `endCommandMs`.
 *
 * @param watch Watches for what else ends the command, as a TERM does, until it is aborted.
 * @returns what `run` returns; after a signal 128 and its number, whatever `run` threw because of it.
 */
export async function untilSignal(
  host: Pick<Host, "onSignal" | "platform" | "sleep" | "warn">,
  run: (signal: AbortSignal) => Promise<number>,
  watch: (onDeath: () => void, unwatch: AbortSignal) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const stop = new AbortController();
  const unwatch = new AbortController();
  let code: number | undefined;
  const names = host.platform.os === "windows"
    ? ["SIGINT"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const end = (name: Deno.Signal) => {
    if (code !== undefined) return;
    code = CODES[name] ?? 1;
    stop.abort(new DOMException(`Stopped by ${name}`, "AbortError"));
  };
  host.onSignal(names, end, unwatch.signal);
  const watching = watch(() => end("SIGTERM"), unwatch.signal);
  try {
    const result = await Promise.race([
      run(stop.signal),
      overdue(host, stop.signal, unwatch.signal),
    ]);
    return code ?? result;
  } catch (error) {
    if (code !== undefined) return code;
    throw error;
  } finally {
    unwatch.abort();
    await watching;
  }
}

/** Resolves when a command that was told to end has not, for longer than anything that ends it may take. */
async function overdue(
  { sleep, warn }: Pick<Host, "sleep" | "warn">,
  told: AbortSignal,
  over: AbortSignal,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  told.addEventListener("abort", () => resolve());
  await promise;
  await sleep(LIMITS.endCommandMs.value, over).catch(() => {}); // it has ended
  if (!over.aborted) warn(`skep ends with work undone after ${LIMITS.endCommandMs.value} ms`);
  return 1;
}
