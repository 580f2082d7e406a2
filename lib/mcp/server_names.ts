import type { ServerSpec } from "../sandbox/spec.ts";

const SEPARATORS = /_{2,}/g;
const OTHERS = /[^A-Za-z0-9_-]/g;
const LONGEST = 128;

/**
 * Gives each server the name that it is known by from then on: letters, digits, `_` and `-`, no `__`
 * (which ends a server's name in a tool's), at most 128 of them, none twice. The second one that asks
 * for a name gets it with `-2`, or the next number that nobody asks for; one whose own name that is comes
 * before one whose name is mapped to it, and a client's comes after all others. The order is kept, and what its
 * owner called it.
 */
export function nameServers(specs: readonly ServerSpec[]): ServerSpec[] {
  const wanted = specs.map(({ name }) => validName(name));
  const taken = new Set<string>();
  const names: string[] = [];
  const rank = (place: number) =>
    (specs[place]?.origin.kind === "client" ? 2 : 0) +
    (specs[place]?.name === wanted[place] ? 0 : 1);
  // One whose name can stay as it is comes before one whose name is mapped to it.
  for (const place of [...specs.keys()].sort((a, b) => rank(a) - rank(b))) {
    const own = wanted[place] ?? "server";
    let name = own;
    for (let number = 2; taken.has(name) || (name !== own && wanted.includes(name)); number++) {
      name = `${own}-${number}`;
    }
    taken.add(name);
    names[place] = name;
  }
  return specs.map((spec, place) => {
    const name = names[place] ?? spec.name;
    const configuredName = spec.configuredName ?? spec.name;
    return { ...spec, name, ...(configuredName === name ? {} : { configuredName }) };
  });
}

function validName(name: string): string {
  const valid = name.replaceAll(OTHERS, "_").replaceAll(SEPARATORS, "_").slice(0, LONGEST);
  return valid === "" ? "server" : valid;
}

/**
 * The one of some servers that a tool's name begins with, by the longest name: `a___b` is `b` of `a_`, not `_b` of `a`.
 *
 * @example
 * ```ts
 * import { ownerOf } from "./server_names.ts";
 *
 * if (ownerOf("a___b", [{ name: "a" }, { name: "a_" }])?.name !== "a_") throw new Error("another's");
 * ```
 */
export function ownerOf<Named extends { readonly name: string }>(
  tool: string,
  servers: readonly Named[],
): Named | undefined {
  const own = servers.filter(({ name }) => tool.startsWith(`${name}__`));
  return own.toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** True of a name that needs no mapping. */
export function isPlainName(name: string): boolean {
  return name !== "" && validName(name) === name;
}
