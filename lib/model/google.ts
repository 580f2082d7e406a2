import { createGoogle } from "@ai-sdk/google";
import { VERSION } from "../version.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import type { Endpoint } from "./endpoint.ts";
import { withExtraFields } from "./extra_fields.ts";
import { GOOGLE_DIALECT } from "./google_dialect.ts";
import type { KnownModel } from "./model.ts";
import type { FailureContext } from "./provider_failure.ts";
import { providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** A Gemini model, through the Gemini API. */
export function openGoogle(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): KnownModel {
  const context: FailureContext = { endpoint, model, limits: world.limits, nowMs: world.nowMs };
  const google = createGoogle({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key ?? "",
    headers: { "user-agent": `skep/${VERSION}` },
    fetch: withExtraFields(providerFetch(context, world), use.settings),
  });
  return aiSdkModel({ language: google(model), dialect: GOOGLE_DIALECT, context, world, use });
}
