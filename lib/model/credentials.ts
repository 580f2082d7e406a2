import { isSkepError } from "../errors.ts";
import type { ProviderFetch } from "./transport.ts";

/** A key that may change while the program runs. */
export interface Credentials {
  /** The key for the next request. @throws {SkepError} `PROVIDER_AUTH_FAILED`, `CONFIG_INVALID`. */
  current(): Promise<string>;
  /** Another key after that one was refused; the same one when there is no other. @throws as `current`. */
  renew(rejected: string): Promise<string>;
  /** Every key that was given out: none is ever to be shown. */
  known(): readonly string[];
}

/** What a provider's package is given as its key where {@linkcode Credentials} give the real one. */
export const STAND_IN_KEY = "skep-stand-in-key";

/**
 * A `fetch` that puts the current key in place of the stand-in. A key that is refused is renewed, and the
 * request sent again, once a call, and not with the same key.
 */
export function withCredentials(
  send: ProviderFetch,
  credentials: Credentials,
  standIn: string,
): ProviderFetch {
  return async (url, init = {}) => {
    const sendWith = (key: string) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of [...headers]) headers.set(name, value.replaceAll(standIn, key));
      return send(url, { ...init, headers });
    };
    const key = await unlessAborted(credentials.current(), init.signal);
    try {
      return await sendWith(key);
    } catch (error) {
      if (!isSkepError(error, "PROVIDER_AUTH_FAILED")) throw error;
      const other = await unlessAborted(credentials.renew(key), init.signal);
      if (other === key) throw error;
      return await sendWith(other);
    }
  };
}

/** A login may wait for a person: whoever asked can go before they come. */
async function unlessAborted<T>(
  pending: Promise<T>,
  signal: AbortSignal | null | undefined,
): Promise<T> {
  if (!signal) return await pending;
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason);
  pending.catch(() => {}); // it may fail after nobody waits for it any more
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
