import { decide } from "../approval/decide.ts";
import type { ApprovalCall, Rules } from "../approval/rules.ts";
import type { Host } from "../host/host.ts";
import type { Registry } from "../mcp/registry.ts";
import type { RegistryFacts } from "../mcp/why_tool.ts";
import type { Run } from "./prepare_run.ts";
import { sessionRules } from "./session_rules.ts";

/** What there is to know of the servers and tools of a run, for `whyTool()`. */
export async function registryFacts(
  { servers: specs, serversOff: off, persona, settings }: Run,
  registry: Registry,
  { env }: Pick<Host, "env">,
): Promise<RegistryFacts> {
  const { rules } = sessionRules(persona, settings.policy, env);
  return {
    servers: registry.servers(),
    inventory: await registry.inventory(),
    specs,
    off,
    limits: settings.limits,
    denial: (tool) => denialOf(rules, { tool, args: {}, names: registry.namesOf(tool) }),
  };
}

/** What denies every call of a tool, whatever its arguments. */
function denialOf(rules: readonly Rules[], call: ApprovalCall): string | undefined {
  const { action, reason } = decide(rules, call);
  return action === "deny" ? reason : undefined;
}
