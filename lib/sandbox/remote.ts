import type { Permissions, ServerSpec } from "./spec.ts";
import { looksSecret } from "./keys.ts";

/** A server that is reached over HTTP, as its owner wrote it. */
export interface Remote {
  readonly url: string;
  /** How it is spoken to: `http` is streamable HTTP, `sse` the older way; absent: the first, then the other. */
  readonly type?: "http" | "sse";
  /** Headers of every request. `${NAME}` in a value stands for the secret of that name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the bridge is told through its environment, since every user of the machine may read an argument. */
export const URL_VARIABLE = "BRIDGE_URL";
/** The same for an address that holds a secret: it is shown nowhere. */
export const SECRET_URL_VARIABLE = "BRIDGE_SECRET_URL";
/** In front of a header's name, in capitals, with `_` for `-` and `__` for `_`; its value is a secret. */
export const HEADER_PREFIX = "BRIDGE_SECRET_HEADER_";

const HEADER_NAME = /^[A-Za-z0-9_-]+$/;
/** Headers that the transport sets. */
const RESERVED =
  /^(accept|content-type|content-length|host|connection|transfer-encoding|last-event-id|mcp-session-id|mcp-protocol-version)$/i;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The part of a spec that starts the bridge to a server: its grant is the server's host and port, and
 * nothing else.
 *
 * @param more What the owner may say of its grant besides: secrets, limits, `sandbox`.
 * @throws {TypeError} for an address or a header that cannot be used, with the rest of a sentence about
 * the server; a value is not quoted, since it may be a secret.
 */
export function bridgeTo(
  { url, type, headers }: Remote,
  more: Pick<Permissions, "secrets" | "limits" | "sandbox"> = {},
): Pick<ServerSpec, "command" | "args" | "env" | "permissions"> {
  const address = readAddress(url);
  const names = Object.keys(headers);
  if (names.length > 0 && !isPrivate(address)) {
    throw new TypeError(
      "has headers, which http: would send for all to read: its url must be https, or http on this machine",
    );
  }
  const env: Record<string, string> = {};
  env[holdsSecret(address) ? SECRET_URL_VARIABLE : URL_VARIABLE] = address.href;
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || RESERVED.test(name)) {
      throw new TypeError(`cannot set the header ${JSON.stringify(name.slice(0, 100))}`);
    }
    // deno-lint-ignore no-control-regex -- control characters are what it looks for
    if (/[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(value)) {
      throw new TypeError(`has a header ${name} with what no header can hold`);
    }
    env[HEADER_PREFIX + name.toUpperCase().replaceAll("_", "__").replaceAll("-", "_")] = value;
  }
  return {
    command: "skep",
    args: ["mcp", "bridge", ...(type === undefined ? [] : [`--${type}`])],
    env,
    permissions: { net: [hostAndPort(address)], ...more },
  };
}

/** True for a spec as {@linkcode bridgeTo} makes it. */
export function isBridge({ command, args }: Pick<ServerSpec, "command" | "args">): boolean {
  return command === "skep" && args[0] === "mcp" && args[1] === "bridge";
}

/** Stands in a header for the secret of that name, which the bridge fills in: no header holds such a character. */
export function secretMark(name: string): string {
  return `\x01${name}\x01`;
}

/** The text with a value for each {@linkcode secretMark}. */
export function fillMarks(text: string, valueOf: (name: string) => string): string {
  // deno-lint-ignore no-control-regex -- the mark is what it looks for
  return text.replaceAll(/\x01([^\x01]*)\x01/g, (_, name: string) => valueOf(name));
}

/** What {@linkcode bridgeTo} made a spec from; undefined for a spec of anything else. */
export function remoteOf(spec: Pick<ServerSpec, "command" | "args" | "env">): Remote | undefined {
  const address = isBridge(spec) ? remoteAddress(spec.env) : undefined;
  if (address === undefined) return undefined;
  const type = (["http", "sse"] as const).find((each) => spec.args.includes(`--${each}`));
  return {
    url: address.href,
    ...(type === undefined ? {} : { type }),
    headers: headersOf(spec.env),
  };
}

/** The headers in an environment, their names in small letters. */
export function headersOf(env: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => name.startsWith(HEADER_PREFIX));
  return Object.fromEntries(own.map(([name, value]) => [
    name.slice(HEADER_PREFIX.length).toLowerCase()
      .replaceAll(/__|_/g, (mark) => mark === "_" ? "-" : "_"),
    value,
  ]));
}

/** The address that a bridge's spec or environment names; undefined for one of anything else. */
export function remoteAddress(env: Readonly<Record<string, string>>): URL | undefined {
  const text = env[URL_VARIABLE] ?? env[SECRET_URL_VARIABLE];
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** An address's host and port, as a `net` entry names them. */
export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** True for what nobody on the way can read: https, and this machine itself. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || LOOPBACK.test(hostname);
}

function readAddress(text: string): URL {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new TypeError("has a url that is no address of https: or http:");
  }
  if (text.includes("${")) {
    throw new TypeError("has a url with ${…} in it: a secret goes into a header");
  }
  if (address.username !== "" || address.password !== "") {
    throw new TypeError("has a url with a password in it: a secret goes into a header");
  }
  address.hash = "";
  return address;
}

/** Some services tell their users apart by a long random word in the address. */
function holdsSecret({ pathname, search }: URL): boolean {
  return search !== "" || pathname.split("/").some((part) => looksSecret("", part));
}
