import { canonicalHost, isAddressHost } from "./host_name.ts";

/**
 * Ranges of addresses that are not the public network, and what they are, after IANA's two registries
 * of special-purpose addresses; first the addresses at which clouds answer with credentials. The first
 * range that holds an address names it.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry/
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const SPECIAL_RANGES: readonly (readonly [range: string, what: string])[] = [
  ["169.254.169.254/32", "a cloud's metadata service"],
  ["168.63.129.16/32", "a cloud's metadata service"],
  ["100.100.100.200/32", "a cloud's metadata service"],
  ["192.0.0.192/32", "a cloud's metadata service"],
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "a provider's own (carrier-grade NAT)"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "reserved for documentation"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "reserved for benchmarks"],
  ["198.51.100.0/24", "reserved for documentation"],
  ["203.0.113.0/24", "reserved for documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  ["[fd00:ec2::254]/128", "a cloud's metadata service"],
  ["[fd20:ce::254]/128", "a cloud's metadata service"],
  ["[::]/128", "unspecified"],
  ["[::1]/128", "loopback"],
  ["[fc00::]/7", "private (unique local)"],
  ["[fe80::]/10", "link-local"],
  ["[fec0::]/10", "private (site-local)"],
  ["[ff00::]/8", "multicast"],
  ["[2001::]/23", "reserved"],
  ["[2001:db8::]/32", "reserved for documentation"],
  ["[3fff::]/20", "reserved for documentation"],
];

/** Ranges whose addresses carry an IPv4 address that the traffic ends at, and the byte it starts at. */
const CARRIERS: readonly (readonly [range: string, at: number])[] = [
  ["[64:ff9b::]/96", 12], // NAT64
  ["[2002::]/16", 2], // 6to4
];

/** All public IPv6 addresses there are so far. */
const GLOBAL_UNICAST = "[2000::]/3";

/**
 * What an address is when it does not belong to the public network, as the rest of a sentence about it;
 * undefined when it does. What is no plain address is refused as well, with the reason.
 *
 * @param host As {@linkcode canonicalHost} writes it.
 */
export function specialUse(host: string): string | undefined {
  const bytes = isAddressHost(host) ? addressBytes(host) : undefined;
  if (bytes === undefined) return "no plain address";
  const carrier = RANGES.carriers.find(({ range }) => isIn(bytes, range));
  if (carrier !== undefined) {
    return specialUse(bytes.slice(carrier.at, carrier.at + 4).join("."));
  }
  const special = RANGES.special.find(({ range }) => isIn(bytes, range));
  if (special !== undefined) return special.what;
  return bytes.length === 4 || isIn(bytes, RANGES.unicast) ? undefined : "reserved";
}

interface Range {
  readonly bytes: readonly number[];
  readonly bits: number;
}

const RANGES = {
  special: SPECIAL_RANGES.map(([text, what]) => ({ range: rangeOf(text), what })),
  carriers: CARRIERS.map(([text, at]) => ({ range: rangeOf(text), at })),
  unicast: rangeOf(GLOBAL_UNICAST),
};

function rangeOf(text: string): Range {
  const [host = "", bits] = text.split("/");
  return { bytes: addressBytes(host), bits: Number(bits) };
}

function isIn(bytes: readonly number[], range: Range): boolean {
  if (bytes.length !== range.bytes.length) return false;
  return bytes.every((byte, index) => {
    const counted = Math.min(8, Math.max(0, range.bits - 8 * index));
    const mask = 0xff00 >> counted & 0xff;
    return (byte & mask) === ((range.bytes[index] ?? 0) & mask);
  });
}

/** The 4 or 16 bytes of an address in canonical form. */
function addressBytes(host: string): number[] {
  if (!host.startsWith("[")) return host.split(".").map(Number);
  const [head = "", tail] = host.slice(1, -1).split("::");
  const groups = (text: string) => text === "" ? [] : text.split(":");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...(tail === undefined ? [] : zeros), ...after]
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}

/** An address of a resolver in the form of {@linkcode canonicalHost}; undefined when it is none. */
export function canonicalAddress(text: string): string | undefined {
  const host = canonicalHost(text.includes(":") ? `[${text}]` : text);
  return host !== undefined && isAddressHost(host) ? host : undefined;
}
