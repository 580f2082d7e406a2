import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isEndpointSet } from "./endpoint.ts";
import { formatModelId } from "./model_id.ts";
import { PROVIDERS } from "./providers.ts";

/** Our providers by the names that buzz-agent reads from BUZZ_AGENT_PROVIDER, in any case. */
const BUZZ_NAMES: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic"],
  ["openai", "openai"],
  ["openai-compat", "openai"],
  ["openrouter", "openrouter"],
  ["databricks", "databricks"],
  ["databricks_v2", "databricks_v2"],
  ["databricks-v2", "databricks_v2"],
]);

/**
 * The model string that the environment asks for: SKEP_MODEL; else BUZZ_AGENT_PROVIDER with its model
 * variables; else the first provider whose key and model are both set; else `offline`.
 *
 * @throws {SkepError} `CONFIG_INVALID` when BUZZ_AGENT_PROVIDER names no provider of ours, or no model
 * is set for it: once a provider was named nothing else is used instead.
 */
export function defaultModelId(env: Host["env"]): string {
  const chosen = env("SKEP_MODEL")?.trim();
  if (chosen) return chosen;
  const buzzName = env("BUZZ_AGENT_PROVIDER")?.trim();
  if (buzzName) return ofBuzz(buzzName, env);
  for (const [provider, { endpoint, modelVariables }] of PROVIDERS) {
    const model = firstSet(modelVariables, env);
    if (endpoint !== undefined && model !== undefined && isEndpointSet(endpoint, env)) {
      return formatModelId({ provider, model });
    }
  }
  return "offline";
}

function ofBuzz(buzzName: string, env: Host["env"]): string {
  const provider = BUZZ_NAMES.get(buzzName.toLowerCase());
  if (provider === undefined) {
    const known = [...BUZZ_NAMES.keys()].join(", ");
    throw new SkepError(
      "CONFIG_INVALID",
      `Cannot use BUZZ_AGENT_PROVIDER="${buzzName}": it must be one of ${known}`,
      { source: "BUZZ_AGENT_PROVIDER" },
    );
  }
  const variables = PROVIDERS.get(provider)?.modelVariables ?? [];
  const model = firstSet(variables, env);
  if (model !== undefined) return formatModelId({ provider, model });
  throw new SkepError(
    "CONFIG_INVALID",
    `Cannot use BUZZ_AGENT_PROVIDER="${buzzName}": set its model, in ${variables.join(" or ")}`,
    { source: variables[0] ?? "BUZZ_AGENT_PROVIDER" },
  );
}

function firstSet(variables: readonly string[], env: Host["env"]): string | undefined {
  return variables.map((name) => env(name)?.trim()).find((value) => value);
}
