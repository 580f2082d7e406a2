import type { Host } from "../host/host.ts";

/**
 * Watches for the death of whatever started us, which not every launcher passes on (`npx` forwards
 * no signal, and `deno task` between it and us lives on): looks each `everyMs` at our parent and at
 * the launchers above it, calls `onDeath` once, and resolves. Resolves without a call when `signal`
 * is aborted.
 */
export async function watchParent(
  { parentPid, sleep, launchersAbove, isAlive }: Pick<
    Host,
    "parentPid" | "sleep" | "launchersAbove" | "isAlive"
  >,
  onDeath: () => void,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  const parent = parentPid();
  let launchers: readonly number[] = [];
  try {
    // Not before the first wait: nothing that a client waits for should wait for this.
    await sleep(everyMs, signal);
    launchers = await launchersAbove(parent);
    while (parentPid() === parent && launchers.every(isAlive)) await sleep(everyMs, signal);
  } catch (error) {
    if (signal.aborted) return; // sleep gives up with the signal's reason
    throw error;
  }
  onDeath();
}
