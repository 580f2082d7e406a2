import type { Launch } from "../launch.ts";
import { networkOf } from "../network.ts";

/** Attempts at unix sockets in granted folders, by the names that the probe has for them. */
const SOCKETS: readonly string[] = [
  "socket-unix",
  "socketpair-datagram",
  "unix-socket-in-workspace",
  "unix-datagram",
  "unix-datagram-by-pair",
  "after-no-workspace-connection",
  "after-no-unix-datagram",
];

/**
 * Is this what the audit says of the launch under "not confined"? A server behind a namespace reaches its
 * hosts through a unix socket of skep's, so that none of them can be refused to it.
 */
export function isDeclaredOpen(
  probe: string,
  { grant, kind, confined }: Pick<Launch, "grant" | "kind" | "confined">,
): boolean {
  const isNamespace = confined?.backend === "bwrap" || confined?.backend === "unshare";
  return isNamespace && SOCKETS.includes(probe) &&
    networkOf(grant, kind, confined.backend) === "proxied";
}
