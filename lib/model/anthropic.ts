import { createAnthropic } from "@ai-sdk/anthropic";
import { VERSION } from "../version.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import { ANTHROPIC_DIALECT } from "./anthropic_dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { withExtraFields } from "./extra_fields.ts";
import type { KnownModel } from "./model.ts";
import type { FailureContext } from "./provider_failure.ts";
import { type ProviderFetch, providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

const DEFAULT_API_VERSION = "2023-06-01";

/** How a server that speaks the Messages API differs from Anthropic's own. */
export interface AnthropicOptions {
  /** Below which `/messages` lies; the endpoint's, with `/v1`, unless given. */
  readonly baseUrl?: string;
  /** The key goes as a bearer token, and Anthropic's own headers stay away. */
  readonly isBearer?: boolean;
}

/** A model of Anthropic, or of a server that speaks its Messages API. */
export function openAnthropic(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
  { baseUrl, isBearer = false }: AnthropicOptions = {},
): KnownModel {
  const context: FailureContext = { endpoint, model, limits: world.limits, nowMs: world.nowMs };
  const version = world.env("ANTHROPIC_API_VERSION")?.trim() || DEFAULT_API_VERSION;
  const key = endpoint.key ?? "";
  const anthropic = createAnthropic({
    // The variable is meant without the version, as buzz-agent reads it; with it, it is as clear.
    baseURL: baseUrl ?? `${endpoint.baseUrl.replace(/\/v1$/, "")}/v1`,
    ...(isBearer ? { authToken: key } : { apiKey: key }),
    headers: { "anthropic-version": version, "user-agent": `skep/${VERSION}` },
    fetch: without(
      isBearer ? ["anthropic-beta", "anthropic-version", "x-api-key"] : ["anthropic-beta"],
      withExtraFields(providerFetch(context, world), use.settings),
    ),
  });
  return aiSdkModel({
    language: anthropic(model),
    dialect: ANTHROPIC_DIALECT,
    context,
    world,
    use,
  });
}

/** The package announces betas that no request of ours uses, and that gateways refuse. */
function without(names: readonly string[], send: ProviderFetch): ProviderFetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    for (const name of names) headers.delete(name);
    return send(url, { ...init, headers });
  };
}
