import { canonicalHost } from "../proxy/host_name.ts";
import { checkText, type EntryPlace } from "./entries.ts";
import { grantInvalid } from "./grant_invalid.ts";
import { isAbsolutePath, type Os } from "./paths.ts";

/** One place on the network that a server may reach. */
export type NetEntry =
  /** A host, an IP address (IPv6 in brackets) or `*.` and a domain: the domain and every name below. */
  | { readonly kind: "host"; readonly host: string; readonly port?: number }
  /** This machine alone, by any of its names. */
  | { readonly kind: "loopback"; readonly port?: number }
  /** A unix socket; the path is absolute. */
  | { readonly kind: "unix"; readonly path: string };

/** The names and addresses that `loopback` stands for, and each of which means a service of this machine. */
export const LOOPBACK_HOSTS: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];
/** Addresses that lead to this machine as those do, and are written as none of them. */
const OTHER_LOOPBACK = /^(0\.\d+\.\d+\.\d+|127\.(?!0\.0\.1$)\d+\.\d+\.\d+|\[::\])$/;
/** Labels under which two-letter domains sell names: `*.co.uk` is everyone. */
const SHARED_LABELS = new Set(["ac", "co", "com", "edu", "gov", "net", "org"]);

/**
 * Reads a `net` entry: `host`, `host:port`, `*.example.org`, `loopback`, `loopback:port` or `unix:/path`.
 * Host names come out in lower case and in ASCII.
 *
 * @throws {SkepError} `GRANT_INVALID`, also for a wildcard above what one owner holds: `*`, `*.com`, `*.co.uk`.
 */
export function parseNetEntry(text: string, at: EntryPlace, os: Os): NetEntry {
  checkText(text, at);
  if (text.startsWith("unix:")) return unixEntry(text, at, os);
  if (/\s/.test(text)) throw grantInvalid(at, text, "it holds a space");
  if (text.includes("/")) {
    throw grantInvalid(at, text, "write host or host:port, not a URL or range");
  }
  const [, name = "", portText] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  if (name === "") throw grantInvalid(at, text, "write host, host:port or [IPv6]:port");
  const port = portText === undefined ? {} : { port: portNumber(portText, text, at) };
  if (name.toLowerCase() === "loopback") return { kind: "loopback", ...port };
  const isWildcard = name.startsWith("*.");
  const host = asciiHost(isWildcard ? name.slice(2) : name, text, at);
  if (OTHER_LOOPBACK.test(host)) {
    throw grantInvalid(at, text, "it is an address of this machine: write 127.0.0.1:PORT");
  }
  if (isWildcard) checkWildcard(host, text, at);
  return { kind: "host", host: isWildcard ? `*.${host}` : host, ...port };
}

/** The one way to write an entry: what {@linkcode parseNetEntry} reads back as the same. */
export function netText(entry: NetEntry): string {
  if (entry.kind === "unix") return `unix:${entry.path}`;
  return withPort(entry.kind === "loopback" ? "loopback" : entry.host, entry.port);
}

/** The values for `--allow-net`. */
export function netFlagValues(entry: NetEntry): string[] {
  if (entry.kind === "unix") return [netText(entry)];
  // By an address one place is meant, by the name whatever it leads to.
  const hosts = entry.kind === "loopback" || entry.host === "localhost"
    ? LOOPBACK_HOSTS
    : [entry.host];
  return hosts.map((host) => withPort(host, entry.port));
}

/**
 * True when an entry, in the form of {@linkcode netText}, names a host: not `loopback`, which every
 * server has of its own, and no socket.
 */
export function namesHost(text: string): boolean {
  return !/^(loopback(:\d+)?$|unix:)/.test(text);
}

/** True for an entry that means a service of this machine: `localhost:5432`, `127.0.0.1:5432`, `[::1]:5432`. */
export function isLocalService(entry: NetEntry): entry is NetEntry & { readonly kind: "host" } {
  return entry.kind === "host" && LOOPBACK_HOSTS.includes(entry.host);
}

/**
 * True when `entry` lets a connection to `host` (as {@linkcode canonicalHost} writes it) and `port` pass;
 * an entry without a port names all of them.
 */
export function allowsHost(entry: NetEntry, host: string, port: number | undefined): boolean {
  if (entry.kind === "unix") return false;
  if (entry.port !== undefined && entry.port !== port) return false;
  if (entry.kind === "loopback" || LOOPBACK_HOSTS.includes(entry.host)) {
    return LOOPBACK_HOSTS.includes(host);
  }
  if (!entry.host.startsWith("*.")) return entry.host === host;
  return host === entry.host.slice(2) || host.endsWith(entry.host.slice(1));
}

function unixEntry(text: string, at: EntryPlace, os: Os): NetEntry {
  const path = text.slice("unix:".length);
  if (isAbsolutePath(path, os)) return { kind: "unix", path };
  throw grantInvalid(at, text, "a unix socket is named by its absolute path");
}

function portNumber(digits: string, text: string, at: EntryPlace): number {
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port >= 1 && port <= 65535) return port;
  throw grantInvalid(at, text, "a port is a number from 1 to 65535");
}

function asciiHost(name: string, text: string, at: EntryPlace): string {
  const host = canonicalHost(name);
  if (host !== undefined) return host;
  const why = name.includes("*")
    ? "a * stands only as the whole first label"
    : "it is no host name";
  throw grantInvalid(at, text, why);
}

function checkWildcard(domain: string, text: string, at: EntryPlace): void {
  const labels = domain.split(".");
  const [first = "", last = ""] = labels;
  const isShared = labels.length === 2 && last.length === 2 && SHARED_LABELS.has(first);
  const isAddress = domain.startsWith("[") || /^[\d.]+$/.test(domain);
  if (labels.length >= 2 && !isShared && !isAddress) return;
  throw grantInvalid(at, text, "a wildcard needs a domain of one owner, such as *.example.org");
}

function withPort(host: string, port: number | undefined): string {
  return port === undefined ? host : `${host}:${port}`;
}
