import type { ServerSpec } from "../sandbox/spec.ts";
import type { ToolFacts } from "./registry.ts";
import { ownerOf } from "./server_names.ts";

type Named = Pick<ServerSpec, "name" | "configuredName" | "origin">;

/** What a tool is called beside its listed name, by those who wrote it as they configured its server. */
export interface OtherNames {
  /** Names that mean this tool and no other one. */
  readonly own: readonly string[];
  /** Names that another server has by right: they may forbid here, and never allow. */
  readonly shared: readonly string[];
}

/**
 * The server that is meant by a name: the one that is listed under it, else the one that was configured
 * under it, a client's after all others.
 *
 * @example
 * ```ts
 * import { serverMeant } from "./configured_names.ts";
 *
 * const origin = { kind: "file", where: "mcp.json" } as const;
 * const found = serverMeant("a__b", [{ name: "a_b", configuredName: "a__b", origin }]);
 * if (found?.name !== "a_b") throw new Error("not found");
 * ```
 */
export function serverMeant<Each extends Named>(
  name: string,
  specs: readonly Each[],
): Each | undefined {
  const configured = specs.filter(({ configuredName }) => configuredName === name);
  return specs.find((spec) => spec.name === name) ??
    configured.find(({ origin }) => origin.kind !== "client") ?? configured[0];
}

/**
 * The names of a tool made of its server's configured name and of the server's own word for it, as far as
 * they are not its listed name. A tool that is not listed yet has those of the server that its name begins with.
 */
export function otherNames(
  tool: string,
  facts: readonly Pick<ToolFacts, "server" | "own" | "name">[],
  specs: readonly Named[],
): OtherNames {
  const known = facts.find(({ name }) => name === tool);
  const spec = known === undefined
    ? ownerOf(tool, specs)
    : specs.find(({ name }) => name === known.server);
  if (spec === undefined) return { own: [], shared: [] };
  const { name: listed, configuredName: configured = listed } = spec;
  const rest = tool.startsWith(`${listed}__`) ? [tool.slice(listed.length + 2)] : [];
  const words = [...new Set([...rest, ...(known === undefined ? [] : [known.own])])];
  const isOwn = serverMeant(configured, specs) === spec;
  const of = (server: string) =>
    words.map((word) => `${server}__${word}`).filter((name) => name !== tool);
  const byListed = of(listed);
  const byConfigured = configured === listed ? [] : of(configured);
  return isOwn
    ? { own: [...byListed, ...byConfigured], shared: [] }
    : { own: byListed, shared: byConfigured };
}
