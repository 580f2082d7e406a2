import type { ToolFacts } from "./registry.ts";

/** So many tools of a server are named. */
const NAMED = 3;

/**
 * Tools that are left out, by their servers: each server's first ones by name, and how many more there
 * are, so that no server's tools take the place of another's.
 */
export function leftOutTools(tools: readonly Pick<ToolFacts, "server" | "name">[]): string {
  const servers = [...Map.groupBy(tools, ({ server }) => server)];
  return servers.map(([server, own]) => {
    const names = own.slice(0, NAMED).map(({ name }) => name).join(", ");
    const more = own.length - NAMED;
    return more > 0 ? `${names} and ${more} more of "${server}"` : names;
  }).join("; ");
}
