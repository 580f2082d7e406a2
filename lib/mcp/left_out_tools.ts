import type { Limits } from "../limits.ts";
import { elideEnd } from "./elide.ts";
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

/** Tells a person which tools are left out, each once for as long as it is. */
export class LeftOutNotice {
  readonly #limits: Pick<Limits, "maxTools" | "maxServerLogBytes">;
  #told: ReadonlySet<string> = new Set();

  constructor(limits: Pick<Limits, "maxTools" | "maxServerLogBytes">) {
    this.#limits = limits;
  }

  /** A sentence about those that nobody was told of; undefined when there are none. */
  tell(leftOut: readonly Pick<ToolFacts, "server" | "name">[]): string | undefined {
    const untold = leftOut.filter(({ name }) => !this.#told.has(name));
    this.#told = new Set(leftOut.map(({ name }) => name));
    if (untold.length === 0) return undefined;
    const { maxTools, maxServerLogBytes } = this.#limits;
    const text = `Only ${maxTools} tools are listed, left out: ${leftOutTools(untold)}`;
    return elideEnd(text, maxServerLogBytes, " [truncated]");
  }
}
