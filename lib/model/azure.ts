import type { ModelUse } from "./ai_sdk.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KnownModel } from "./model.ts";
import { openOpenAI } from "./openai.ts";
import type { ProviderFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/** A deployment on Azure, by its name, through the version of its API that has no version. */
export async function openAzure(
  deployment: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): Promise<KnownModel> {
  return await openOpenAI(deployment, endpoint, world, use, {
    apiVariable: "AZURE_OPENAI_API",
    isOwn: true,
    baseUrl: azureBaseUrl(endpoint.baseUrl),
    through: withApiKey,
  });
}

/** Where the API lies below what Azure calls the endpoint, which may name it already. */
export function azureBaseUrl(endpoint: string): string {
  return /\/openai(\/|$)/.test(new URL(endpoint).pathname) ? endpoint : `${endpoint}/openai/v1`;
}

/** Azure takes a key in a header of its own; as a bearer token it wants one of another kind. */
function withApiKey(send: ProviderFetch): ProviderFetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    const key = headers.get("authorization")?.replace(/^Bearer /, "");
    headers.delete("authorization");
    if (key !== undefined) headers.set("api-key", key);
    return send(url, { ...init, headers });
  };
}
