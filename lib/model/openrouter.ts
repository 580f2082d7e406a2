import type { ModelUse } from "./ai_sdk.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KnownModel } from "./model.ts";
import { openOpenAICompatible } from "./openai_compatible.ts";
import { openRouterBody } from "./openrouter_body.ts";
import { OPENROUTER_DIALECT } from "./openrouter_dialect.ts";
import type { ModelWorld } from "./world.ts";

/** Whom OpenRouter is told that its requests come from. It wants a URL; the name is what it shows. */
const ATTRIBUTION = { "http-referer": "https://skep.invalid", "x-openrouter-title": "skep" };

/** A model through OpenRouter, which speaks Chat Completions and adds its own to it. */
export function openOpenRouter(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): KnownModel {
  return openOpenAICompatible(model, endpoint, world, use, {
    dialect: OPENROUTER_DIALECT,
    headers: ATTRIBUTION,
    // 403 is a rule of the account's against the text or the model, not against the key.
    keyStatuses: [401],
    body: (body) => openRouterBody(body, model, use.settings.isCaching),
  });
}
