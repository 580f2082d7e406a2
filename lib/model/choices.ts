import { isSkepError } from "../errors.ts";
import { isEndpointSet, isLoopback } from "./endpoint.ts";
import { inTime } from "./list_provider.ts";
import { formatModelId, parseModelId } from "./model_id.ts";
import { type OperatorFile, readOperatorFile } from "./operator_file.ts";
import { findProvider, type ModelList, type Provider, PROVIDERS } from "./providers.ts";
import type { ModelWorld } from "./world.ts";

/** A model that can be chosen. */
export interface ModelChoice {
  /** `provider:model`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/**
 * Gives the models that can be chosen where a model is in use: that one first, then all that its provider
 * lists, within `discoverTimeoutS`. Nobody is asked to log in for it. What a provider has answered is
 * kept; one that cannot be asked has just the model in use, and is asked again the next time.
 *
 * @returns Throws `PROVIDER_AUTH_FAILED` when a token that is set for Databricks is refused: no model
 * will answer then. Other providers have keys that may ask models and may not list them.
 */
export function modelChooser(
  world: ModelWorld,
): (current: string) => Promise<readonly ModelChoice[]> {
  const { warn: _, ...silent } = world; // nobody is there to log in
  const kept = new Map<string, readonly ModelChoice[]>();
  return async (current) => {
    const { provider: name } = parseModelId(current);
    const alone: ModelChoice = { id: current, name: current };
    const operator = await readOperatorFile(world);
    const provider = findProvider(name, operator);
    if (provider?.list === undefined) return [alone];
    const ask = async (signal: AbortSignal) =>
      toChoices(name, await provider.list!(silent, operator, signal));
    try {
      const listed = kept.get(name) ?? await inTime(world, ask);
      kept.set(name, listed);
      const chosen = listed.find(({ id }) => id === current) ?? alone;
      return [chosen, ...listed.filter(({ id }) => id !== current)];
    } catch (error) {
      const isRefused = isSkepError(error, "PROVIDER_AUTH_FAILED") &&
        name.startsWith("databricks") && !isLogin(provider, world);
      if (isRefused) throw error;
      return [alone];
    }
  };
}

function toChoices(provider: string, { models }: ModelList): readonly ModelChoice[] {
  return models.map(({ id: model, listedBy }) => ({
    id: formatModelId({ provider, model }),
    name: listedBy === "catalog" ? `${model} (default catalog)` : model,
  }));
}

/** Tells whether enough is set for a provider to be used: by the environment, or the operator's file. */
export function isProviderSet(
  name: string,
  { endpoint }: Pick<Provider, "endpoint">,
  operator: Pick<OperatorFile, "providers">,
  { env }: Pick<ModelWorld, "env">,
): boolean {
  if (endpoint === undefined) return false;
  const { keyFile, keyCommand, baseUrl } = operator.providers.get(name) ?? {};
  const hasPlace = endpoint.defaultBaseUrl ?? baseUrl ?? env(endpoint.baseUrl)?.trim();
  const hasKey = keyFile !== undefined || keyCommand !== undefined;
  return isEndpointSet(endpoint, env) || (!!hasPlace && hasKey) ||
    (baseUrl !== undefined && endpoint.isKeyFreeOnLoopback && isLoopback(baseUrl));
}

/** The providers that are set, in the order of their table, then the operator's own. */
export function providersSet(
  operator: OperatorFile,
  world: Pick<ModelWorld, "env">,
): readonly (readonly [name: string, provider: Provider])[] {
  const own = [...operator.providers.keys()].filter((name) => !PROVIDERS.has(name));
  const all = [...PROVIDERS.keys(), ...own].flatMap((name) => {
    const provider = findProvider(name, operator);
    return provider?.list === undefined ? [] : [[name, provider] as const];
  });
  // One that the operator gave a place is wanted, even where its key is missing: then that is what to say.
  const found = all.filter(([name, provider]) =>
    operator.providers.get(name)?.baseUrl !== undefined ||
    isProviderSet(name, provider, operator, world)
  );
  // These two read the same variables: the first one lists what both would.
  const isOpenAISet = found.some(([name]) => name === "openai");
  return found.filter(([name]) => name !== "openai-compatible" || !isOpenAISet);
}

function isLogin({ endpoint }: Provider, { env }: Pick<ModelWorld, "env">): boolean {
  return endpoint?.isKeyOptional === true && !env(endpoint.key)?.trim() &&
    !env(`${endpoint.key}_FILE`)?.trim();
}
