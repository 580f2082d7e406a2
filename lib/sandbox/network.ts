import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { isLocalService, namesHost, parseNetEntry } from "./net.ts";

/**
 * What network a server gets.
 *
 * - `own`: a loopback of its own, or no sockets at all where no namespace can be made.
 * - `proxied`: that, and through skep's proxy the hosts of its grant.
 * - `shared`: the machine's, and Deno's flags hold the server to its hosts.
 * - `unheld`: the machine's, and nothing could hold the server to what its grant names.
 */
export type Network = "own" | "proxied" | "shared" | "unheld";

/**
 * The network for a grant. Deno's flags hold a JavaScript server that runs no programs to its hosts, so it
 * may share the machine's. For all others no part of the system could tell hosts apart, and what connects
 * must go through a proxy that can: out of a network namespace with nothing but loopback.
 *
 * @param backend What confines the server; undefined where nothing does.
 */
export function networkOf(
  { net, run }: Pick<Grant, "net" | "run">,
  kind: Launch["kind"],
  backend: BackendName | undefined,
): Network {
  const isHeldByDeno = kind !== "native" && run.length === 0;
  const hasHosts = net.some(({ value }) => namesHost(value));
  if (backend === "bwrap" || backend === "unshare") {
    return !hasHosts ? "own" : isHeldByDeno ? "shared" : "proxied";
  }
  const isOpen = net.some(({ value }) => !value.startsWith("unix:"));
  if (isHeldByDeno) return isOpen ? "shared" : "own";
  // Unconfined, a server has its loopback, granted or not; the notices say so.
  return (backend === undefined ? hasHosts : isOpen) ? "unheld" : "own";
}

/**
 * Refuses a grant that names hosts for a server that nothing here could hold to them, or a service of this
 * machine without the port at which the server is to find it.
 *
 * @throws {SkepError} `GRANT_REFUSED`, `GRANT_INVALID`.
 */
export function checkNetwork(
  grant: Pick<Grant, "server" | "net" | "run">,
  kind: Launch["kind"],
  backend: BackendName | undefined,
): void {
  const { server, net } = grant;
  const network = networkOf(grant, kind, backend);
  if (network === "proxied") checkServices(grant);
  if (network !== "unheld") return;
  const what = kind === "native" ? "does not run in Deno" : "runs programs";
  const name = backend === "landlock" ? "Landlock" : backend;
  const here = backend === undefined ? "nothing here confines it" : `${name} alone makes none`;
  const message =
    `Cannot start server "${server}": its grant names ${hostsOf(net)}, and it ${what}. To hold ` +
    `it to these hosts takes a network namespace (bwrap or unshare), and ${here}. ` +
    "Take the net: entries out of its grant, or give up every confinement with --sandbox off.";
  throw new SkepError("GRANT_REFUSED", message, { server });
}

function checkServices({ server, net }: Pick<Grant, "server" | "net">): void {
  const at = { server, entry: "net" };
  for (const { value } of net) {
    const entry = parseNetEntry(value, at, "linux"); // a proxy is behind a namespace
    if (!isLocalService(entry) || entry.port !== undefined) continue;
    const why = `a service of this machine is named with its port, such as ${value}:8080; ` +
      "what the server starts itself is named loopback";
    throw grantInvalid(at, value, why);
  }
}

/** The network of a launch in a few words: what is reached, and what holds the server to that. */
export function networkText({ kind, grant, confined }: Omit<Launch, "command">): string {
  const hosts = hostsOf(grant.net);
  const isHeldByDeno = kind !== "native" && grant.run.length === 0;
  if (confined === undefined) {
    if (!isHeldByDeno) return "the machine's, with nothing that holds it";
    return hosts === "" ? "none" : `the machine's, held to ${hosts} by Deno's flags`;
  }
  const { backend, confinement } = confined;
  if (confinement.network === "shared") {
    return `the machine's, held to ${hosts} by Deno's flags`;
  }
  if (confinement.forwarder !== undefined) {
    return `own loopback and, through skep's proxy, ${hosts}`;
  }
  if (backend !== "bwrap" && backend !== "unshare") return "none";
  const [asked] = grant.net.map(({ value }) => value).filter((value) =>
    /^loopback(:|$)/.test(value)
  );
  const port = asked?.split(":")[1] ?? "PORT";
  return asked === undefined
    ? "own loopback"
    : `own loopback; a service of this machine is named 127.0.0.1:${port}`;
}

function hostsOf(net: Grant["net"]): string {
  return net.map(({ value }) => value).filter((value) => !value.startsWith("unix:")).join(", ");
}
