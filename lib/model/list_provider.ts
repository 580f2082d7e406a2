import { type Catalog, openCatalog } from "./catalog.ts";
import type { Endpoint, EndpointVariables } from "./endpoint.ts";
import type { ModelFacts } from "./facts.ts";
import {
  ANTHROPIC_LIST,
  DATABRICKS_LIST,
  DATABRICKS_V2_LIST,
  GOOGLE_LIST,
  type ListedModel,
  type ListForm,
  listModels,
  OPENAI_LIST,
} from "./list_models.ts";
import type { OperatorFile } from "./operator_file.ts";
import type { ListedEntry, Lists, ModelList, Reach } from "./providers.ts";
import type { ModelWorld } from "./world.ts";

type Form = Extract<Lists, { form: string }>["form"];

const FORMS: Readonly<Record<Exclude<Form, "bedrock">, ListForm>> = {
  openai: OPENAI_LIST,
  anthropic: ANTHROPIC_LIST,
  google: GOOGLE_LIST,
  databricks: DATABRICKS_LIST,
  databricks_v2: DATABRICKS_V2_LIST,
};

/** Which provider's models are listed, and how. */
export interface ListedProvider {
  readonly endpoint: EndpointVariables;
  readonly list: Lists;
  readonly isPriced: boolean;
  readonly reach: Reach;
}

/** What a workspace's AI gateway usually has, for one that lists nothing. */
const DATABRICKS_V2_USUAL = ["databricks-gpt-5-5", "databricks-claude-opus-4-7"];

/**
 * A provider's models with what is known of each: what the operator settled, what the provider says,
 * what the catalog knows. Models that the operator's file alone has come last.
 *
 * @throws {SkepError} as the provider is reached, and as `listModels()`.
 */
export async function listProvider(
  { endpoint, list, isPriced, reach }: ListedProvider,
  world: ModelWorld,
  operator: OperatorFile,
  signal?: AbortSignal,
): Promise<ModelList> {
  const { provider } = endpoint;
  const opened = await openCatalog(provider, operator, world);
  const catalog = isPriced ? opened : opened.unpriced();
  const known = (ids: readonly string[], listedBy: ListedEntry["listedBy"]): ListedEntry[] =>
    ids.map((id) => ({ id, facts: catalog.facts(id), listedBy }));
  const withOwn = (models: readonly ListedEntry[]): readonly ListedEntry[] => {
    const others = ownModels(provider, operator).filter((own) =>
      !models.some(({ id }) => id === own)
    );
    return [...models, ...known(others, "operator")];
  };
  if ("maker" in list) {
    const { zooModels } = await import("./zoo.ts");
    const ids = zooModels(list.maker).map(({ id }) => id);
    return { models: withOwn(known(ids, "catalog")), notice: list.because };
  }
  const reached = await reach(endpoint, operator.providers.get(provider), world);
  const listed = await listedBy(list.form, reached, world, signal);
  if (listed.length === 0 && list.form === "databricks_v2") {
    const notice = "the workspace lists no endpoint that chats; these are the usual ones";
    return { models: withOwn(known(DATABRICKS_V2_USUAL, "catalog")), notice };
  }
  const models = listed.map((model): ListedEntry => ({
    id: model.id,
    facts: withListed(catalog.facts(model.id), model),
    listedBy: "provider",
  }));
  return { models: withOwn(models) };
}

async function listedBy(
  form: Form,
  endpoint: Endpoint,
  world: ModelWorld,
  signal: AbortSignal | undefined,
): Promise<readonly ListedModel[]> {
  if (form !== "bedrock") return await listModels(endpoint, FORMS[form], world, { signal });
  const { listBedrock } = await import("./bedrock_list.ts");
  return await listBedrock(endpoint, world, signal);
}

/** The operator's models of a provider, by the provider's name for them. */
function ownModels(provider: string, { models }: Pick<OperatorFile, "models">): string[] {
  const start = `${provider}:`;
  return [...models.keys()].filter((id) => id.startsWith(start)).map((id) =>
    id.slice(start.length)
  );
}

/**
 * The catalog with what the provider itself says of a model that nobody else knows. A provider that does
 * not answer in time, or does not list it, changes nothing.
 */
export async function withDiscovered(
  catalog: Catalog,
  model: string,
  { list }: Pick<ListedProvider, "list">,
  endpoint: Endpoint,
  world: ModelWorld,
): Promise<Catalog> {
  if (!("form" in list)) return catalog;
  const { form } = list;
  const listed = await inTime(world, (signal) => listedBy(form, endpoint, world, signal))
    .catch(() => []); // the model may well answer all the same, and a guess is said to be one
  const found = listed.find(({ id }) => id === model);
  return found === undefined ? catalog : withModel(catalog, found);
}

/**
 * Asks for a list, all in all not longer than `discoverTimeoutS`: its pages and a program that gives the key
 * may each take their time.
 */
export async function inTime<T>(
  { sleep, limits }: Pick<ModelWorld, "sleep" | "limits">,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, timer] = [new AbortController(), new AbortController()];
  const waiting = sleep(limits.discoverTimeoutS * 1000, timer.signal)
    .then(() => late.abort(), () => {}); // it was answered before
  try {
    return await ask(late.signal);
  } finally {
    timer.abort();
    await waiting;
  }
}

function withModel(catalog: Catalog, found: ListedModel): Catalog {
  return {
    facts: (model) => {
      const facts = catalog.facts(model);
      return model === found.id ? withListed(facts, found) : facts;
    },
    unpriced: () => withModel(catalog.unpriced(), found),
  };
}

/** What the provider says of its own model counts before the catalog, and behind the operator. */
function withListed(
  facts: ModelFacts,
  { contextTokens, maxOutputTokens }: ListedModel,
): ModelFacts {
  if (facts.source === "operator") return facts;
  return {
    ...facts,
    ...(contextTokens === undefined ? {} : { contextTokens, source: "provider" }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
