import type { Limits } from "../../lib/limits.ts";
import { VERSION } from "../../lib/version.ts";
import { RemoteError } from "./remote_error.ts";
import { readChallenge, type Tokens } from "./tokens.ts";

/** What requests are made with. */
export interface HttpOptions {
  /** The server's; nothing else of its host but what it names itself is asked, and no other host at all. */
  readonly address: URL;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where an access token comes from; undefined: none is used. */
  readonly tokens: Tokens | undefined;
  readonly fetch: typeof fetch;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: Pick<
    Limits,
    "maxRedirects" | "maxErrorBodyBytes" | "busyAttempts" | "reopenMaxMs"
  >;
}

/** One request to the server. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Of the server's own origin; its address unless given. */
  readonly address?: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Requests to one server, with its headers and its token. A redirect is followed within its origin alone. */
export class Http {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Where the server is. */
  get address(): URL {
    return this.#options.address;
  }

  /**
   * Sends a request and gives the answer, whatever its status but 401 and what is worth a login; a token
   * that was refused is replaced once, and a server that asks to wait is waited for.
   *
   * @throws {RemoteError} when nobody answers, the answer leads elsewhere, or a login is missing.
   */
  async send(request: HttpRequest): Promise<Response> {
    const { tokens } = this.#options;
    const token = await tokens?.current();
    const response = await this.#waitingFor(request, token);
    const challenge = readChallenge(response.headers);
    const isTooLittle = response.status === 403 && challenge.error === "insufficient_scope";
    if (response.status !== 401 && !isTooLittle) return response;
    if (tokens === undefined) throw await this.refusal(response);
    await response.body?.cancel();
    const next = await tokens.renew(token, challenge);
    const again = await this.#waitingFor(request, next);
    if (again.status !== 401) return again;
    await again.body?.cancel();
    throw new RemoteError(`${this.address.host} refused a new login too`, 401);
  }

  /** An answer that is no success, as an error with the beginning of what it says. Its body is used up. */
  async refusal(response: Response): Promise<RemoteError> {
    const { status } = response;
    const said = await beginning(response, this.#options.limits.maxErrorBodyBytes);
    const waitMs = askedToWait(response);
    const wait = waitMs === undefined ? "" : `, and asks to wait ${Math.ceil(waitMs / 1000)} s`;
    const text = `${this.address.host} answered ${status}${wait}${said === "" ? "" : `: ${said}`}`;
    return new RemoteError(text, status);
  }

  /** Sends a request, and again when the server is busy and says until when. */
  async #waitingFor(request: HttpRequest, token: string | undefined): Promise<Response> {
    const { limits, sleep } = this.#options;
    for (let attempts = 1;; attempts++) {
      const response = await this.#follow(request, token);
      const waitMs = askedToWait(response);
      if (waitMs === undefined || waitMs > limits.reopenMaxMs) return response;
      if (attempts > limits.busyAttempts) return response;
      await response.body?.cancel();
      await sleep(waitMs, request.signal);
    }
  }

  async #follow(request: HttpRequest, token: string | undefined): Promise<Response> {
    const { headers, limits } = this.#options;
    let address = request.address ?? this.address;
    for (let redirects = 0;; redirects++) {
      const response = await this.#fetch(address, {
        method: request.method,
        headers: {
          "user-agent": `skep/${VERSION}`,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
        redirect: "manual",
        signal: request.signal,
      });
      const location = response.headers.get("location");
      if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) {
        return response;
      }
      await response.body?.cancel();
      const next = URL.canParse(location, address.href) ? new URL(location, address.href) : null;
      // 303 and, by custom, 301 and 302 make another request of a POST, which would lose its message.
      const keepsMethod = request.method === "GET" || response.status >= 307;
      if (
        next?.origin !== this.address.origin || !keepsMethod || redirects >= limits.maxRedirects
      ) {
        const where = next === null ? "nowhere" : `to ${next.origin}${next.pathname}`;
        throw new RemoteError(
          `${this.address.host} redirects ${where}, which is not followed: if it moved there, change its url`,
          response.status,
        );
      }
      address = next;
    }
  }

  async #fetch(address: URL, init: RequestInit): Promise<Response> {
    try {
      return await this.#options.fetch(address, init);
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      const { cause: deeper } = cause as Error; // fetch() itself only says that it failed
      const why = deeper instanceof Error ? deeper.message : (cause as Error).message;
      throw new RemoteError(`${this.address.host} cannot be reached: ${why}`, undefined, { cause });
    }
  }
}

/**
 * How long a server that takes nothing now (429, 503) asks to wait, in ms; undefined when it does not say.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 */
function askedToWait({ status, headers }: Response): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (![429, 503].includes(status) || text === "") return undefined;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(waitMs, 0);
}

/** The beginning of an answer's body as one line. The rest is not read. */
async function beginning(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk.subarray(0, limit - bytes), { stream: true });
      bytes += chunk.length;
      if (bytes >= limit) break;
    }
  } catch {
    // A body that breaks off says as much as it did.
  }
  return text.replaceAll(/\s+/g, " ").trim();
}
