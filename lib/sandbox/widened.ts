import type { Entry, Grant } from "./grant.ts";

const LISTS = ["read", "write", "net", "run", "env", "sys", "secrets"] as const;
const STRENGTH = { off: 0, prefer: 1, require: 2 } as const;

/**
 * What a grant has more than another one of the same server, a few words each, such as `write /work`.
 * Its private folders are new with each start and count as the same. Entries are compared as they stand:
 * what a wider entry held already is told too.
 *
 * @param before Undefined: the server had nothing, so all of it is more.
 */
export function widened(before: Grant | undefined, after: Grant): string[] {
  const entries = LISTS.flatMap((list) => {
    const had = new Set(
      before === undefined ? [] : before[list].map((each) => plain(each, before)),
    );
    return after[list].map((each) => plain(each, after)).filter((each) => !had.has(each))
      .map((each) => `${list} ${each}`);
  });
  if (before === undefined) return entries;
  const limits = Object.entries(before.limits).flatMap(([name, value]) => {
    const now = after.limits[name as keyof Grant["limits"]];
    return now === undefined || now > value ? [`limits ${name} ${now ?? "none"}`] : [];
  });
  const isWeaker = STRENGTH[after.sandbox] < STRENGTH[before.sandbox];
  return [...entries, ...limits, ...(isWeaker ? [`sandbox ${after.sandbox}`] : [])];
}

function plain({ value }: Entry, { tmp, home }: Grant): string {
  for (const [own, name] of [[tmp, "${TMP}"], [home, "${HOME}"]] as const) {
    if (value === own || value.startsWith(`${own}/`)) return name + value.slice(own.length);
  }
  return value;
}
