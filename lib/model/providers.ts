import type { ModelUse } from "./ai_sdk.ts";
import { openCatalog } from "./catalog.ts";
import type { Endpoint, EndpointVariables } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { openEndpoint } from "./key_source.ts";
import type { ModelFacts } from "./facts.ts";
import type { Model } from "./model.ts";
import { keyVariableOf } from "./model_keys.ts";
import type { OperatorFile, OperatorProvider } from "./operator_file.ts";
import type { ModelSettings } from "./settings.ts";
import type { ModelWorld } from "./world.ts";

/** What a provider is opened with, beside the world. */
export interface OpenOptions {
  readonly settings: ModelSettings;
  readonly operator: OperatorFile;
}

/** One provider of models. */
export interface Provider {
  /** What is written after the colon, for people; undefined when the provider's name is all. */
  readonly model: string | undefined;
  /** Variables that name its model when nothing else does, the first one set wins. */
  readonly modelVariables: readonly string[];
  /** What people should know of it, in one line; the table of the providers' page holds it. */
  readonly quirks: string;
  /** Where it is reached; undefined when it needs no network. */
  readonly endpoint?: EndpointVariables;
  /** Loads what the provider needs, and nothing of the others. */
  open(model: string, world: ModelWorld, options: OpenOptions): Promise<Model>;
  /** What is known of its models: asked of the provider where it can be, else of the static catalog. */
  list?(world: ModelWorld, operator: OperatorFile, signal?: AbortSignal): Promise<ModelList>;
}

/** The models of a provider. */
export interface ModelList {
  readonly models: readonly ListedEntry[];
  /** What a person should know of the list, in one line. */
  readonly notice?: string;
}

/** One model of a {@linkcode ModelList}. */
export interface ListedEntry {
  /** As the provider knows it. */
  readonly id: string;
  readonly facts: ModelFacts;
  /** Who says that there is such a model: its provider, a catalog, or the operator's file. */
  readonly listedBy: "provider" | "catalog" | "operator";
}

/** Where a provider's models are known from: the form in which it lists them, or their maker. */
export type Lists =
  | {
    readonly form: "openai" | "anthropic" | "google" | "bedrock" | "databricks" | "databricks_v2";
    /** True when the list says how large a context is: then it is asked of models that nobody knows. */
    readonly tellsContext?: boolean;
  }
  | {
    /** Whose models the static catalog is asked for. */
    readonly maker: string;
    /** Why the provider cannot be asked itself. */
    readonly because: string;
  };

/** Opens a model at an endpoint. */
type Opener = (
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
) => Model | Promise<Model>;

/** Finds a provider's place and key. */
export type Reach = (
  endpoint: EndpointVariables,
  operator: OperatorProvider | undefined,
  world: ModelWorld,
) => Promise<Endpoint>;

const databricks: Reach = async (...args) =>
  await (await import("./databricks_login.ts")).reachDatabricks(...args);

const chat = async (): Promise<Opener> =>
  (await import("./openai_compatible.ts")).openOpenAICompatible;

