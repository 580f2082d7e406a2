import type { Host } from "../host/host.ts";
import { LIMITS } from "../limits.ts";
import type { ModelFacts } from "./facts.ts";
import { formatModelId } from "./model_id.ts";
import type { OperatorFile } from "./operator_file.ts";
import type { ModelWorld } from "./world.ts";

/** What is known of a provider's models, without asking anybody. */
export interface Catalog {
  /** The facts of a model by the provider's name for it; what nobody knows is a guess. */
  facts(model: string): ModelFacts;
  /** The same without the catalog's prices: whoever serves these models asks others than their maker. */
  unpriced(): Catalog;
}

/**
 * The facts of one provider's models: what the operator's file says, then what the static catalog does,
 * then a guess. A context that the environment names holds for every model.
 */
export async function openCatalog(
  provider: string,
  { models }: Pick<OperatorFile, "models">,
  { env, limits }: Pick<ModelWorld, "env" | "limits">,
): Promise<Catalog> {
  const { zooModel } = await import("./zoo.ts");
  const everywhere = isContextSet(env) ? { contextTokens: limits.maxContextTokens } : {};
  const catalog = (isPriced: boolean): Catalog => ({
    unpriced: () => catalog(false),
    facts: (model) => {
      const own = { ...models.get(formatModelId({ provider, model })), ...everywhere };
      const known = zooModel(model);
      const base: ModelFacts = known === undefined
        ? { contextTokens: limits.maxContextTokens, source: "guess" }
        : {
          contextTokens: known.contextTokens,
          source: "catalog",
          maxOutputTokens: known.maxOutputTokens,
          takesImages: known.takesImages,
          ...(isPriced ? { prices: known.prices } : {}),
          ...(known.efforts === undefined ? {} : { efforts: known.efforts }),
        };
      const source = own.contextTokens === undefined ? base.source : "operator";
      return { ...base, ...own, source };
    },
  });
  return catalog(true);
}

/** One line for people on a model whose context nobody knows; undefined for any other. */
export function guessNotice(id: string, facts: ModelFacts): string | undefined {
  if (facts.source !== "guess") return undefined;
  const [variable] = LIMITS.maxContextTokens.override;
  return `No catalog knows the model ${id}: its context is taken to be ${facts.contextTokens} tokens; ` +
    `set ${variable}, or its context_tokens in models.yaml, if it is not`;
}

function isContextSet(env: Host["env"]): boolean {
  return LIMITS.maxContextTokens.override.some((name) => env(name) !== undefined);
}
