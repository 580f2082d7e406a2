import { isSkepError, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { ModelUse } from "./ai_sdk.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KnownModel } from "./model.ts";
import type { ProviderFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** Which of OpenAI's protocols is spoken; `auto` finds out. */
type OpenAIApi = "auto" | "chat" | "responses";

const APIS: ReadonlyMap<string, OpenAIApi> = new Map([
  ["auto", "auto"],
  ["chat", "chat"],
  ["chat-completions", "chat"],
  ["chat_completions", "chat"],
  ["responses", "responses"],
]);

/** How a Chat Completions server says that this model wants the other protocol. */
const WANTS_RESPONSES = /\/v1\/responses|responses api instead|use the responses api/i;

/** How a server that speaks both of OpenAI's protocols differs from its own. */
export interface OpenAIOptions {
  /** The variable that says which protocol is spoken. */
  readonly apiVariable: string;
  /** True where Responses are spoken unless the variable says otherwise. */
  readonly isOwn: boolean;
  readonly baseUrl: string;
  readonly through: (send: ProviderFetch) => ProviderFetch;
}

/**
 * A model of OpenAI, or behind a server in its place. A variable (`OPENAI_COMPAT_API`) says which protocol it speaks;
 * else a host of OpenAI's own is asked in Responses, any other in Chat Completions, and once more in
 * Responses when it answers that the model wants that. The model then stays with it.
 *
 * @throws {SkepError} `CONFIG_INVALID` for a protocol that is none.
 */
export async function openOpenAI(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
  options: Partial<OpenAIOptions> = {},
): Promise<KnownModel> {
  const { apiVariable = "OPENAI_COMPAT_API", isOwn = isOpenAIHost(endpoint.baseUrl), ...rest } =
    options;
  const api = readApi(apiVariable, world.env);
  const priced = isOwn ? use : { ...use, catalog: use.catalog.unpriced() };
  const responses = async () =>
    (await import("./responses.ts")).openResponses(model, endpoint, world, priced, rest);
  if (api === "responses" || (api === "auto" && isOwn)) return await responses();
  const { openOpenAICompatible, withNewName } = await import("./openai_compatible.ts");
  const chat = openOpenAICompatible(model, endpoint, world, priced, {
    ...rest,
    ...(isOwn ? { body: withNewName } : {}),
  });
  return api === "chat" ? chat : upgrading(chat, responses);
}

/** Tells whether a URL leads to OpenAI itself, and not to a host whose name only looks like it. */
export function isOpenAIHost(baseUrl: string): boolean {
  return `.${new URL(baseUrl).hostname}`.endsWith(".openai.com");
}

function readApi(variable: string, env: Host["env"]): OpenAIApi {
  const text = env(variable)?.trim() || "auto";
  const api = APIS.get(text.toLowerCase());
  if (api !== undefined) return api;
  const known = [...APIS.keys()].join(", ");
  const message = `Cannot use ${variable}="${text}": it must be one of ${known}`;
  throw new SkepError("CONFIG_INVALID", message, { source: variable });
}

/** The chat model, until its server says that it wants the other one. */
function upgrading(chat: KnownModel, openOther: () => Promise<KnownModel>): KnownModel {
  let current = chat;
  return {
    id: chat.id,
    ...(chat.notice === undefined ? {} : { notice: chat.notice }),
    get facts() {
      return current.facts;
    },
    async *stream(request, signal) {
      if (current === chat) {
        let isShown = false;
        try {
          for await (const part of chat.stream(request, signal)) {
            isShown ||= part.type !== "warning";
            yield part;
          }
          return;
        } catch (error) {
          const isWanted = isSkepError(error, "PROVIDER_FAILED") &&
            WANTS_RESPONSES.test(error.message);
          if (isShown || !isWanted) throw error;
        }
        current = await openOther();
      }
      yield* current.stream(request, signal);
    },
  };
}
