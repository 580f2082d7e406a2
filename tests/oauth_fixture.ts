// A small authorization server on loopback that does what it says: it checks clients, codes, PKCE, redirect
// addresses, resources and scopes, rotates refresh tokens, and knows which access tokens count.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpFixture, type McpFixture, serveHttp, serveMcp } from "./http_servers.ts";

/** What an authorization server knows, and how it behaves. */
export interface OAuthState {
  /** Access tokens that count, each with its scopes. */
  readonly accessTokens: Map<string, string>;
  readonly refreshTokens: Set<string>;
  /** Grants of the token endpoint, in order. */
  readonly grants: string[];
  /** Bodies of registrations. */
  readonly registrations: Record<string, unknown>[];
  /** Seconds that a token lasts. */
  lasts: number;
  /** What the server wants a token to allow. */
  scope: string;
}

/** The server of tools that wants a login, and who gives it. */
export interface ProtectedServer extends AsyncDisposable {
  readonly mcp: McpFixture;
  readonly authorization: HttpFixture;
  readonly state: OAuthState;
}

/** Starts both. */
export async function serveProtected(): Promise<ProtectedServer> {
  const state: OAuthState = {
    accessTokens: new Map(),
    refreshTokens: new Set(),
    grants: [],
    registrations: [],
    lasts: 3600,
    scope: "tools:call",
  };
  const authorization: HttpFixture = await serveHttp((request, response) =>
    authorize(request, response, () => authorization.origin, state)
  );
  const mcp: McpFixture = await serveMcp((request, response) => {
    const metadata = `${mcp.origin}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === "/.well-known/oauth-protected-resource/mcp") {
      json(response, {
        resource: `${mcp.origin}/mcp`,
        authorization_servers: [authorization.origin],
        scopes_supported: ["unused"],
      });
      return true;
    }
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const scopes = state.accessTokens.get(token)?.split(" ");
    const wants = `resource_metadata="${metadata}", scope="${state.scope}"`;
    if (scopes === undefined) {
      response.writeHead(401, { "www-authenticate": `Bearer ${wants}` }).end();
      return true;
    }
    if (state.scope.split(" ").every((each) => scopes.includes(each))) return false;
    const challenge = `Bearer error="insufficient_scope", ${wants}`;
    response.writeHead(403, { "www-authenticate": challenge }).end();
    return true;
  });
  return {
    mcp,
    authorization,
    state,
    [Symbol.asyncDispose]: async () => {
      await mcp[Symbol.asyncDispose]();
      await authorization[Symbol.asyncDispose]();
    },
  };
}

const clients = new Map<string, string[]>();
const codes = new Map<string, Record<string, string>>();

async function authorize(
  request: IncomingMessage,
  response: ServerResponse,
  origin: () => string,
  state: OAuthState,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const url = new URL(request.url ?? "/", origin());
  const fields = Object.fromEntries(url.searchParams);
  switch (url.pathname) {
    case "/.well-known/oauth-authorization-server":
      return json(response, {
        issuer: origin(),
        authorization_endpoint: `${origin()}/authorize`,
        token_endpoint: `${origin()}/token`,
        registration_endpoint: `${origin()}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        scopes_supported: ["tools:call", "tools:admin", "offline_access"],
      });
    case "/register": {
      const wish = JSON.parse(text);
      state.registrations.push(wish);
      const client_id = crypto.randomUUID();
      clients.set(client_id, wish.redirect_uris);
      return json(response, { ...wish, client_id }, 201);
    }
    case "/authorize": {
      const known = clients.get(fields.client_id ?? "")?.includes(fields.redirect_uri ?? "");
      if (!known || fields.code_challenge_method !== "S256") return refuse(response, "client");
      const code = crypto.randomUUID();
      codes.set(code, fields);
      const back = new URL(fields.redirect_uri!);
      back.searchParams.set("code", code);
      back.searchParams.set("state", fields.state ?? "");
      back.searchParams.set("iss", origin());
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    case "/token": {
      const form = Object.fromEntries(new URLSearchParams(text));
      state.grants.push(form.grant_type!);
      return form.grant_type === "refresh_token"
        ? refresh(response, form, state)
        : await exchange(response, form, state);
    }
    default:
      response.writeHead(404).end();
  }
}

async function exchange(
  response: ServerResponse,
  form: Record<string, string>,
  state: OAuthState,
): Promise<void> {
  const asked = codes.get(form.code ?? "");
  codes.delete(form.code ?? "");
  const verifier = new TextEncoder().encode(form.code_verifier ?? "");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
  const challenge = digest.toBase64({ alphabet: "base64url", omitPadding: true });
  const isRight = asked !== undefined && asked.code_challenge === challenge &&
    asked.client_id === form.client_id && asked.redirect_uri === form.redirect_uri &&
    asked.resource === form.resource && form.resource?.endsWith("/mcp");
  if (isRight) give(response, asked.scope ?? "", state);
  else refuse(response, "invalid_grant");
}

function refresh(
  response: ServerResponse,
  form: Record<string, string>,
  state: OAuthState,
): void {
  if (!state.refreshTokens.delete(form.refresh_token ?? "")) {
    return refuse(response, "invalid_grant");
  }
  give(response, state.scope, state);
}

function give(response: ServerResponse, scope: string, state: OAuthState): void {
  const access = `access-${crypto.randomUUID()}`;
  const again = `refresh-${crypto.randomUUID()}`;
  state.accessTokens.set(access, scope);
  state.refreshTokens.add(again);
  json(response, {
    access_token: access,
    token_type: "Bearer",
    expires_in: state.lasts,
    refresh_token: again,
    scope,
  });
}

function refuse(response: ServerResponse, error: string): void {
  json(response, { error }, 400);
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
