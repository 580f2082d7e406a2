import { denoFiles } from "./files.ts";
import type { Host } from "./host.ts";
import { isAlive, launchersAbove } from "./launchers.ts";
import { openLifeline } from "./lifeline.ts";
import { ownStdout } from "./own_stdout.ts";
import { spawnProcess } from "./process.ts";
import { connectTcp, listenUnix, lookup } from "./sockets.ts";

/** {@linkcode Host} over Deno: the real world. */
export function denoHost(): Host {
  return {
    nowMs: () => Date.now(),
    sleep,
    fetch: (request) => fetch(request),
    spawn: spawnProcess,
    env: (name) => Deno.env.get(name),
    files: denoFiles(),
    cwd: () => Deno.cwd(),
    get stdin() {
      return Deno.stdin.readable; // opened on first use: a line editor may want the terminal instead
    },
    isTerminal: (stream) => Deno[stream].isTerminal(),
    columns,
    write: (bytes) => writeAll(Deno.stdout, bytes),
    ownStdout,
    print: (text) => writeAll(Deno.stdout, new TextEncoder().encode(text)),
    warn,
    onSignal,
    parentPid: () => Deno.ppid,
    launchersAbove,
    isAlive,
    isRoot: () => Deno.uid() === 0,
    openLifeline,
    listenUnix,
    connectTcp,
    lookup,
    platform: Deno.build,
    execPath: () => Deno.execPath(),
    isStandalone: Deno.build.standalone,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted) return Promise.reject(signal.reason);
  const giveUp = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener("abort", giveUp);
    resolve();
  }, ms);
  signal?.addEventListener("abort", giveUp, { once: true });
  return promise;
}

async function writeAll(
  target: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await target.write(bytes.subarray(written));
  }
}

function columns(): number | undefined {
  try {
    return Deno.consoleSize().columns || undefined;
  } catch {
    return undefined; // no terminal
  }
}

function warn(line: string): void {
  const bytes = new TextEncoder().encode(line.replaceAll(/\r?\n/g, " ") + "\n");
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stderr.writeSync(bytes.subarray(written));
    }
  } catch {
    // Nobody reads stderr any more (a closed terminal): there is no one left to tell.
  }
}

function onSignal(
  names: readonly Deno.Signal[],
  handler: (name: Deno.Signal) => void,
  stop: AbortSignal,
): void {
  for (const name of names) {
    const listener = () => handler(name);
    Deno.addSignalListener(name, listener);
    stop.addEventListener("abort", () => Deno.removeSignalListener(name, listener), { once: true });
  }
}
