import { AwsV4Signer } from "aws4fetch";
import { AccessKeys, regionOf } from "./bedrock.ts";
import type { Endpoint } from "./endpoint.ts";
import { isRecord } from "./is_record.ts";
import {
  bearer,
  entries,
  type ListedModel,
  type ListForm,
  listModels,
  nextPage,
  text,
} from "./list_models.ts";
import type { ProviderFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/**
 * What an account can name in a region: its inference profiles, by which most models are called, then the
 * models that are called by their own name.
 *
 * @throws {SkepError} as `listModels()`.
 */
export async function listBedrock(
  endpoint: Endpoint,
  world: ModelWorld,
  signal?: AbortSignal,
): Promise<readonly ListedModel[]> {
  // Models are called at another host than the one that lists them. Behind a gateway both are one.
  const told = world.env("AWS_ENDPOINT_URL_BEDROCK")?.trim().replace(/\/+$/, "");
  const baseUrl = told || endpoint.baseUrl.replace("://bedrock-runtime.", "://bedrock.");
  const { credentials } = endpoint;
  const isSigned = credentials instanceof AccessKeys;
  const place = { ...endpoint, baseUrl };
  const through = isSigned ? signing(credentials, world) : undefined;
  const profiles = await listModels(place, PROFILES, world, { through, signal });
  const models = await listModels(place, MODELS, world, { through, signal });
  const named = new Set(profiles.map(({ id }) => id));
  return [...profiles, ...models.filter(({ id }) => !named.has(id))];
}

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html */
const PROFILES: ListForm = {
  url: (baseUrl, page) => {
    const token = page === undefined ? "" : `&nextToken=${encodeURIComponent(page)}`;
    return `${baseUrl}/inference-profiles?maxResults=1000${token}`;
  },
  headers: bearer,
  read: (page) => ({
    models: entries(page, "inferenceProfileSummaries")
      .filter(({ status }) => (status ?? "ACTIVE") === "ACTIVE")
      .map(({ inferenceProfileId }) => ({ id: text(inferenceProfileId) })),
    next: nextPage(page, "nextToken"),
  }),
};

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html */
const MODELS: ListForm = {
  url: (baseUrl) => `${baseUrl}/foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND`,
  headers: bearer,
  read: (page) => ({
    models: entries(page, "modelSummaries")
      .filter(({ responseStreamingSupported, modelLifecycle }) =>
        responseStreamingSupported !== false &&
        !(isRecord(modelLifecycle) && modelLifecycle.status === "LEGACY")
      ).map(({ modelId }) => ({ id: text(modelId) })),
  }),
};

/** Signs each request with an account's keys in place of a key that is sent. */
function signing(keys: AccessKeys, { env }: Pick<ModelWorld, "env">) {
  return (send: ProviderFetch): ProviderFetch => async (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.delete("authorization");
    const region = regionOf(env);
    const signer = new AwsV4Signer({
      url: String(url),
      headers,
      service: "bedrock",
      ...(region === undefined ? {} : { region }),
      ...keys.parts(),
    });
    const { headers: signed } = await signer.sign();
    return await send(url, { ...init, headers: signed });
  };
}
