import { BrowserReturn } from "../host/browser_return.ts";
import type { ModelWorld } from "./world.ts";

/** A server's endpoints for a login. */
export interface LoginPlace {
  readonly authorizationEndpoint: string;
  readonly clientId: string;
  readonly scopes: string;
}

/** What a login in the browser gave: the code, and what proves that it is ours. */
export interface LoginCode {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** What a login takes. */
export type LoginWorld = Pick<ModelWorld, "sleep" | "warn" | "limits">;

/**
 * Has a person log in: shows the page's address, and waits on loopback for the browser to come back.
 * Code and PKCE (S256) with a state of our own.
 *
 * @throws {Error} when nobody comes within `loginTimeoutS`, or the server refuses the login.
 * @see https://www.rfc-editor.org/rfc/rfc7636
 */
export async function logIn(place: LoginPlace, world: LoginWorld): Promise<LoginCode> {
  if (world.warn === undefined) throw new Error("nobody is there to log in");
  const verifier = randomText(48);
  const state = randomText(16);
  await using back = await BrowserReturn.open(state);
  const redirectUri = `http://localhost:${back.port}`;
  const timer = new AbortController();
  const { loginTimeoutS } = world.limits;
  try {
    const challenge = base64Url(await sha256(verifier));
    world.warn(`Log in with your browser: ${addressOf(place, { redirectUri, state, challenge })}`);
    const late = world.sleep(loginTimeoutS * 1000, timer.signal).then(() => {
      throw new Error(`nobody logged in within ${loginTimeoutS} s`);
    });
    late.catch(() => {}); // it is told to stop waiting below
    const { code } = await Promise.race([back.wait(), late]);
    if (!code) throw new Error("the login was refused");
    return { code, verifier, redirectUri };
  } finally {
    timer.abort();
  }
}

function addressOf(
  { authorizationEndpoint, clientId, scopes }: LoginPlace,
  { redirectUri, state, challenge }: { redirectUri: string; state: string; challenge: string },
): string {
  const url = new URL(authorizationEndpoint);
  const fields = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** The SHA-256 of a text. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Bytes in base64 as URLs take it. */
export function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function randomText(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
