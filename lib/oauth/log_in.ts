import { messageOf, SkepError } from "../errors.ts";
import { BrowserReturn } from "../host/browser_return.ts";
import { isPrivate } from "../sandbox/remote.ts";
import { type Json, textIn } from "./json.ts";
import type { Login, LoginFiles } from "./login_file.ts";
import { runStep, StepFailed, type StepWorld } from "./run_step.ts";
import { tokensOf } from "./tokens_of.ts";

/** What a person may say of a login; what is absent is found out. */
export interface LoginChoice {
  /** As what skep is known at the authorization server already. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
}

/** What a login takes. */
export interface LoginWorld extends StepWorld {
  readonly limits: StepWorld["limits"] & { readonly loginTimeoutS: number };
  readonly files: LoginFiles;
  readonly nowMs: () => number;
  /** Shows a person what to do, a line each. */
  readonly show: (line: string) => void;
  /** Opens a page in a person's browser, where there is one. */
  readonly browse: (url: URL) => void;
}

/**
 * Has a person log in at whoever gives tokens for a server, and keeps the login. OAuth 2.1 as MCP asks for it:
 * the server names its authorization server, which describes itself and registers skep unless a client id is
 * given; code and PKCE with a state of our own, for this server alone (`resource`). Each step is a process
 * that reaches one host.
 *
 * @param url The server's address, https or on this machine.
 * @throws {SkepError} `SERVER_FAILED` with what went wrong, in words; `CONFIG_INVALID` for an address that
 * anyone on the way can read.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export async function logIn(url: string, choice: LoginChoice, world: LoginWorld): Promise<Login> {
  const server = new URL(url);
  if (!isPrivate(server)) {
    const message = `Cannot log in to ${server.host}: a login needs https, or this machine`;
    throw new SkepError("CONFIG_INVALID", message, { source: url });
  }
  try {
    return await steps(server, choice, world);
  } catch (error) {
    if (error instanceof SkepError && error.code !== "SERVER_FAILED") throw error;
    const message = `Cannot log in to ${server.host}: ${messageOf(error)}`;
    throw new SkepError("SERVER_FAILED", message, { server: server.host, stage: "init" }, {
      cause: error,
    });
  }
}

async function steps(server: URL, choice: LoginChoice, world: LoginWorld): Promise<Login> {
  const url = server.href;
  const before = await world.files.read(url);
  const asked = choice.scope ?? before?.wantedScope;
  const found = await runStep("discover", { url, scope: asked }, server, world);
  const issuer = endpoint(textIn(found, "authorizationServer"), "authorization server", server);
  const authorizationServer = textIn(found, "authorizationServer") ?? issuer.href;
  const asks = { authorizationServer, isNamed: found.isNamed };
  const { metadata } = await runStep("describe", asks, issuer, world) as { metadata?: Json };
  const at = (name: string, otherwise: string) =>
    endpoint(
      metadata === undefined ? new URL(otherwise, issuer).href : textIn(metadata, name),
      name,
      server,
    );
  const tokenEndpoint = at("token_endpoint", "/token");
  at("authorization_endpoint", "/authorize");

  const state = crypto.randomUUID();
  const known = before?.authorizationServer === authorizationServer ? before : undefined;
  await using back = await returnAt(state, known?.redirectUri);
  const redirectUri = `http://127.0.0.1:${back.port}/callback`;
  const client = givenClient(choice) ??
    (known?.redirectUri === redirectUri ? known.client : undefined);
  const registers = client === undefined ? at("registration_endpoint", "/register") : undefined;
  const common = {
    authorizationServer,
    metadata,
    redirectUri,
    resource: textIn(found, "resource"),
    scope: scopeOf(found, metadata),
  };
  const told = { ...common, client, state };
  const opened = await runStep("authorize", told, registers, world);
  const page = endpoint(textIn(opened, "authorizationUrl"), "authorization_endpoint", server);
  const shown = `Log in to ${server.host} at ${page.host} with your browser: ${page.href}`;
  world.show(shown);
  world.browse(page);
  const code = await codeFrom(back, metadata, world);
  const exchanged = await runStep(
    "exchange",
    { ...common, client: opened.client, code, codeVerifier: opened.codeVerifier },
    tokenEndpoint,
    world,
  );
  const login: Login = {
    url,
    authorizationServer,
    ...(metadata === undefined ? {} : { metadata }),
    client: opened.client as Json,
    redirectUri,
    ...(common.resource === undefined ? {} : { resource: common.resource }),
    ...(common.scope === undefined ? {} : { scope: common.scope }),
    ...tokensOf(exchanged, world.nowMs()),
  };
  await world.files.write(login);
  return login;
}

/** An address that a server or its authorization server names. None is asked in the open, nor opened by a browser. */
function endpoint(text: string | undefined, what: string, server: URL): URL {
  const address = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined) throw new StepFailed(`it names no ${what}`, undefined);
  const isLocal = isPrivate(server) && server.protocol === "http:";
  const isRight = address.protocol === "https:" ||
    (isLocal && address.protocol === "http:" && isPrivate(address));
  if (isRight && address.username === "") return address;
  throw new StepFailed(`its ${what} ${address.origin} is not https`, undefined);
}

/** Where the browser comes back to: the port of the login before, which the client was registered with. */
async function returnAt(state: string, before: string | undefined): Promise<BrowserReturn> {
  const port = before === undefined ? 0 : Number(new URL(before).port);
  try {
    return await BrowserReturn.open(state, port);
  } catch {
    return await BrowserReturn.open(state); // somebody else has it by now
  }
}

function givenClient({ clientId, clientSecret }: LoginChoice): Json | undefined {
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  };
}

/** What is asked for: what the server wants, and that the login lasts where that has to be said. */
function scopeOf(found: Json, metadata: Json | undefined): string | undefined {
  const scope = textIn(found, "scope");
  const known = metadata?.scopes_supported;
  const lasts = Array.isArray(known) && known.includes("offline_access");
  if (!lasts || scope?.split(" ").includes("offline_access")) return scope;
  return scope === undefined ? undefined : `${scope} offline_access`;
}

async function codeFrom(
  back: BrowserReturn,
  metadata: Json | undefined,
  { host, limits }: LoginWorld,
): Promise<string> {
  const timer = new AbortController();
  const late = host.sleep(limits.loginTimeoutS * 1000, timer.signal).then(() => {
    throw new StepFailed(`nobody logged in within ${limits.loginTimeoutS} s`, undefined);
  });
  late.catch(() => {}); // it is told to stop waiting below
  const fields = await Promise.race([back.wait(), late]).finally(() => timer.abort());
  const issuer = metadata?.issuer;
  if (fields.iss !== undefined && issuer !== undefined && fields.iss !== issuer) {
    throw new StepFailed(`the browser came back from ${fields.iss}`, undefined);
  }
  if (fields.code) return fields.code;
  throw new StepFailed(`the login was refused (${fields.error ?? "no code"})`, fields.error);
}