/**
 * Every provider, by the name that a model string starts with. This is the one place that loads them:
 * each by a dynamic import, after its settings were read, so that a missing key costs no loading.
 */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    "anthropic",
    remote(ENDPOINTS.anthropic, {
      list: { form: "anthropic", tellsContext: true },
      modelVariables: ["BUZZ_AGENT_MODEL", "ANTHROPIC_MODEL"],
      quirks: "Messages; thinking is signed and replayed; caches are marked",
      load: async () => (await import("./anthropic.ts")).openAnthropic,
    }),
  ],
  [
    "openai",
    remote(ENDPOINTS.openai, {
      list: { form: "openai" },
      modelVariables: ["BUZZ_AGENT_MODEL", "OPENAI_COMPAT_MODEL"],
      quirks:
        "Responses at OpenAI's own hosts, else Chat Completions; `OPENAI_COMPAT_API` decides: " +
        "`auto`, `chat` or `responses`",
      load: async () => (await import("./openai.ts")).openOpenAI,
    }),
  ],
  [
    "openai-compatible",
    remote(ENDPOINTS["openai-compatible"], {
      list: { form: "openai" },
      modelVariables: ["BUZZ_AGENT_MODEL", "OPENAI_COMPAT_MODEL"],
      quirks: "Chat Completions at any server; no prices",
      isPriced: false,
      load: chat,
    }),
  ],
  [
    "openrouter",
    remote(ENDPOINTS.openrouter, {
      list: { form: "openai", tellsContext: true },
      modelVariables: ["BUZZ_AGENT_MODEL", "OPENROUTER_MODEL"],
      quirks: "Chat Completions; `reasoning_details` replayed; the cost is OpenRouter's own count",
      load: async () => (await import("./openrouter.ts")).openOpenRouter,
    }),
  ],
  [
    "google",
    remote(ENDPOINTS.google, {
      list: { form: "google", tellsContext: true },
      modelVariables: ["GEMINI_MODEL"],
      quirks: "Gemini API; schemas are converted; calls are signed",
      load: async () => (await import("./google.ts")).openGoogle,
    }),
  ],
  [
    "azure",
    remote(ENDPOINTS.azure, {
      list: {
        maker: "openai",
        because:
          "an Azure key cannot list deployments; these are OpenAI's models, of which yours " +
          "may have any name",
      },
      modelVariables: ["AZURE_OPENAI_DEPLOYMENT"],
      quirks: "the model is a deployment's name; Responses unless `AZURE_OPENAI_API` is `chat`",
      load: async () => (await import("./azure.ts")).openAzure,
    }),
  ],
  [
    "amazon-bedrock",
    remote(ENDPOINTS["amazon-bedrock"], {
      list: { form: "bedrock" },
      reach: async (...args) => await (await import("./bedrock.ts")).reachBedrock(...args),
      modelVariables: ["BEDROCK_MODEL"],
      quirks: "Converse; a key, or `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; `AWS_REGION`",
      load: async () => (await import("./bedrock.ts")).openBedrock,
    }),
  ],
  [
    "databricks",
    remote(ENDPOINTS.databricks, {
      list: { form: "databricks" },
      reach: databricks,
      modelVariables: ["BUZZ_AGENT_MODEL", "DATABRICKS_MODEL"],
      quirks: "serving endpoints in Chat Completions; without a token, a login in the browser",
      load: async () => (await import("./databricks.ts")).openDatabricks,
    }),
  ],
  [
    "databricks_v2",
    remote(ENDPOINTS.databricks_v2, {
      list: { form: "databricks_v2" },
      reach: databricks,
      modelVariables: ["BUZZ_AGENT_MODEL", "DATABRICKS_MODEL"],
      quirks: "the AI gateway; Responses, Messages or Chat Completions by the endpoint's name",
      load: async () => (await import("./databricks.ts")).openDatabricksV2,
    }),
  ],
  ...(["ollama", "lmstudio", "llamacpp", "vllm"] as const).map((name): [string, Provider] => [
    name,
    remote(ENDPOINTS[name], {
      list: { form: "openai", tellsContext: true },
      modelVariables: [`${name.toUpperCase()}_MODEL`],
      quirks: "`openai-compatible` at this server's own port",
      isPriced: false,
      load: chat,
    }),
  ]),
  ["script", {
    model: "FILE.yaml",
    modelVariables: [],
    quirks: "plays a file, for tests and demos",
    open: async (model, world) => await (await import("./script.ts")).openScript(model, world),
  }],
  ["offline", {
    model: undefined,
    modelVariables: [],
    quirks: "an interpreter of commands, no model",
    open: async () => (await import("./offline.ts")).offlineModel(),
  }],
]);

/** How a model string of each provider is written, for people: `anthropic:MODEL, …, offline`. */
export function modelForms(): string {
  return [...PROVIDERS].map(([name, { model }]) => model === undefined ? name : `${name}:${model}`)
    .join(", ");
}

/** A provider of that name: one of {@linkcode PROVIDERS}, or one that the operator's file makes. */
export function findProvider(name: string, operator: OperatorFile): Provider | undefined {
  const known = PROVIDERS.get(name);
  const own = operator.providers.get(name);
  if (known !== undefined || own?.baseUrl === undefined) return known;
  const endpoint: EndpointVariables = {
    provider: name,
    key: keyVariableOf(name, own),
    baseUrl: `the base_url of ${name} in ${operator.path}`,
    defaultBaseUrl: own.baseUrl,
    isKeyFreeOnLoopback: true,
  };
  const list = { form: "openai", tellsContext: true } as const;
  return remote(endpoint, { list, modelVariables: [], quirks: "", isPriced: false, load: chat });
}

function remote(
  endpoint: EndpointVariables,
  { load, list, reach = openEndpoint, isPriced = true, ...rest }:
    & Pick<Provider, "modelVariables" | "quirks">
    & { load: () => Promise<Opener>; isPriced?: boolean; list: Lists; reach?: Reach },
): Provider {
  const { provider } = endpoint;
  return {
    ...rest,
    model: "MODEL",
    endpoint,
    open: async (model, world, { settings, operator }) => {
      const own = operator.providers.get(provider);
      const reached = await reach(withOperator(endpoint, own), own, world);
      const [opener, priced] = await Promise.all([load(), openCatalog(provider, operator, world)]);
      let catalog = isPriced ? priced : priced.unpriced();
      if (catalog.facts(model).source === "guess" && "form" in list && list.tellsContext) {
        const { withDiscovered } = await import("./list_provider.ts");
        catalog = await withDiscovered(catalog, model, { list }, reached, world);
      }
      const gate = world.gates?.of(provider, own?.limits, world);
      const use = { settings, catalog, ...(gate === undefined ? {} : { gate }) };
      return await opener(model, reached, world, use);
    },
    list: async (world, operator, signal) => {
      const { listProvider } = await import("./list_provider.ts");
      const place = withOperator(endpoint, operator.providers.get(provider));
      const listed = { endpoint: place, list, isPriced, reach };
      return await listProvider(listed, world, operator, signal);
    },
  };
}

/** The endpoint with the operator's place for it in place of the usual one. */
function withOperator(
  endpoint: EndpointVariables,
  { baseUrl }: OperatorProvider = {},
): EndpointVariables {
  return baseUrl === undefined ? endpoint : { ...endpoint, defaultBaseUrl: baseUrl };
}
