import { canonicalAddress, specialUse } from "./address.ts";

/**
 * Whether a grant names a host and port. The host is in canonical form: a name, or an address, which
 * is named when the grant has that very address, or `loopback` for 127.0.0.1 and ::1.
 */
export type Allows = (host: string, port: number) => boolean;

/** A host and port that a grant does not let pass. */
export interface Refused {
  /** The host that was asked for. */
  readonly host: string;
  readonly port: number;
  /** The address that it leads to, when that is what was refused, and what it is. */
  readonly address?: { readonly host: string; readonly what: string };
}

/** The addresses to try, at least one, or what was refused. */
export type Filtered = { readonly addresses: readonly string[] } | { readonly refused: Refused };

/**
 * The rule for what was asked for, before anything is looked up: so that no name reaches a name server
 * that the grant does not have.
 */
export function refusedHost(host: string, port: number, allows: Allows): Refused | undefined {
  return allows(host, port) ? undefined : { host, port };
}

/**
 * The rule for where a granted host leads. An address of the public network passes; one that is loopback,
 * private, a metadata service or the like passes only when the grant names that very address.
 * The others are left out; a host that leads to none is refused.
 *
 * @param found What the resolver said of the host, or the host itself when it is an address; no brackets.
 * @returns Addresses without brackets, in the given order: those that must then be connected to.
 */
export function filterAddresses(
  host: string,
  port: number,
  found: readonly string[],
  allows: Allows,
): Filtered {
  const judged = found.map((text) => {
    const address = canonicalAddress(text) ?? text;
    return { address, what: specialUse(address) };
  });
  const passing = judged.filter(({ address, what }) => what === undefined || allows(address, port));
  const [first] = judged;
  if (passing.length > 0 || first === undefined) {
    return { addresses: passing.map(({ address }) => address.replaceAll(/[[\]]/g, "")) };
  }
  return { refused: { host, port, address: { host: first.address, what: first.what ?? "" } } };
}

/** A host and port as a grant's entry would name them. */
export function hostText({ host, port }: Pick<Refused, "host" | "port">): string {
  return `${host}:${port}`;
}
