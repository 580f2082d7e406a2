import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Connection } from "../host/sockets.ts";
import { specialUse } from "./address.ts";
import { headBytes, readHead, withRest } from "./head.ts";
import { canonicalHost, isAddressHost } from "./host_name.ts";

/** The proxy that this machine's programs must take, as the person's environment names it. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  /** The `Proxy-Authorization` that it wants. */
  readonly authorization?: string;
  /** True for what it is not asked for. */
  isBypassed(host: string, port: number): boolean;
}

/** Where a person names it, the first that is set; `HTTP_PROXY` too, since all goes through `CONNECT`. */
const VARIABLES = [
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "HTTP_PROXY",
  "http_proxy",
] as const;

/**
 * Reads the person's proxy from the runtime's environment; undefined when there is none.
 *
 * @throws {SkepError} `CONFIG_INVALID` for one that does not speak HTTP: it could not be taken, and past it
 * there may be no way out. The message has none of its value, which may hold a password.
 */
export function readUpstream({ env }: Pick<Host, "env">): Upstream | undefined {
  const source = VARIABLES.find((name) => (env(name) ?? "") !== "");
  if (source === undefined) return undefined;
  const text = env(source) ?? "";
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const host = url === null ? undefined : canonicalHost(url.hostname);
  const authorization = url === null ? undefined : authorizationOf(url);
  if (url?.protocol !== "http:" || host === undefined || authorization === undefined) {
    throw new SkepError(
      "CONFIG_INVALID",
      `Cannot use the proxy of ${source}: programs reach the network through http://HOST:PORT alone`,
      { source },
    );
  }
  const exceptions = (env("NO_PROXY") || env("no_proxy") || "").split(/[\s,]+/)
    .filter((each) => each !== "");
  return {
    host,
    port: Number(url.port || 80),
    ...(authorization === "" ? {} : { authorization }),
    isBypassed: (name, port) =>
      isOwn(name) || exceptions.some((exception) => isCovered(name, port, exception)),
  };
}

/**
 * Asks the person's proxy for a tunnel, over a connection to it.
 *
 * @throws {Error} when it does not give one, with its status.
 */
export async function tunnelThrough(
  proxy: Connection,
  host: string,
  port: number,
  { authorization }: Pick<Upstream, "authorization">,
  limit: number,
): Promise<Connection> {
  const place = `${host}:${port}`;
  await proxy.write(headBytes({
    line: `CONNECT ${place} HTTP/1.1`,
    fields: [
      { name: "Host", value: place },
      ...(authorization === undefined ? [] : [{
        name: "Proxy-Authorization",
        value: authorization,
      }]),
    ],
  }));
  const read = await readHead(proxy, limit);
  const line = "head" in read ? read.head.line : "no HTTP";
  if ("head" in read && /^HTTP\/1\.[01] 2\d\d\b/.test(line)) return withRest(proxy, read.rest);
  throw new Error(`the proxy of this machine answered ${JSON.stringify(line)}`);
}

/** NO_PROXY as most programs read it: a host and all below it, `*` for everything, a port or none. */
function isCovered(host: string, port: number, exception: string): boolean {
  if (exception === "*") return true;
  const [, name = "", only] = /^(\[[^\]]*\]|.*?)(?::(\d+))?$/.exec(exception) ?? [];
  const domain = canonicalHost(name.replace(/^\*?\./, ""));
  if (domain === undefined || (only !== undefined && Number(only) !== port)) return false;
  return host === domain || host.endsWith(`.${domain}`);
}

/** The credentials in a URL as a field's value; empty when it has none, undefined when they are malformed. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return "";
  try {
    const credentials = [username, password].map(decodeURIComponent).join(":");
    return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
  } catch {
    return undefined; // a % that escapes nothing
  }
}

/** What means nothing to a proxy elsewhere: this machine, and addresses of its own network. */
function isOwn(host: string): boolean {
  if (isAddressHost(host)) return specialUse(host) !== undefined;
  return host === "localhost" || host.endsWith(".localhost");
}
