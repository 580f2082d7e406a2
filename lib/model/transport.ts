import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { withCredentials } from "./credentials.ts";
import { parseErrorBody } from "./error_body.ts";
import { connectionError, type FailureContext, providerError } from "./provider_failure.ts";

/** The `fetch` that a provider's package is given. */
export type ProviderFetch = (
  url: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** What sending takes. */
export interface TransportWorld extends Pick<Host, "fetch" | "sleep"> {
  readonly limits: Pick<Limits, "modelTimeoutS" | "maxModelResponseBytes" | "maxModelErrorBytes">;
}

type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Types of a body that holds no events: a proxy's page, or a server that does not stream. */
const NO_EVENTS = /^(text\/html|application\/json)\b/i;

/**
 * A `fetch` that answers with an event stream, or with JSON where that is wanted, or throws a typed
 * error. It keeps two bounds: no byte for `modelTimeoutS` fails the request, at any point of it; a body over `maxModelResponseBytes` fails, and
 * with the body every event in it is bounded. Redirects are not followed: the key would go along.
 *
 * @param keys `bare` for the requests by which credentials are got.
 * @throws {SkepError} `PROVIDER_FAILED`, `PROVIDER_AUTH_FAILED`, `PROVIDER_MODEL_NOT_FOUND` or
 * `CONTEXT_TOO_LONG`, from the call or from the body's stream. After an abort: whatever comes.
 */
export function providerFetch(
  context: FailureContext,
  world: TransportWorld,
  wanted: "events" | "json" = "events",
  keys: "with_credentials" | "bare" = "with_credentials",
): ProviderFetch {
  const { key } = context.endpoint;
  const credentials = keys === "bare" ? undefined : context.endpoint.credentials;
  const send = sender(context, world, wanted);
  return credentials === undefined ? send : withCredentials(send, credentials, key ?? "");
}

function sender(
  context: FailureContext,
  world: TransportWorld,
  wanted: "events" | "json",
): ProviderFetch {
  return async (url, init = {}) => {
    const stop = new AbortController();
    const { signal: given } = init;
    const forward = () => stop.abort(given?.reason);
    if (given?.aborted) forward();
    given?.addEventListener("abort", forward, { signal: stop.signal });
    const request = new Request(url, { ...init, redirect: "manual", signal: stop.signal });
    const patience = new Patience(context, world, stop);
    const response = await patience.wait(world.fetch(request)).catch((error) => {
      throw asConnectionError(context, `cannot be reached at ${context.endpoint.baseUrl}`, error);
    });
    if (!response.ok) throw await refusal(context, world, response, patience);
    await checkForm(context, world, response, patience, wanted);
    return new Response(response.body && bounded(response.body, context, world, patience), {
      status: response.status,
      headers: response.headers,
    });
  };
}

/** Refuses an answer that is no event stream, or is announced as longer than the bound. */
async function checkForm(
  context: FailureContext,
  world: TransportWorld,
  response: Response,
  patience: Patience,
  wanted: "events" | "json",
): Promise<void> {
  const { headers } = response;
  if (Number(headers.get("content-length") ?? 0) > world.limits.maxModelResponseBytes) {
    await response.body?.cancel();
    throw tooLong(context, world);
  }
  const type = headers.get("content-type") ?? "";
  if (wanted === "json" ? !/html/i.test(type) : !NO_EVENTS.test(type)) return;
  const body = await startOf(response, world.limits.maxModelErrorBytes, patience);
  const said = /html/i.test(type) ? "check its base URL" : parseErrorBody(body).message;
  const what = `answered with ${type}, not with ${
    wanted === "json" ? "JSON" : "an event stream"
  }: ${said}`;
  throw connectionError(context, what, { isTransient: false, reason: "unreadable" });
}

/** Waits for the next bytes, not longer than the bound; past it the request is stopped. */
class Patience {
  constructor(
    readonly context: FailureContext,
    readonly world: TransportWorld,
    readonly stop: AbortController,
  ) {}

  /**
   * A reader of a body that is given up once the request is stopped. The signal of a `Request` alone
   * does not see to it: Deno 2.9 collects that request, and with it the signal, while its body is read.
   */
  reader(body: BodyStream): ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    const leave = () => void reader.cancel().catch(() => {}); // a broken body is closed already
    if (this.stop.signal.aborted) leave();
    else this.stop.signal.addEventListener("abort", leave);
    return reader;
  }

  /** Lets go of the caller's signal: nothing more is awaited. */
  end(): void {
    this.stop.abort();
  }

  async wait<T>(pending: Promise<T>): Promise<T> {
    const { modelTimeoutS } = this.world.limits;
    const timer = new AbortController();
    const late = this.world.sleep(modelTimeoutS * 1000, timer.signal).then(() => {
      const error = connectionError(this.context, `sent nothing for ${modelTimeoutS} s`, {
        reason: "timeout",
      });
      this.stop.abort(error);
      throw error;
    });
    try {
      const value = await Promise.race([pending, late]);
      this.stop.signal.throwIfAborted();
      return value;
    } finally {
      timer.abort();
    }
  }
}

/** The error of an answer that is none of 2xx, after reading the start of its body. */
async function refusal(
  context: FailureContext,
  world: TransportWorld,
  response: Response,
  patience: Patience,
): Promise<Error> {
  const { status, headers } = response;
  const body = await startOf(response, world.limits.maxModelErrorBytes, patience);
  if (status < 400) {
    const target = headers.get("location") ?? "nowhere";
    const message = `it redirects to ${target}, which is not followed. Check its base URL`;
    return providerError(context, { status, message });
  }
  const said = parseErrorBody(body);
  return providerError(context, {
    ...said,
    status,
    headers,
    message: said.message || response.statusText,
  });
}

/** The first bytes of a body as text. A body that breaks off has said what came before. */
async function startOf(response: Response, most: number, patience: Patience): Promise<string> {
  const reader = response.body ? patience.reader(response.body) : undefined;
  let text = "";
  try {
    const decoder = new TextDecoder();
    for (let left = most; reader !== undefined && left > 0;) {
      const { done, value } = await patience.wait(reader.read());
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  } catch {
    // The status is known and is what counts; of the reason there is no more.
  }
  patience.end();
  return text;
}

function bounded(
  body: BodyStream,
  context: FailureContext,
  world: TransportWorld,
  patience: Patience,
): BodyStream {
  const reader = patience.reader(body);
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await patience.wait(reader.read()).catch((error) => {
        throw asConnectionError(context, "broke off its reply", error);
      });
      if (done) {
        patience.end();
        return controller.close();
      }
      bytes += value.length;
      if (bytes > world.limits.maxModelResponseBytes) {
        patience.end();
        throw tooLong(context, world);
      }
      controller.enqueue(value);
    },
    cancel: () => patience.end(),
  });
}

/** A failure of the network; one of our own errors stays what it is. */
function asConnectionError(context: FailureContext, what: string, error: unknown): unknown {
  if (error instanceof SkepError) return error;
  // The platform tells failures of the network by TypeError; a denied permission is another class.
  const isTransient = error instanceof TypeError;
  return connectionError(context, `${what}: ${reasonOf(error)}`, { cause: error, isTransient });
}

/** The innermost cause, without the platform's preamble, which repeats the address. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return reasonOf(error.cause);
  return messageOf(error).replace(/^error sending request .*client error \(\w+\): /, "");
}

function tooLong(context: FailureContext, world: TransportWorld): Error {
  const what = `sent more than ${world.limits.maxModelResponseBytes} bytes in one reply`;
  return connectionError(context, what, { isTransient: false, reason: "unreadable" });
}
