import type { Host } from "../host/host.ts";
import type { Connection } from "../host/sockets.ts";

/** Bytes on their way in one direction, which is what a connection holds of memory, twice. */
const CHUNK_BYTES = 32 * 1024;

/**
 * Carries bytes both ways until both sides have ended. When one side ends its stream the other is told,
 * and may go on: that is how a request says that it is complete. A side that does not read stops the
 * other one; a broken side, `idleMs` without a byte in either direction, or `closing` ends both.
 * The connections are closed afterwards.
 */
export async function relay(
  client: Connection,
  server: Connection,
  idleMs: number,
  closing: AbortSignal,
  world: Pick<Host, "nowMs" | "sleep">,
): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, closing]);
  let lastMs = world.nowMs();
  const onBytes = () => void (lastMs = world.nowMs());
  const closeBoth = () => {
    client.close();
    server.close();
  };
  const idle = watchIdle(() => lastMs, idleMs, stop, world).catch(() => {}).then(closeBoth);
  await Promise.all([
    pump(client, server, onBytes, closeBoth),
    pump(server, client, onBytes, closeBoth),
  ]);
  over.abort();
  await idle;
}

/** Copies one direction to its end, a chunk at a time: the next is read when this one was taken. */
async function pump(
  from: Connection,
  to: Connection,
  onBytes: () => void,
  onBroken: () => void,
): Promise<void> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    let count: number | undefined;
    try {
      count = await from.read(buffer);
    } catch {
      return onBroken(); // there is nobody to tell: both sides see the end of their connection
    }
    if (count === undefined) break;
    onBytes();
    try {
      await to.write(buffer.subarray(0, count));
    } catch {
      return; // it takes no more, but what it sent before may still be on its way
    }
    onBytes();
  }
  await to.closeWrite().catch(() => {}); // it may have ended first
}

/** Resolves when nothing has come for `idleMs`; rejects when the signal is aborted. */
async function watchIdle(
  lastMs: () => number,
  idleMs: number,
  signal: AbortSignal,
  { nowMs, sleep }: Pick<Host, "nowMs" | "sleep">,
): Promise<void> {
  for (let left = idleMs; left > 0; left = lastMs() + idleMs - nowMs()) await sleep(left, signal);
}
