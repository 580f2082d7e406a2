import { type HostLink, Refused } from "./host_link.ts";
import { RemoteError } from "./remote_error.ts";

/** What a server says it wants when it refuses a request. @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
export interface Challenge {
  /** Where it says who gives tokens for it. */
  readonly resourceMetadata?: string;
  /** What a token must allow. */
  readonly scope?: string;
  /** `insufficient_scope`: the token is right and allows too little. */
  readonly error?: string;
}

/** A request of the bridge's to the runtime, which keeps the tokens. */
export const TOKEN_METHOD = "skep/token";

/** The challenge in an answer's `WWW-Authenticate`. */
export function readChallenge(headers: Headers): Challenge {
  const text = headers.get("www-authenticate") ?? "";
  const field = (name: string): string | undefined => {
    const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, "i").exec(
      text,
    );
    return found?.[1] ?? found?.[2];
  };
  const [resourceMetadata, scope, error] = ["resource_metadata", "scope", "error"].map(field);
  return {
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The access token of a bridge's server. It is asked for when it is needed, and kept in memory alone. */
export class Tokens {
  readonly #link: HostLink;
  #token: Promise<string | undefined> | undefined;

  constructor(link: HostLink) {
    this.#link = link;
  }

  /** The token to send; undefined when there is none. */
  current(): Promise<string | undefined> {
    return this.#token ??= this.#ask({});
  }

  /**
   * A token in place of one that the server refused, or of none.
   *
   * @throws {RemoteError} when there is no other: its message says what to do.
   */
  async renew(refused: string | undefined, challenge: Challenge): Promise<string> {
    const known = this.#token;
    const token = await known;
    // Another request may have asked for a new one meanwhile.
    if (this.#token === known && token === refused) {
      {
        this.#token = this.#ask({ refused: refused ?? null, ...challenge });
      }
    }
    const next = await this.#token;
    if (next !== undefined && next !== refused) return next;
    throw new RemoteError("The server wants a login, and there is none", 401);
  }

  async #ask(params: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    try {
      const { token } = await this.#link.ask(TOKEN_METHOD, params);
      return typeof token === "string" && token !== "" ? token : undefined;
    } catch (error) {
      if (!("refused" in params)) return undefined; // a host that keeps no tokens
      this.#token = undefined; // somebody may log in until the next request
      if (!(error instanceof Refused)) throw error;
      throw new RemoteError(error.message || "The server wants a login", 401);
    }
  }
}
