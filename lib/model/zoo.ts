import { MODEL_CONFIGS } from "llm-zoo";
import { type Effort, EFFORTS } from "./effort.ts";
import type { Prices } from "./facts.ts";

type Config = (typeof MODEL_CONFIGS)[keyof typeof MODEL_CONFIGS];

/** A model as the static catalog describes it. */
export interface ZooModel {
  /** As its maker's own API calls it. */
  readonly id: string;
  /** The maker: `anthropic`, `openai`, `google`. */
  readonly maker: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly prices: Prices;
  readonly takesImages: boolean;
  readonly efforts: readonly Effort[] | undefined;
  /** It is no longer served. */
  readonly isRetired: boolean;
}

/** What writing to the cache costs, as a factor; providers that are not here charge nothing for it. */
const CACHE_WRITE: Readonly<Record<string, number>> = { anthropic: 1.25 };

/**
 * The models of `llm-zoo`, by every name that a provider may call them. This is the one file that knows
 * the package. A package update is a change of data alone.
 */
const BY_NAME: ReadonlyMap<string, ZooModel> = new Map(
  // A thinking or faster variant has its plain model's names: the plain one, which comes last, wins.
  Object.values(MODEL_CONFIGS).toSorted((a, b) => rank(b) - rank(a)).flatMap((config) => {
    const model = fromConfig(config);
    return [config.openrouterFullName, config.shortName, config.fullName]
      .filter((name) => name !== undefined).map((name) => [normal(name), model] as const);
  }),
);

/**
 * What the catalog knows of a model, under its maker's name for it, OpenRouter's, one with a date or
 * without, or one that a cloud puts its own words around.
 */
export function zooModel(name: string): ZooModel | undefined {
  for (const candidate of candidates(normal(name))) {
    const found = BY_NAME.get(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The catalog's models of one maker that are still served, each once. */
export function zooModels(maker: string): readonly ZooModel[] {
  const models = new Map<string, ZooModel>();
  for (const model of BY_NAME.values()) {
    if (model.maker === maker && !model.isRetired) models.set(model.id, model);
  }
  return [...models.values()].toSorted((a, b) => a.id < b.id ? -1 : 1);
}

function rank({ serviceTier, capabilities, retired, deprecated }: Config): number {
  return [serviceTier, capabilities.reasoningMode, retired, deprecated].filter(Boolean).length;
}

function fromConfig(config: Config): ZooModel {
  const { provider, inputPrice: input, outputPrice: output, capabilities } = config;
  const { supportedReasoningEfforts, cacheDiscountFactor } = capabilities;
  const write = CACHE_WRITE[provider];
  return {
    id: config.fullName,
    maker: provider,
    contextTokens: config.contextWindow,
    maxOutputTokens: config.maxOutputTokens,
    prices: {
      input,
      output,
      cachedInput: price(input * cacheDiscountFactor),
      ...(write === undefined ? {} : { cacheWrite: price(input * write) }),
    },
    takesImages: capabilities.supportsVision,
    efforts: supportedReasoningEfforts?.flatMap((effort) =>
      EFFORTS.filter((each) => each === effort.valueOf())
    ),
    isRetired: config.retired === true,
  };
}

/** A product of prices without the digits that binary fractions add. */
function price(dollars: number): number {
  return Number(dollars.toFixed(9));
}

/** The name, then it without what clouds add: `us.anthropic.`, `-v1:0`, `databricks-`, `@date`, a date. */
function* candidates(name: string): Generator<string> {
  yield name;
  const bare = name.replace(/^.*\//, "").replace(/^(?:[a-z]{2,6}-)?(?:[a-z]+-)?(?=claude-)/, "")
    .replace(/^databricks-/, "").replace(/-v\d+(?::\d+)?$/, "").replace(/@.*$/, "");
  yield bare;
  yield bare.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
}

/** Lower case, and `4-5` for `4.5`: providers write both. */
function normal(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}
