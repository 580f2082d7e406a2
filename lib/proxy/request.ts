import { endToEnd, type Head } from "./head.ts";
import { canonicalHost } from "./host_name.ts";

/** What a client asks a proxy for. */
export type ProxyRequest =
  /** A tunnel to a host and port: `CONNECT host:port`. */
  | { readonly kind: "tunnel"; readonly host: string; readonly port: number }
  /** One plain request, with the head as the server is to get it. */
  | { readonly kind: "plain"; readonly host: string; readonly port: number; readonly head: Head };

/**
 * Reads the head of a request to a proxy, in either of the two forms there are: `CONNECT host:port` and
 * `GET http://host/path`. The host comes out in canonical form, and the host that the server is told of
 * is that one, whatever the request's own `Host` says. A text with the reason for any other request.
 *
 * @see RFC 9112, section 3.2
 */
export function readRequest({ line, fields }: Head): ProxyRequest | string {
  const [, method, target, minor] = /^([!#$%&'*+.^_`|~\w-]+) ([\x21-\x7e]+) HTTP\/1\.([01])$/
    .exec(line) ?? [];
  if (method === undefined || target === undefined) return "it is no request of HTTP/1.1";
  if (method === "CONNECT") {
    const place = readPlace(target);
    return place === undefined ? "CONNECT takes host:port" : { kind: "tunnel", ...place };
  }
  const [, authority, path = ""] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(target) ?? [];
  if (authority === undefined) {
    return "this is a proxy: it takes CONNECT host:port and http://host/…";
  }
  const place = readPlace(authority, 80);
  if (place === undefined) return "there is no host in it, or more than a host and a port";
  const { host, port } = place;
  const head = {
    line: `${method} ${path.startsWith("/") ? path : `/${path}`} HTTP/1.${minor}`,
    fields: [
      { name: "Host", value: port === 80 ? host : `${host}:${port}` },
      ...endToEnd(fields).filter(({ name }) => name.toLowerCase() !== "host"),
      { name: "Connection", value: "close" },
    ],
  };
  return { kind: "plain", host, port, head };
}

function readPlace(
  authority: string,
  defaultPort?: number,
): { readonly host: string; readonly port: number } | undefined {
  const [, name = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65535) return undefined;
  return { host, port };
}
