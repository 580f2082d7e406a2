import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { VERSION } from "../version.ts";
import { aiSdkModel, type ModelUse } from "./ai_sdk.ts";
import { BEDROCK_DIALECT } from "./bedrock_dialect.ts";
import { type Credentials, STAND_IN_KEY } from "./credentials.ts";
import type { Endpoint, EndpointVariables } from "./endpoint.ts";
import { openEndpoint } from "./key_source.ts";
import type { KnownModel } from "./model.ts";
import type { OperatorProvider } from "./operator_file.ts";
import type { FailureContext } from "./provider_failure.ts";
import { providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

/**
 * Where Bedrock is reached: the region's host, with the key that is set, else with the access keys of an
 * account, which sign each request.
 *
 * @throws {SkepError} as `openEndpoint()`; `CONFIG_INVALID` without a region.
 */
export async function reachBedrock(
  variables: EndpointVariables,
  operator: OperatorProvider | undefined,
  world: ModelWorld,
): Promise<Endpoint> {
  const { env } = world;
  const isSigned = !!env("AWS_ACCESS_KEY_ID")?.trim() && !!env("AWS_SECRET_ACCESS_KEY")?.trim();
  const withRegion = (name: string) =>
    name === variables.baseUrl
      ? env(name)?.trim() || operator?.baseUrl || regionalPlace(env)
      : env(name);
  const reached = { ...world, env: withRegion };
  if (env(variables.key)?.trim() || !isSigned) {
    return await openEndpoint(variables, operator, reached);
  }
  const signing = (name: string) => name === variables.key ? STAND_IN_KEY : withRegion(name);
  const endpoint = await openEndpoint(variables, undefined, { ...world, env: signing });
  return { ...endpoint, keyVariable: "AWS_ACCESS_KEY_ID", credentials: new AccessKeys(env) };
}

/** A model on Amazon Bedrock, through Converse. */
export function openBedrock(
  model: string,
  endpoint: Endpoint,
  world: ModelWorld,
  use: ModelUse,
): KnownModel {
  const { credentials } = endpoint;
  const isSigned = credentials instanceof AccessKeys;
  const context: FailureContext = { endpoint, model, limits: world.limits, nowMs: world.nowMs };
  const bedrock = createAmazonBedrock({
    baseURL: endpoint.baseUrl,
    region: regionOf(world.env) ?? "",
    headers: { "user-agent": `skep/${VERSION}` },
    // A signature is made of the request as it goes out: nothing may be changed in it after that.
    fetch: providerFetch(context, world, "events", isSigned ? "bare" : "with_credentials"),
    ...(isSigned ? credentials.parts() : { apiKey: endpoint.key ?? "" }),
  });
  return aiSdkModel({ language: bedrock(model), dialect: BEDROCK_DIALECT, context, world, use });
}

/** The access keys of an account: never sent, but not to be shown either. */
export class AccessKeys implements Credentials {
  constructor(readonly env: Host["env"]) {}

  parts(): { accessKeyId: string; secretAccessKey: string; sessionToken?: string } {
    const read = (name: string) => this.env(name)?.trim() ?? "";
    const session = read("AWS_SESSION_TOKEN");
    return {
      accessKeyId: read("AWS_ACCESS_KEY_ID"),
      secretAccessKey: read("AWS_SECRET_ACCESS_KEY"),
      ...(session === "" ? {} : { sessionToken: session }),
    };
  }

  current(): Promise<string> {
    return Promise.resolve(STAND_IN_KEY);
  }

  renew(rejected: string): Promise<string> {
    return Promise.resolve(rejected);
  }

  known(): readonly string[] {
    return Object.values(this.parts());
  }
}

/** The region that the environment names. */
export function regionOf(env: Host["env"]): string | undefined {
  return env("AWS_REGION")?.trim() || env("AWS_DEFAULT_REGION")?.trim() || undefined;
}

function regionalPlace(env: Host["env"]): string {
  const region = regionOf(env);
  if (region !== undefined && /^[a-z0-9-]+$/.test(region)) {
    return `https://bedrock-runtime.${region}.amazonaws.com${
      region.startsWith("cn-") ? ".cn" : ""
    }`;
  }
  const found = region === undefined ? "is not set" : `="${region}" is no region`;
  const message = `Cannot use the provider amazon-bedrock: AWS_REGION ${found}`;
  throw new SkepError("CONFIG_INVALID", message, { source: "AWS_REGION" });
}
