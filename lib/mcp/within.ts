import type { Host } from "../host/host.ts";

/** What `pending` comes to; undefined when that takes longer than `ms`, or than its caller stays. */
export async function within<T>(
  pending: Promise<T>,
  ms: number,
  sleep: Host["sleep"],
  caller?: AbortSignal,
): Promise<T | undefined> {
  const timer = new AbortController();
  const stop = caller === undefined ? timer.signal : AbortSignal.any([timer.signal, caller]);
  const late = sleep(ms, stop).then(() => undefined, () => undefined);
  try {
    return await Promise.race([pending, late]);
  } finally {
    timer.abort();
  }
}
