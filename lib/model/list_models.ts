import { isSkepError, SkepError } from "../errors.ts";
import { VERSION } from "../version.ts";
import type { Endpoint } from "./endpoint.ts";
import { isRecord } from "./is_record.ts";
import type { FailureContext } from "./provider_failure.ts";
import { type ProviderFetch, providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** A model as its provider lists it. */
export interface ListedModel {
  /** As the provider knows it. */
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
}

/** How a provider lists its models: where, with which headers, and in which form. */
export interface ListForm {
  /** The first page, and each further one by its token. */
  readonly url: (baseUrl: string, page: string | undefined) => string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** The models of a page. @throws {TypeError} when it is none. */
  readonly read: (page: unknown) => { models: readonly ListedModel[]; next?: string | undefined };
}

/** How a list is asked for. */
export interface ListOptions {
  readonly through?: ((send: ProviderFetch) => ProviderFetch) | undefined;
  /** Gives the list up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The models that a provider says it has, in its order, each once.
 *
 * @param options `through` does for the requests what a key in them would, where one is not enough.
 * @throws {SkepError} as a request does; `PROVIDER_FAILED` for a list that cannot be read.
 */
export async function listModels(
  endpoint: Endpoint,
  form: ListForm,
  world: ModelWorld,
  { through, signal }: ListOptions = {},
): Promise<readonly ListedModel[]> {
  const { limits, nowMs } = world;
  const context: FailureContext = { endpoint, model: "", limits, nowMs };
  const send = through === undefined
    ? providerFetch(context, world, "json")
    : through(providerFetch(context, world, "json", "bare"));
  const models = new Map<string, ListedModel>();
  const seen = new Set<string>();
  let token: string | undefined;
  for (let page = 0; page < limits.maxModelPages; page++) {
    const headers = { "user-agent": `skep/${VERSION}`, ...form.headers(endpoint.key ?? "") };
    const url = form.url(endpoint.baseUrl, token);
    const response = await send(url, { headers, signal: signal ?? null }).catch((cause) => {
      if (!isSkepError(cause, "PROVIDER_MODEL_NOT_FOUND")) throw cause;
      const { provider, baseUrl } = endpoint;
      const message = `${provider} has no list of models at ${baseUrl} (404)`;
      const details = { provider, reason: "bad_request", status: 404 } as const;
      throw new SkepError("PROVIDER_FAILED", message, details, { cause });
    });
    const { models: listed, next } = read(form, await response.text(), endpoint.provider);
    for (const model of listed) if (!models.has(model.id)) models.set(model.id, model);
    if (next === undefined || next === "" || seen.has(next)) break;
    seen.add(next);
    token = next;
  }
  return [...models.values()];
}

function read(form: ListForm, text: string, provider: string): ReturnType<ListForm["read"]> {
  try {
    return form.read(JSON.parse(text));
  } catch (cause) {
    const message = `${provider} sent a list of models that cannot be read`;
    const details = { provider, reason: "unreadable", isTransient: false } as const;
    throw new SkepError("PROVIDER_FAILED", message, details, { cause });
  }
}

/** The headers of a key that is a bearer token. */
export const bearer = (key: string): Record<string, string> =>
  key === "" ? {} : { authorization: `Bearer ${key}` };

/** `{data: [{id}]}`, as OpenAI and most others list; some say how large the context is. */
export const OPENAI_LIST: ListForm = {
  url: (baseUrl) => `${baseUrl}/models`,
  headers: bearer,
  read: (page) => ({
    models: entries(page, "data").map((entry) => ({
      id: text(entry.id),
      ...count("contextTokens", entry.context_length ?? entry.max_model_len),
      ...count(
        "maxOutputTokens",
        isRecord(entry.top_provider) ? entry.top_provider.max_completion_tokens : undefined,
      ),
    })),
  }),
};

/** @see https://docs.anthropic.com/en/api/models-list */
export const ANTHROPIC_LIST: ListForm = {
  url: (baseUrl, page) => {
    const after = page === undefined ? "" : `&after_id=${encodeURIComponent(page)}`;
    return `${baseUrl.replace(/\/v1$/, "")}/v1/models?limit=1000${after}`;
  },
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  read: (page) => {
    const models = entries(page, "data").map((entry) => ({
      id: text(entry.id),
      ...count("contextTokens", entry.max_input_tokens),
      ...count("maxOutputTokens", entry.max_tokens),
    }));
    const isMore = isRecord(page) && page.has_more === true;
    return { models, next: isMore ? nextPage(page, "last_id") : undefined };
  },
};

/** @see https://ai.google.dev/api/models#method:-models.list */
export const GOOGLE_LIST: ListForm = {
  url: (baseUrl, page) => {
    const token = page === undefined ? "" : `&pageToken=${encodeURIComponent(page)}`;
    return `${baseUrl}/models?pageSize=1000${token}`;
  },
  headers: (key) => ({ "x-goog-api-key": key }),
  read: (page) => ({
    models: entries(page, "models").filter(({ supportedGenerationMethods: methods }) =>
      !Array.isArray(methods) || methods.includes("generateContent")
    ).map((entry) => ({
      id: text(entry.name).replace(/^models\//, ""),
      ...count("contextTokens", entry.inputTokenLimit),
      ...count("maxOutputTokens", entry.outputTokenLimit),
    })),
    next: nextPage(page, "nextPageToken"),
  }),
};

/** Serving endpoints that are ready and chat; what an entry does not say speaks for it. */
export const DATABRICKS_LIST: ListForm = {
  url: (baseUrl) => `${baseUrl}/api/2.0/serving-endpoints`,
  headers: bearer,
  read: (page) => ({
    models: entries(page, "endpoints").filter(({ state, task }) => {
      const ready = isRecord(state) ? state.ready ?? "READY" : "READY";
      return ready === "READY" &&
        /^llm\/v1\/(chat|completions)$/.test(String(task ?? "llm/v1/chat"));
    }).map(({ name }) => ({ id: text(name) })),
  }),
};

/** Endpoints of the AI gateway, the newest first; those that embed are left out. */
export const DATABRICKS_V2_LIST: ListForm = {
  url: (baseUrl, page) => {
    const token = page === undefined ? "" : `&page_token=${encodeURIComponent(page)}`;
    return `${baseUrl}/api/ai-gateway/v2/endpoints?page_size=100${token}`;
  },
  headers: bearer,
  read: (page) => {
    const chatting = entries(page, "endpoints").filter(({ name }) => !isEmbedding(text(name)));
    const models = chatting.toSorted(byAge).map(({ name }) => ({ id: text(name) }));
    return { models, next: nextPage(page, "next_page_token") };
  },
};

function isEmbedding(name: string): boolean {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return name.toLowerCase().includes("embedding") || words.includes("bge") || words.includes("gte");
}

/** An entry of a list, whatever it holds. */
export type Entry = Readonly<Record<string, unknown>>;

function byAge(a: Entry, b: Entry): number {
  const made = ({ created_timestamp: at }: Entry) => Number(at ?? -1);
  return made(b) - made(a) || (text(a.name) < text(b.name) ? -1 : 1);
}

/** The entries of a page. @throws {TypeError} when it has none under that name. */
export function entries(page: unknown, field: string): Entry[] {
  const list = isRecord(page) ? page[field] : undefined;
  if (!Array.isArray(list)) throw new TypeError(`it has no ${field}`);
  return list.filter(isRecord);
}

/** A model's name. @throws {TypeError} when it is none. */
export function text(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new TypeError("a model has no name");
  return value;
}

/** Where the next page is, when the page says so. */
export function nextPage(page: unknown, field: string): string | undefined {
  const next = isRecord(page) ? page[field] : undefined;
  return typeof next === "string" ? next : undefined;
}

function count<Name extends string>(name: Name, value: unknown): { [Each in Name]?: number } {
  const isTokens = Number.isSafeInteger(value) && Number(value) > 0;
  return (isTokens ? { [name]: value } : {}) as { [Each in Name]?: number };
}
