import { type KnownTool, rulesOfNoServer, unmatchedRules } from "../approval/unmatched.ts";
import { READ_ARTIFACT } from "../mcp/elide.ts";
import type { Registry } from "../mcp/registry.ts";
import { serverMeant } from "../mcp/configured_names.ts";
import { nameServers } from "../mcp/server_names.ts";
import { LOAD_SKILL } from "../prompt/skills_section.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { FIND_TOOL } from "../session/find_tool_tool.ts";
import type { SessionRules } from "./session_rules.ts";

/** The runtime's own tools, listed or not. */
const OWN_TOOLS = [LOAD_SKILL, FIND_TOOL, READ_ARTIFACT] as const;

/**
 * Rules and hooks of a session that come to nothing in it, a sentence each: they are slips, most likely,
 * and who wrote them takes them for effective.
 */
export async function unmatched(
  { rules, hooks }: Pick<SessionRules, "rules" | "hooks">,
  registry: Pick<Registry, "tools" | "inventory" | "servers" | "hooks" | "specs" | "namesOf">,
): Promise<string[]> {
  const servers = registry.servers();
  const unread = servers.filter(({ state }) => state !== "healthy" && state !== "idle")
    .map(({ name }) => name);
  const specs = registry.specs();
  const named = specs.filter(({ name }) => unread.includes(name))
    .flatMap(({ configuredName }) => configuredName ?? []);
  const isSpoken = rules.some((each) => each.rules.length > 0);
  const tools = isSpoken ? await knownTools(registry) : [];
  const [own, ...others] = rules;
  return [
    ...(own === undefined
      ? []
      : unmatchedRules(own, { tools, unread: [...unread, ...named] }, false)),
    ...others.flatMap((each) =>
      unmatchedRules(each, { tools, unread: [...unread, ...named] }, true)
    ),
    ...unmatchedHooks(hooks, specs, unread, registry),
  ];
}

/** The same as far as it shows before anything was started: rules and hooks of servers that are not there. */
export function ofNoServer(
  { rules, hooks }: Pick<SessionRules, "rules" | "hooks">,
  specs: readonly ServerSpec[],
): string[] {
  const named = nameServers(specs);
  const servers = named.map(({ name }) => name);
  const all = [...servers, ...named.flatMap(({ configuredName }) => configuredName ?? [])];
  return [
    ...rules.flatMap((each) =>
      rulesOfNoServer(each, all, OWN_TOOLS)
        .map(({ index, why }) => `approvals[${index}] of ${each.source}: ${why}`)
    ),
    ...unmatchedHooks(hooks, named, servers, { hooks: () => [] }),
  ];
}

async function knownTools(
  registry: Pick<Registry, "tools" | "inventory" | "namesOf">,
): Promise<KnownTool[]> {
  const shown = registry.tools().map(({ name, inputSchema: { properties } }): KnownTool =>
    typeof properties === "object" && properties !== null
      ? { name, args: Object.keys(properties) }
      : { name }
  );
  const others = (await registry.inventory()).filter(({ name }) =>
    name !== "" && shown.every((tool) => tool.name !== name)
  );
  return [
    ...[...shown, ...others.map(({ name }): KnownTool => ({ name }))].map((tool) => {
      const { own, shared } = registry.namesOf(tool.name);
      return { ...tool, others: [...own, ...shared] };
    }),
    ...OWN_TOOLS.map((name) => ({ name })),
  ];
}

/** @param unread Those whose hooks are not known. */
function unmatchedHooks(
  { servers, closed }: SessionRules["hooks"],
  there: readonly ServerSpec[],
  unread: readonly string[],
  registry: Pick<Registry, "hooks">,
): string[] {
  if (servers === "*") return [];
  const listed = registry.hooks();
  return servers.flatMap((named) => {
    const server = serverMeant(named, there)?.name;
    if (server === undefined) return [`The hooks of "${named}" are asked for: it is no server`];
    if (unread.includes(server)) return [];
    const own = listed.filter((each) => each.server === server).map(({ name }) => name);
    const missing = closed.filter((each) => each.server === named && !own.includes(each.hook));
    if (own.length === 0 && missing.length === 0) {
      return [`The hooks of server "${server}" are asked for: it has none`];
    }
    return missing.map(({ hook }) =>
      `Server "${server}" has no hook ${hook}, which is to decide: what it was to judge is denied`
    );
  });
}
