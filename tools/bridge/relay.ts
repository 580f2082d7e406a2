import { frames } from "../../lib/host/frames.ts";
import type { Limits } from "../../lib/limits.ts";
import type { HostLink } from "./host_link.ts";
import type { Remote } from "./remote.ts";
import { type Id, isId, isObject, type Json, parseJson, requestId } from "./rpc.ts";

/** What the relay is bounded by, and what it tells. */
export interface RelayOptions {
  readonly limits: Pick<Limits, "maxFrameBytes" | "cancelAfterMs">;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly warn: (line: string) => void;
}

/** Methods that belong to the runtime and the bridge: a server cannot use them. */
const OWN_METHODS = /^skep\//;

/** Tells whether a message of the server's may go to the host. */
export function isForHost({ method }: Json): boolean {
  return typeof method !== "string" || !OWN_METHODS.test(method);
}

/**
 * Carries the host's messages to the server until the host's input ends or `stop` is aborted; then what is
 * under way is given up. Every request is answered: with the server's answer, or with an error that says
 * why there is none; but for one that was cancelled.
 */
export async function relay(
  input: AsyncIterable<Uint8Array>,
  link: HostLink,
  remote: Remote,
  { limits, sleep, warn }: RelayOptions,
  stop: AbortSignal,
): Promise<void> {
  const running = new Map<Id, AbortController>();
  const over = new AbortController();
  const everything = new Set<Promise<void>>();
  /** Resolved when the server took `initialize`, and again `initialized`: nothing overtakes those. */
  let introduced: Promise<void> = Promise.resolve();

  const carry = async (message: Json, ready: Promise<void>): Promise<void> => {
    const id = requestId(message);
    const cancel = new AbortController();
    if (id !== undefined) running.set(id, cancel);
    const signal = AbortSignal.any([cancel.signal, over.signal]);
    try {
      await ready;
      signal.throwIfAborted();
      await remote.deliver(message, signal);
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      if (id === undefined) warn(`${String(message.method ?? "an answer")} was not sent: ${why}`);
      else link.fail(id, why);
    } finally {
      if (id !== undefined) running.delete(id);
    }
  };

  const cancel = async (message: Json, id: Id): Promise<void> => {
    // HTTP has no order: a cancel that arrives before its request cancels nothing.
    await sleep(limits.cancelAfterMs, over.signal).catch(() => {});
    await carry(message, introduced);
    // The server was told: nobody reads the rest of what it may still say.
    running.get(id)?.abort();
  };

  const take = (message: Json): void => {
    if (link.settle(message)) return;
    const { method, params } = message;
    const cancelled = method === "notifications/cancelled" && isObject(params)
      ? params.requestId
      : undefined;
    const carried = isId(cancelled) ? cancel(message, cancelled) : carry(message, introduced);
    everything.add(carried);
    carried.finally(() => everything.delete(carried));
    if (method === "initialize" || method === "notifications/initialized") introduced = carried;
  };

  const takeAll = async (): Promise<void> => {
    for await (const frame of frames(input, limits.maxFrameBytes)) {
      const message = frame.kind === "text" ? parseJson(frame.text) : undefined;
      if (isObject(message)) take(message);
      else warn("a line of the host's is no message, or too long for one");
    }
  };
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener("abort", () => resolve());
    if (stop.aborted) resolve();
  });
  await Promise.race([takeAll(), stopped]);
  over.abort();
  await Promise.all(everything);
}
