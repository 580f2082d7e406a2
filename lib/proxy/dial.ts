import { messageOf } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Connection } from "../host/sockets.ts";
import type { Limits } from "../limits.ts";
import { type Deadline, deadline } from "./deadline.ts";
import { type Allows, filterAddresses, type Refused, refusedHost } from "./filter.ts";
import { isAddressHost } from "./host_name.ts";
import { tunnelThrough, type Upstream } from "./upstream.ts";

/** What connecting to a host takes. */
export interface DialOptions {
  readonly allows: Allows;
  /** The proxy that this machine's programs must take; absent: the way is direct. */
  readonly upstream?: Upstream;
  readonly world: Pick<Host, "connectTcp" | "lookup" | "sleep">;
  readonly limits: Pick<Limits, "proxyConnectMs" | "maxProxyHeadBytes">;
  /** Aborted when nobody wants the connection any more. */
  readonly closing: AbortSignal;
}

/** What came of it. */
export type Dialled =
  | { readonly connection: Connection }
  | { readonly refused: Refused }
  /** Why nobody was reached, for a person; `isLate` when that is because of the time. */
  | { readonly failure: string; readonly isLate: boolean };

/**
 * Connects to a host that a grant names, at an address that it lets pass. The address that was checked
 * is the one that is connected to: nothing is looked up a second time, so a name server that changes
 * its mind in between (DNS rebinding) gains nothing.
 *
 * Behind the person's own proxy only the host is checked: that proxy looks names up itself, perhaps with
 * other results, and what it then reaches is not ours to check.
 */
export async function dial(host: string, port: number, options: DialOptions): Promise<Dialled> {
  const { allows, upstream, limits, closing, world } = options;
  const refused = refusedHost(host, port, allows);
  if (refused !== undefined) return { refused };
  using due = deadline(limits.proxyConnectMs, closing, world);
  try {
    if (upstream !== undefined && !upstream.isBypassed(host, port)) {
      return { connection: await dialThrough(upstream, host, port, options, due) };
    }
    const filtered = filterAddresses(host, port, await addressesOf(host, options, due), allows);
    if ("refused" in filtered) return filtered;
    return { connection: await dialAny(filtered.addresses, port, options, due) };
  } catch (error) {
    const isLate = due.signal.aborted;
    const why = isLate ? `nobody answered within ${limits.proxyConnectMs} ms` : messageOf(error);
    return { failure: `cannot connect to ${host}:${port}: ${why}`, isLate };
  }
}

async function dialThrough(
  upstream: Upstream,
  host: string,
  port: number,
  options: DialOptions,
  due: Deadline,
): Promise<Connection> {
  const addresses = await addressesOf(upstream.host, options, due);
  const proxy = await dialAny(addresses, upstream.port, options, due);
  try {
    const limit = options.limits.maxProxyHeadBytes;
    return await due.wait(tunnelThrough(proxy, host, port, upstream, limit));
  } catch (error) {
    proxy.close();
    throw error;
  }
}

async function addressesOf(
  host: string,
  { world }: DialOptions,
  due: Deadline,
): Promise<readonly string[]> {
  if (isAddressHost(host)) return [host.replaceAll(/[[\]]/g, "")];
  return await due.wait(world.lookup(host));
}

/** Tries the addresses one after the other, each for its share of the time: the first may be a dead end. */
async function dialAny(
  addresses: readonly string[],
  port: number,
  { world, limits }: DialOptions,
  due: Deadline,
): Promise<Connection> {
  let last: unknown = new Error("the host has no address");
  for (const address of addresses) {
    due.signal.throwIfAborted();
    using attempt = deadline(limits.proxyConnectMs / addresses.length, due.signal, world);
    try {
      return await world.connectTcp(address, port, attempt.signal);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
