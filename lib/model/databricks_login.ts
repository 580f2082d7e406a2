import { messageOf, SkepError } from "../errors.ts";
import { type Credentials, STAND_IN_KEY } from "./credentials.ts";
import { type Endpoint, type EndpointVariables, readBaseUrl } from "./endpoint.ts";
import { isRecord } from "./is_record.ts";
import { openEndpoint } from "./key_source.ts";
import { isFresh, type OAuthToken, TokenFile, tokenOf } from "./oauth_token.ts";
import { logIn, sha256 } from "./oauth_login.ts";
import type { OperatorProvider } from "./operator_file.ts";
import { providerFetch } from "./transport.ts";
import type { ModelWorld } from "./world.ts";

const CLIENT_ID = "databricks-cli";
const SCOPES = "all-apis offline_access";

/**
 * A Databricks workspace with the key that is set, else with a person's login: kept in a file, refreshed
 * before it expires and after it was refused, and asked for in the browser when there is none.
 *
 * @throws {SkepError} as `openEndpoint()`, but for a key that is missing.
 */
export async function reachDatabricks(
  variables: EndpointVariables,
  operator: OperatorProvider | undefined,
  world: ModelWorld,
): Promise<Endpoint> {
  const sources = [world.env(variables.key), world.env(`${variables.key}_FILE`)];
  const isKeySet = sources.some((value) => value?.trim()) || operator?.keyFile !== undefined ||
    operator?.keyCommand !== undefined;
  if (isKeySet) return await openEndpoint(variables, operator, world);
  const { provider } = variables;
  const baseUrl = readBaseUrl(variables, world.env);
  const place = { provider, baseUrl, key: STAND_IN_KEY, keyVariable: "its login" };
  return { ...place, credentials: await LoginCredentials.open(place, world) };
}

/** One flight for all requests of this process; a file for all processes. */
class LoginCredentials implements Credentials {
  readonly #known = new Set<string>();
  #token: OAuthToken | undefined;
  /** The last step under way or done: each waits for the one before. */
  #flight: Promise<unknown> = Promise.resolve();

  static async open(endpoint: Endpoint, world: ModelWorld): Promise<LoginCredentials> {
    const parts = [endpoint.baseUrl, CLIENT_ID, SCOPES].join();
    const name = `databricks-${(await sha256(parts)).toHex()}`;
    return new LoginCredentials(endpoint, world, new TokenFile(name, world));
  }

  private constructor(
    readonly endpoint: Endpoint,
    readonly world: ModelWorld,
    readonly file: TokenFile,
  ) {}

  known(): readonly string[] {
    return [...this.#known];
  }

  current(): Promise<string> {
    return this.#inTurn(async () => {
      const token = await this.#usable() ?? await this.#refreshed() ?? await this.#usable() ??
        await this.#loggedIn();
      return this.#adopt(token).accessToken;
    });
  }

  renew(rejected: string): Promise<string> {
    return this.#inTurn(async () => {
      // Another request, or another process, may have a newer one by now.
      const other = [this.#token, await this.file.read()].find((token) =>
        token !== undefined && token.accessToken !== rejected
      );
      if (other !== undefined) return this.#adopt(other).accessToken;
      const token = await this.#refreshed();
      if (token !== undefined) return this.#adopt(token).accessToken;
      throw this.#failed("the login was refused, and cannot be refreshed");
    });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const taken = this.#flight.then(step);
    this.#flight = taken.catch(() => {}); // whoever asked gets it; the next one is to start all the same
    return taken;
  }

  #adopt(token: OAuthToken): OAuthToken {
    this.#known.add(token.accessToken);
    if (token.refreshToken !== undefined) this.#known.add(token.refreshToken);
    return this.#token = token;
  }

  /** A token that lasts, from memory or from the file. */
  async #usable(): Promise<OAuthToken | undefined> {
    const now = this.world.nowMs();
    if (this.#token !== undefined && isFresh(this.#token, now)) return this.#token;
    const kept = await this.file.read();
    if (kept === undefined) return undefined;
    this.#adopt(kept); // an expired one too: its refresh token is the one that counts
    return isFresh(kept, now) ? kept : undefined;
  }

  /** A new token for the refresh token; undefined when there is none, or it counts no more. */
  async #refreshed(): Promise<OAuthToken | undefined> {
    const before = this.#token ?? await this.file.read();
    if (before?.refreshToken === undefined) return undefined;
    try {
      const { tokenEndpoint } = await this.#discover();
      const fields = { grant_type: "refresh_token", refresh_token: before.refreshToken };
      return await this.#grant(tokenEndpoint, fields, before);
    } catch (error) {
      if (isDown(error)) throw error;
      return undefined;
    }
  }

  async #loggedIn(): Promise<OAuthToken> {
    try {
      const { authorizationEndpoint, tokenEndpoint } = await this.#discover();
      const place = { authorizationEndpoint, clientId: CLIENT_ID, scopes: SCOPES };
      const { code, verifier, redirectUri } = await logIn(place, this.world);
      const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
      return await this.#grant(tokenEndpoint, { ...fields, code_verifier: verifier });
    } catch (error) {
      if (isDown(error)) throw error;
      throw this.#failed(messageOf(error), error);
    }
  }

  async #grant(
    url: string,
    fields: Readonly<Record<string, string>>,
    before?: OAuthToken,
  ): Promise<OAuthToken> {
    const body = new URLSearchParams({ ...fields, client_id: CLIENT_ID }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await this.#json(url, { method: "POST", headers, body });
    const token = tokenOf(answer, this.world.nowMs(), before);
    await this.file.write(token);
    return token;
  }

  /** Where the workspace logs people in. Only itself is believed: a code must go nowhere else. */
  async #discover(): Promise<{ authorizationEndpoint: string; tokenEndpoint: string }> {
    const { baseUrl } = this.endpoint;
    const url = `${baseUrl}/oidc/.well-known/oauth-authorization-server`;
    const found = await this.#json(url, {});
    const read = (name: string): string => {
      const value = isRecord(found) ? found[name] : undefined;
      if (typeof value === "string" && URL.canParse(value)) {
        if (new URL(value).origin === new URL(baseUrl).origin) return value;
      }
      throw new TypeError(`the workspace names no ${name} of its own`);
    };
    return {
      authorizationEndpoint: read("authorization_endpoint"),
      tokenEndpoint: read("token_endpoint"),
    };
  }

  async #json(url: string, init: RequestInit): Promise<unknown> {
    const { limits, nowMs } = this.world;
    const context = { endpoint: this.endpoint, model: "", limits, nowMs };
    const bounds = { ...limits, modelTimeoutS: limits.loginRequestTimeoutS };
    const send = providerFetch(context, { ...this.world, limits: bounds }, "json", "bare");
    return JSON.parse(await (await send(url, init)).text());
  }

  #failed(why: string, cause?: unknown): SkepError {
    const { provider, baseUrl } = this.endpoint;
    const message = `Cannot log in to ${baseUrl}: ${why}. Set DATABRICKS_TOKEN, or log in with ` +
      `"skep models ${provider}"`;
    return new SkepError("PROVIDER_AUTH_FAILED", message, { provider, status: 401 }, { cause });
  }
}

/** A server that cannot be reached says nothing against the login. */
function isDown(error: unknown): boolean {
  return error instanceof SkepError && "isTransient" in error.details &&
    error.details.isTransient === true;
}
