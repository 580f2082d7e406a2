import { createOpenAI } from "@ai-sdk/openai";
import { VERSION } from "../version.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import type { Endpoint } from "./endpoint.ts";
import { withExtraFields } from "./extra_fields.ts";
import type { KnownModel } from "./model.ts";
import type { FailureContext } from "./provider_failure.ts";
import { RESPONSES_DIALECT } from "./responses_dialect.ts";
import { type ProviderFetch, providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** How a server that speaks Responses differs from OpenAI's own. */
export interface ResponsesOptions {
  /** Below which `/responses` lies; the endpoint's base URL unless given. */
  readonly baseUrl?: string;
  /** Changes each request before it is sent. */
  readonly through?: (send: ProviderFetch) => ProviderFetch;
}

/** A model behind the Responses API. */
export function openResponses(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
  { baseUrl = endpoint.baseUrl, through = (send) => send }: ResponsesOptions = {},
): KnownModel {
  const context: FailureContext = { endpoint, model, limits: world.limits, nowMs: world.nowMs };
  const openai = createOpenAI({
    baseURL: baseUrl,
    apiKey: endpoint.key ?? "",
    headers: { "user-agent": `skep/${VERSION}` },
    fetch: through(withExtraFields(providerFetch(context, world), use.settings)),
  });
  return aiSdkModel({
    language: openai.responses(model),
    dialect: RESPONSES_DIALECT,
    context,
    world,
    use,
  });
}
