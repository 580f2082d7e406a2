import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { VERSION } from "../version.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import type { Dialect } from "./dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { withExtraFields } from "./extra_fields.ts";
import { isRecord } from "./is_record.ts";
import type { KnownModel } from "./model.ts";
import { withCallNames } from "./name_calls.ts";
import type { FailureContext } from "./provider_failure.ts";
import { type ProviderFetch, providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** The body of a Chat Completions request. */
export type ChatBody = Readonly<Record<string, unknown>>;

/** How a server that speaks Chat Completions differs from most. */
export interface ChatOptions {
  readonly dialect?: Dialect;
  readonly headers?: Readonly<Record<string, string>>;
  readonly keyStatuses?: readonly number[];
  /** Below which `/chat/completions` lies; the endpoint's base URL unless given. */
  readonly baseUrl?: string;
  /** Changes each body before it is sent. */
  readonly body?: (body: ChatBody) => ChatBody;
  /** Changes each request before it is sent. */
  readonly through?: (send: ProviderFetch) => ProviderFetch;
}

/** A model behind any server that speaks Chat Completions. */
export function openOpenAICompatible(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
  options: ChatOptions = {},
): KnownModel {
  const { baseUrl = endpoint.baseUrl, through = (send) => send, keyStatuses } = options;
  const isOpenAI = `.${new URL(baseUrl).hostname}`.endsWith(".openai.com");
  const { body: change = isOpenAI ? withNewName : (body) => body } = options;
  const context: FailureContext = {
    endpoint,
    model,
    limits: world.limits,
    nowMs: world.nowMs,
    ...(keyStatuses === undefined ? {} : { keyStatuses }),
  };
  const provider = createOpenAICompatible({
    name: endpoint.provider,
    baseURL: baseUrl,
    ...(endpoint.key === undefined ? {} : { apiKey: endpoint.key }),
    headers: { "user-agent": `skep/${VERSION}`, ...options.headers },
    includeUsage: true,
    fetch: withCallNames(through(withExtraFields(providerFetch(context, world), use.settings))),
    transformRequestBody: (body) => change(withContent(body)),
  });
  const { dialect = CHAT_DIALECT } = options;
  return aiSdkModel({ language: provider(model), dialect, context, world, use });
}

/** OpenAI's own newer models refuse `max_tokens`; other servers know no other name. */
export function withNewName({ max_tokens, ...body }: ChatBody): ChatBody {
  return { ...body, max_completion_tokens: max_tokens };
}

/** Templates of local servers write a missing text as "None", and some gateways refuse it. */
function withContent(body: ChatBody): ChatBody {
  if (!Array.isArray(body.messages)) return body;
  const messages = body.messages.map((message: unknown) =>
    isRecord(message) && message.content === null ? { ...message, content: "" } : message
  );
  return { ...body, messages };
}
