import { LOOPBACK_HOSTS, type NetEntry, netText, parseNetEntry } from "./net.ts";
import type { Os } from "./paths.ts";

/**
 * The part of the network that two `net` entries have in common, as an entry; undefined when there is
 * none. Both are in the form that {@linkcode netText} writes.
 */
export function meetNet(first: string, second: string, os: Os): string | undefined {
  const at = { server: "", entry: "net" };
  const [a, b] = [parseNetEntry(first, at, os), parseNetEntry(second, at, os)];
  if (a.kind === "unix" || b.kind === "unix") return first === second ? first : undefined;
  const narrower = isHostWithin(a, b) ? a : isHostWithin(b, a) ? b : undefined;
  if (narrower === undefined) return undefined;
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return undefined;
  const port = a.port ?? b.port;
  return netText({ ...narrower, ...(port === undefined ? {} : { port }) });
}

type Place = Exclude<NetEntry, { readonly kind: "unix" }>;

/** True when each host of `inner` is one of `outer`, ports aside. */
function isHostWithin(inner: Place, outer: Place): boolean {
  if (outer.kind === "loopback") {
    return inner.kind === "loopback" || LOOPBACK_HOSTS.includes(inner.host);
  }
  if (inner.kind === "loopback") return false;
  if (inner.host === outer.host) return true;
  if (LOOPBACK_HOSTS.includes(inner.host) && LOOPBACK_HOSTS.includes(outer.host)) return true;
  if (!outer.host.startsWith("*.")) return false;
  const domain = inner.host.replace(/^\*\./, "");
  return domain === outer.host.slice(2) || domain.endsWith(outer.host.slice(1));
}
