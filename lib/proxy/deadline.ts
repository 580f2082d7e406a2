import type { Host } from "../host/host.ts";

/** A time by which something must be done; over when disposed of. */
export interface Deadline extends Disposable {
  /** Aborted when the time has come, or the caller's signal was. */
  readonly signal: AbortSignal;
  /** What `work` comes to. @throws as soon as the signal is aborted; `work` then goes on unwatched. */
  wait<Value>(work: Promise<Value>): Promise<Value>;
}

/** Starts a {@linkcode Deadline} of `ms` from now. */
export function deadline(
  ms: number,
  caller: AbortSignal,
  { sleep }: Pick<Host, "sleep">,
): Deadline {
  const own = new AbortController();
  const signal = AbortSignal.any([own.signal, caller]);
  sleep(ms, signal).then(() => own.abort(), () => {}); // it was over before
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {}); // nobody may be waiting
  const giveUp = () => aborted.reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  return {
    signal,
    wait: (work) => {
      work.catch(() => {}); // it may fail after it was given up
      return Promise.race([work, aborted.promise]);
    },
    [Symbol.dispose]: () => own.abort(),
  };
}
