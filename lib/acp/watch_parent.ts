import type { Host } from "../host/host.ts";
import type { Launchers } from "../host/launchers.ts";

/** A launcher that was killed and that nobody waits for keeps its number: every so many looks all are sought again. */
const LOOKS_PER_SEARCH = 40;

type World = Pick<Host, "parentPid" | "sleep" | "launchersAbove" | "isAlive">;

/**
 * Watches for the death of whatever started us, which not every launcher passes on (`npx` forwards
 * no signal, and `deno task` between it and us lives on): looks each `everyMs` at our parent and at
 * the launchers above it, calls `onDeath` once, and resolves. Resolves without a call when `signal`
 * is aborted.
 */
export async function watchParent(
  host: World,
  onDeath: () => void,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  const parent = host.parentPid();
  const isOurs = () => host.parentPid() === parent;
  await watch(
    host,
    { search: () => host.launchersAbove(parent), isOurs },
    everyMs,
    signal,
    onDeath,
  );
}

/**
 * The same for a package manager that started us, and what lies between: nobody else's death counts, since a
 * person may close the shell in which a command goes on.
 */
export async function watchPackageManager(
  host: World,
  onDeath: () => void,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  const parent = host.parentPid();
  const search = async () => {
    const { managed, isCut } = await host.launchersAbove(parent);
    return { pids: managed, isCut };
  };
  await watch(host, { search }, everyMs, signal, onDeath);
}

async function watch(
  { sleep, isAlive }: Pick<World, "sleep" | "isAlive">,
  { search, isOurs }: {
    readonly search: () => Promise<Pick<Launchers, "pids" | "isCut">>;
    readonly isOurs?: () => boolean;
  },
  everyMs: number,
  signal: AbortSignal,
  onDeath: () => void,
): Promise<void> {
  try {
    // Not before the first wait: nothing that a client waits for should wait for this.
    await sleep(everyMs, signal);
    const { pids, isCut } = await search();
    if (pids.length === 0 && isOurs === undefined) return;
    const areThere = async (look: number) =>
      (isOurs?.() ?? true) && pids.every(isAlive) &&
      (pids.length === 0 || look % LOOKS_PER_SEARCH !== 0 ||
        (await search()).pids.length === pids.length);
    for (let look = 1; !isCut && await areThere(look); look++) await sleep(everyMs, signal);
  } catch (error) {
    if (signal.aborted) return; // sleep gives up with the signal's reason
    throw error;
  }
  onDeath();
}
