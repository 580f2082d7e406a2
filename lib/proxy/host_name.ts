/** Longest name that the name system knows, in characters. */
const LONGEST_NAME = 253;

/**
 * A host in the one form in which grants and requests are compared: a name in ASCII and lower case with
 * no dot at its end, an IPv4 address as four decimal numbers (`0x7f.1` and `2130706433` are
 * `127.0.0.1`), an IPv6 address in brackets and as short as can be, an IPv4 address inside an IPv6 one
 * (`::ffff:127.0.0.1`) as the IPv4 address that it reaches. Undefined for what is no host, and
 * for everything that readers of URLs disagree about: user information, escapes, backslashes, ports.
 *
 * @see WHATWG URL, host parsing: https://url.spec.whatwg.org/#host-parsing
 */
export function canonicalHost(text: string): string | undefined {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  if (/[\s\p{Cc}*@?#/\\%]/u.test(bare)) return undefined;
  if (bare.includes(":") && !/^\[[^\]]*\]$/.test(bare)) return undefined; // a port is no part of it
  const host = URL.parse(`http://${bare}/`)?.hostname ?? "";
  if (host.startsWith("[")) return mappedAddress(host) ?? host;
  const labels = host.split(".");
  if (host.length > LONGEST_NAME || labels.includes("")) return undefined;
  return host;
}

/** True for an address as {@linkcode canonicalHost} writes it, false for a name. */
export function isAddressHost(host: string): boolean {
  return host.startsWith("[") || /^[\d.]+$/.test(host); // no name is numbers alone
}

function mappedAddress(host: string): string | undefined {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
