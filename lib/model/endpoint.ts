import { messageOf, SkepError } from "../errors.ts";
import type { Credentials } from "./credentials.ts";
import type { Host } from "../host/host.ts";

/** The variables that tell where a provider is reached. */
export interface EndpointVariables {
  readonly provider: string;
  /** Name of the variable that holds the key. */
  readonly key: string;
  /** Name of the variable that holds the base URL. */
  readonly baseUrl: string;
  /** Undefined where everybody has a place of their own: then the variable must be set. */
  readonly defaultBaseUrl: string | undefined;
  /** True when a server on this machine is asked without a key. */
  readonly isKeyFreeOnLoopback: boolean;
  /** True when a person's login stands in for a key. */
  readonly isKeyOptional?: boolean;
  /**
   * A second pair of variables, read as a whole when the first key is not set: a key goes nowhere but
   * where its own pair says.
   */
  readonly or?: { readonly key: string; readonly baseUrl: string };
  /** Other variables that stand in for the key, each set of them whole. */
  readonly insteadOfKey?: readonly string[];
}

/** Where a provider is reached, and with which key. */
export interface Endpoint {
  readonly provider: string;
  /** Without a `/` at its end. */
  readonly baseUrl: string;
  /** Undefined only where a server on this machine needs none. */
  readonly key: string | undefined;
  readonly keyVariable: string;
  /** Gives the key anew for each request, and another one after a refusal; `key` is then a stand-in. */
  readonly credentials?: Credentials;
}

/**
 * Reads a provider's endpoint.
 *
 * @throws {SkepError} `MODEL_KEY_MISSING` naming the variable; `CONFIG_INVALID` for a base URL or a key
 * that cannot be sent. The key's value is never in the message.
 */
export function readEndpoint(asked: EndpointVariables, env: Host["env"]): Endpoint {
  const variables = chosenPair(asked, env);
  const baseUrl = readBaseUrl(variables, env);
  const key = env(variables.key)?.trim() || undefined;
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid(variables.key, `${variables.key} must be printable ASCII without spaces`);
  }
  if (key === undefined && !(variables.isKeyFreeOnLoopback && isLoopback(baseUrl))) {
    throw new SkepError(
      "MODEL_KEY_MISSING",
      `Cannot use the provider ${variables.provider}: ${missingKey(asked)}`,
      { provider: variables.provider, variable: variables.key },
    );
  }
  return { provider: variables.provider, baseUrl, key, keyVariable: variables.key };
}

/** Which variables would have given the key, for people: `neither A nor B is set`. */
export function missingKey({ key, or, insteadOfKey }: EndpointVariables): string {
  const instead = insteadOfKey === undefined ? [] : [insteadOfKey.join(" with ")];
  const names = [key, ...(or === undefined ? [] : [or.key]), ...instead];
  return names.length === 1 ? `${key} is not set` : `neither ${names.join(" nor ")} is set`;
}

/**
 * Tells whether the environment holds enough for {@linkcode readEndpoint}, or names a file with the key; a
 * malformed value counts.
 */
export function isEndpointSet(asked: EndpointVariables, env: Host["env"]): boolean {
  const variables = chosenPair(asked, env);
  const isSet = (name: string) => !!env(name)?.trim();
  if (variables.defaultBaseUrl === undefined && !isSet(variables.baseUrl)) return false;
  if (variables.isKeyOptional || isSet(variables.key) || isSet(`${variables.key}_FILE`)) {
    return true;
  }
  if (variables.insteadOfKey?.every(isSet)) return true;
  const baseUrl = env(variables.baseUrl)?.trim();
  return variables.isKeyFreeOnLoopback && !!baseUrl && isLoopback(baseUrl);
}

/** Why the base URL that is set cannot be used; undefined when it can, and when none is set. */
export function baseUrlProblem(asked: EndpointVariables, env: Host["env"]): string | undefined {
  const variables = chosenPair(asked, env);
  if (env(variables.baseUrl) === undefined) return undefined;
  try {
    readBaseUrl(variables, env);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function chosenPair(variables: EndpointVariables, env: Host["env"]): EndpointVariables {
  const { or, key } = variables;
  return or !== undefined && !env(key)?.trim() && env(or.key)?.trim()
    ? { ...variables, ...or }
    : variables;
}

/** The base URL that is set, without a `/` at its end. @throws {SkepError} `CONFIG_INVALID`. */
export function readBaseUrl(
  variables: Pick<EndpointVariables, "provider" | "key" | "baseUrl" | "defaultBaseUrl">,
  env: Host["env"],
): string {
  const text = env(variables.baseUrl);
  if (text === undefined) {
    if (variables.defaultBaseUrl !== undefined) return variables.defaultBaseUrl;
    const message =
      `Cannot use the provider ${variables.provider}: ${variables.baseUrl} is not set`;
    throw invalid(variables.baseUrl, message);
  }
  const { baseUrl: name, key } = variables;
  return parseBaseUrl(text, (why) => invalid(name, `Cannot use ${name}${why}`), key);
}

/**
 * A base URL without a `/` at its end.
 *
 * @param refuse Makes the error, of how the message goes on behind the name of what cannot be used.
 * @param key Where the key stands, which does not belong into it.
 * @throws what `refuse` makes.
 */
export function parseBaseUrl(
  text: string,
  refuse: (why: string) => SkepError,
  key: string,
): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse(`="${text}": it must be an http or https URL, or not be set`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw refuse(`: it must have no user, password, query or fragment: the key is ${key}`);
  }
  return url.href.replace(/\/+$/, "");
}

/** Tells whether a URL leads to this machine. */
export function isLoopback(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function invalid(source: string, message: string): SkepError {
  return new SkepError("CONFIG_INVALID", message, { source });
}
