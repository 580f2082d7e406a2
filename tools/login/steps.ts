// @ts-types="@modelcontextprotocol/sdk/client/auth"
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  refreshAuthorization,
  registerClient,
  selectResourceURL,
  startAuthorization,
} from "@modelcontextprotocol/sdk/client/auth.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import { VERSION } from "../../lib/version.ts";

/** The `fetch` of a step: bounded, and it follows nothing. */
export type StepFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type Fields = Readonly<Record<string, unknown>>;
type Metadata = NonNullable<Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>>;
type Client = Parameters<typeof exchangeAuthorization>[1]["clientInformation"];

/** One step of a login: what it is told, and what it finds out. Each needs one host of the network at most. */
export type Step = (told: Fields, fetchFn: StepFetch) => Promise<Fields>;

/**
 * The steps, by name.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export const STEPS: Readonly<Record<string, Step>> = {
  /** Asks the server who gives tokens for it, and which scopes it wants. */
  discover: async ({ url, resourceMetadata, scope }, fetchFn) => {
    const challenge = resourceMetadata === undefined
      ? await probe(String(url), fetchFn)
      : { resourceMetadataUrl: new URL(String(resourceMetadata)), scope };
    const at = challenge.resourceMetadataUrl;
    const found = await discoverOAuthProtectedResourceMetadata(
      String(url),
      at === undefined ? {} : { resourceMetadataUrl: at },
      fetchFn,
    ).catch((error) => {
      if (at !== undefined) throw error; // it was named, so it should be there
      return undefined; // a server of before March 2025 is its own
    });
    // Throws for metadata that is another server's.
    await selectResourceURL(String(url), {} as Parameters<typeof selectResourceURL>[1], found);
    const named = found?.authorization_servers?.[0];
    return {
      authorizationServer: named ?? new URL("/", String(url)).href,
      isNamed: named !== undefined,
      resource: found?.resource,
      scope: scope ?? challenge.scope ?? found?.scopes_supported?.join(" "),
    };
  },

  /** Asks the authorization server for its endpoints. One that no server named may lie below its own origin. */
  describe: async ({ authorizationServer, isNamed }, fetchFn) => {
    const server = String(authorizationServer);
    const metadata = await discoverAuthorizationServerMetadata(server, { fetchFn });
    const issuer = metadata?.issuer ?? server;
    const isItself = withoutSlash(issuer) === withoutSlash(server) ||
      (isNamed === false && new URL(issuer).origin === new URL(server).origin);
    if (!isItself) throw new Error(`it calls itself ${issuer}`);
    return { metadata };
  },

  /** Makes skep known to the authorization server, unless it is, and says where a person logs in. */
  authorize: async (told, fetchFn) => {
    const server = String(told.authorizationServer);
    const redirectUrl = String(told.redirectUri);
    const metadata = metadataOf(told);
    const scope = textOf(told.scope);
    const client = told.client as Client | undefined ?? await registerClient(server, {
      ...metadata,
      clientMetadata: {
        client_name: "skep",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: authMethod(metadata.metadata),
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn,
    });
    const { authorizationUrl, codeVerifier } = await startAuthorization(server, {
      ...metadata,
      clientInformation: client,
      redirectUrl,
      state: String(told.state),
      ...(scope === undefined ? {} : { scope }),
      ...resourceOf(told),
    });
    return { client, authorizationUrl: authorizationUrl.href, codeVerifier };
  },

  /** Gets tokens for the code that a login gave. */
  exchange: async (told, fetchFn) => ({
    tokens: await exchangeAuthorization(String(told.authorizationServer), {
      ...metadataOf(told),
      clientInformation: told.client as Client,
      authorizationCode: String(told.code),
      codeVerifier: String(told.codeVerifier),
      redirectUri: String(told.redirectUri),
      ...resourceOf(told),
      fetchFn,
    }),
  }),

  /** Gets new tokens for the refresh token. */
  refresh: async (told, fetchFn) => ({
    tokens: await refreshAuthorization(String(told.authorizationServer), {
      ...metadataOf(told),
      clientInformation: told.client as Client,
      refreshToken: String(told.refreshToken),
      ...resourceOf(told),
      fetchFn,
    }),
  }),
};

/** Asks the server for something without a token, to hear what it wants. */
async function probe(
  url: string,
  fetchFn: StepFetch,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const clientInfo = { name: "skep", version: VERSION };
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  const response = await fetchFn(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  await response.body?.cancel();
  return extractWWWAuthenticateParams(response);
}

/** A client without a secret where that is taken; else the first way to send one that both know. */
function authMethod(metadata: Metadata | undefined): string {
  const known = metadata?.token_endpoint_auth_methods_supported ?? ["none"];
  const ours = ["none", "client_secret_basic", "client_secret_post"];
  return ours.find((each) => known.includes(each)) ?? "none";
}

function metadataOf({ metadata }: Fields): { metadata?: Metadata } {
  return metadata === undefined ? {} : { metadata: metadata as Metadata };
}

/** As it was written: some compare it letter by letter. */
function resourceOf({ resource }: Fields): { resource?: URL } {
  return typeof resource === "string" ? { resource: resource as unknown as URL } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/, "");
}
