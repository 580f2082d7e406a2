import { join } from "@std/path";
import { messageOf, SkepError } from "../errors.ts";
import { hostText, type Refused } from "../proxy/filter.ts";
import { openProxy, type Proxy } from "../proxy/http_proxy.ts";
import { readUpstream } from "../proxy/upstream.ts";
import type { LaunchContext } from "./context.ts";
import { explainDenial } from "./denial.ts";
import type { Grant } from "./grant.ts";
import { allowsHost, isLocalService, parseNetEntry } from "./net.ts";
import { FORWARDER_PORT } from "./proxy_variables.ts";

/** A connection that a server's grant did not let pass. */
export interface Refusal extends Refused {
  readonly server: string;
  /** The host or address with its port, as a grant's entry would name it. */
  readonly value: string;
  /** What was refused and the line that would allow it, for people. */
  readonly text: string;
}

/** The proxy of one server, and what carries the server's connections to it. */
export interface ServerProxy extends Proxy {
  /** What starts inside the confinement, before the server. */
  readonly forwarder: readonly string[];
  /** Files that it needs to see there. */
  readonly files: readonly string[];
  /** What was refused since this was last asked, each once. */
  takeRefused(): readonly Refusal[];
}

/**
 * Opens the proxy that holds a server to the hosts of its grant, on a unix socket in a folder that the
 * server does not see; the socket alone is shown to it.
 *
 * @param deno The real `deno`, which runs the forwarder.
 * @throws {SkepError} `CONFIG_INVALID` when the person's own proxy cannot be used, or the socket's path
 * is too long for a socket.
 */
export async function openServerProxy(
  grant: Grant,
  folder: string,
  deno: string,
  { host, limits, programRoot, onRefused }: LaunchContext,
): Promise<ServerProxy> {
  const { server } = grant;
  const entries = grant.net.map(({ value }) =>
    parseNetEntry(value, { server, entry: "net" }, host.platform.os)
  );
  const socket = join(folder, "proxy");
  const upstream = readUpstream(host);
  const told = new Set<string>();
  const fresh = new Map<string, Refusal>();
  const proxy = await openProxy({
    path: socket,
    allows: (name, port) => entries.some((entry) => allowsHost(entry, name, port)),
    explain: (refused) => explain(refused, grant),
    onRefused: (refused, text) => {
      const refusal = { ...refused, server, value: valueOf(refused), text };
      if (fresh.size < limits.maxProxyConnections) fresh.set(text, refusal);
      // A program that is refused tries again and again: the person is told once.
      if (told.has(text)) return;
      told.add(text);
      onRefused?.(refusal);
    },
    ...(upstream === undefined ? {} : { upstream }),
    world: host,
    limits,
  }).catch((cause) => {
    const message = `Cannot open the network proxy of server "${server}" at ${socket}: ` +
      `${messageOf(cause)}; TMPDIR decides where it lies`;
    throw new SkepError("CONFIG_INVALID", message, { source: "TMPDIR" }, { cause });
  });
  const script = join(programRoot, "tools", "forward", "main.js");
  const local = entries.filter(isLocalService).flatMap(({ host, port }) =>
    port === undefined || port === FORWARDER_PORT ? [] : [{ port, service: `${host}:${port}` }]
  );
  const own = [FORWARDER_PORT, ...local.map(({ port }) => port)];
  const listens = [...new Set(own)].flatMap((port) => [`127.0.0.1:${port}`, `[::1]:${port}`]);
  const flags = [
    `--allow-net=${[...listens, `unix:${socket}`].join(",")}`,
    `--allow-read=${socket}`,
    `--allow-write=${socket}`,
  ];
  return {
    forwarder: [
      deno,
      ...FORWARDER_FLAGS,
      ...flags,
      script,
      [FORWARDER_PORT, ...local.map(({ service }) => service)].join(","),
      socket,
    ],
    files: [deno, script, socket],
    takeRefused: () => {
      const taken = [...fresh.values()];
      fresh.clear();
      return taken;
    },
    close: () => proxy.close(),
  };
}

const FORWARDER_FLAGS = [
  "run",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
];

function valueOf({ host, port, address }: Refused): string {
  return hostText({ host: address?.host ?? host, port });
}

function explain(refused: Refused, grant: Grant): string {
  const { host, port, address } = refused;
  const { server } = grant;
  const asked = hostText({ host, port });
  const value = valueOf(refused);
  const leads = address === undefined || address.host === host
    ? ""
    : `${asked} leads to ${address.host}, which is ${address.what}. `;
  return leads + explainDenial({ server, access: "net", value, isCertain: true }, grant);
}
