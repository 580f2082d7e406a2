import { guardConsole } from "../acp/guard_console.ts";
import { watchParent } from "../acp/watch_parent.ts";
import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";
import type { Invocation } from "./flags.ts";
import { serveClient } from "./serve_client.ts";
import { untilSignal } from "./stopping.ts";

/**
 * `skep acp`: serves one ACP client on stdio until it leaves, a signal comes, or whoever started us is
 * gone. Nothing else is written to stdout.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return untilSignal(host, async (signal) => {
    using _console = guardConsole();
    using output = host.ownStdout();
    const orphaned = new AbortController();
    const stop = AbortSignal.any([signal, orphaned.signal]);
    const { parentPid, launchersAbove, isAlive } = host;
    const sleep = cheapAtFirst(host.sleep);
    const everyMs = LIMITS.watchParentMs.value;
    const watching = watchParent(
      { parentPid, sleep, launchersAbove, isAlive },
      () => orphaned.abort(),
      everyMs,
      stop,
    );
    try {
      await serveClient(invocation, host, { input: host.stdin, output }, stop);
    } finally {
      orphaned.abort();
      await watching;
    }
    return 0;
  });
}

/**
 * A sleep whose first call goes through `AbortSignal.timeout`: Deno's first `setTimeout` loads its Node
 * layer, which takes a third as long as all of `initialize`.
 */
function cheapAtFirst(sleep: Host["sleep"]): Host["sleep"] {
  let isFirst = true;
  return (ms, signal) => {
    if (!isFirst) return sleep(ms, signal);
    isFirst = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    AbortSignal.timeout(ms).addEventListener("abort", () => resolve());
    signal?.addEventListener("abort", () => reject(signal.reason));
    return promise;
  };
}
