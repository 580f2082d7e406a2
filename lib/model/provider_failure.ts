import { type ProviderFailureReason, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { LIMITS, type Limits } from "../limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { formatModelId } from "./model_id.ts";
import { retryAfterMs, waitInWords } from "./retry_after.ts";

/** Whose failures they are, and what must not be said about them. */
export interface FailureContext {
  readonly endpoint: Endpoint;
  /** As the provider knows it. */
  readonly model: string;
  readonly limits: Pick<Limits, "maxModelErrorBytes" | "maxRetryAfterS">;
  readonly nowMs: Host["nowMs"];
  /** Statuses that speak against the key; 401 and 403 unless given. */
  readonly keyStatuses?: readonly number[];
}

/** What a provider said went wrong. */
export interface Failure {
  /** The HTTP status, or the one that the provider's own code stands for. */
  readonly status?: number;
  readonly message: string;
  /** The provider's own words for the kind of error, such as `overloaded_error`. */
  readonly kind?: string;
  readonly headers?: Headers;
  /** The wait that its body asks for; one in a header counts before it. */
  readonly retryAfterMs?: number;
}

/** Statuses that say nothing against sending the same request again. 529 is Anthropic's "overloaded". */
const isTransientStatus = (status: number) =>
  status === 429 || status === 499 || (status >= 500 && status <= 599);

const TRANSIENT_KIND = /overloaded|rate_limit|server_error|api_error|timeout|unavailable/i;

/** A quota is used up until somebody pays: waiting does not help, whatever the status. */
const FINAL_KIND = /insufficient_quota|billing/i;

/** How providers say that the model takes no images. */
const IMAGES_TEXT =
  /support(s|ed)? image input|not a multimodal model|(not|n't) support (\w+ )?(image|vision|multimodal)|image(s|_url)?( inputs?| content)? (is|are) (not|only) supported|image_url is only supported|unsupported (content type|image)\W+image/i;

/** How Gemini refuses a key, with a 400. */
const KEY_TEXT = /api key (is )?(not valid|expired|invalid)/i;

/** How OpenRouter says, with a 404 or a 503, that no host of the model takes what the request asks for. */
const ROUTING_TEXT =
  /no endpoints found that can handle the requested parameters|no available model provider that meets your routing requirements/i;

const FILTER_TEXT = /content[ _-]?(filter|policy|management)|responsibleai|safety/i;

/** How providers say that the request does not fit the model's context. */
const CONTEXT_TEXT =
  /context[ _](length|window|limit|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|token count .* exceeds|reduce the length/i;

/** Rates are counted in tokens as well, and say so in much the same words. */
const RATE_TEXT = /rate.?limit|per[ -](second|minute|min\b|hour|day)|\btp[md]\b|quota/i;

/** The error for what a provider said, its code chosen by the cause. */
export function providerError(context: FailureContext, failure: Failure): SkepError {
  const { endpoint: { provider, key, keyVariable, baseUrl }, model } = context;
  const { status, kind = "" } = failure;
  const id = formatModelId({ provider, model });
  const answered = status === undefined ? "" : ` (${status})`;
  const said = quote(context, failure.message || kind || "no reason was given");
  const { keyStatuses = [401, 403] } = context;
  const isKeyRefused = status !== undefined &&
    (keyStatuses.includes(status) || (status === 400 && KEY_TEXT.test(failure.message)));
  if (isKeyRefused) {
    const did = key === undefined ? "wants a key in" : "refused the key in";
    const message = `${provider} ${did} ${keyVariable}${answered}: ${said}`;
    return new SkepError("PROVIDER_AUTH_FAILED", message, { provider, status });
  }
  const reason = reasonOf(failure);
  const isAboutModel = reason !== "images_refused" && !ROUTING_TEXT.test(failure.message);
  if (status === 404 && isAboutModel) {
    const message = `${baseUrl} does not know the model "${model}"${answered}: ${said}`;
    return new SkepError("PROVIDER_MODEL_NOT_FOUND", message, { provider, model });
  }
  if (isContextOverflow(failure)) {
    const message = `The request does not fit the context of ${id}${answered}: ${said}`;
    return new SkepError("CONTEXT_TOO_LONG", message, { provider });
  }
  const wait = retryAfterMs(failure.headers, context.nowMs) ?? failure.retryAfterMs;
  const isTooLong = wait !== undefined && wait > context.limits.maxRetryAfterS * 1000;
  const isTransient = !isTooLong && reason !== "quota" && reason !== "images_refused" &&
    (status === undefined ? TRANSIENT_KIND.test(kind) : isTransientStatus(status));
  const more = isTooLong ? refusedWait(wait, context) : hint(failure);
  return new SkepError("PROVIDER_FAILED", `${id} failed${answered}: ${said}${more}`, {
    provider,
    ...(reason === undefined ? {} : { reason }),
    isTransient,
    ...(status === undefined ? {} : { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

/** The error for a connection that failed, stalled or broke: the same request may work the next time. */
export function connectionError(
  context: FailureContext,
  what: string,
  options: ErrorOptions & { isTransient?: boolean; reason?: ProviderFailureReason } = {},
): SkepError {
  const { endpoint: { provider }, model } = context;
  const { isTransient = true, reason = "transport", ...rest } = options;
  const message = `${formatModelId({ provider, model })} ${quote(context, what)}`;
  return new SkepError("PROVIDER_FAILED", message, { provider, reason, isTransient }, rest);
}

function reasonOf({ status, message, kind = "" }: Failure): ProviderFailureReason | undefined {
  if (IMAGES_TEXT.test(message) && (status === undefined || (status !== 429 && status <= 500))) {
    return "images_refused";
  }
  if (FINAL_KIND.test(kind) || status === 402) return "quota";
  if (status === 429 || /rate_limit/i.test(kind)) return "rate_limited";
  if (FILTER_TEXT.test(kind) && status !== undefined && status < 500) return "content_filter";
  if (status === undefined) return TRANSIENT_KIND.test(kind) ? "overloaded" : undefined;
  if (isTransientStatus(status)) return "overloaded";
  return status >= 400 && status < 500 ? "bad_request" : undefined;
}

/** That a wait is longer than any that is waited, and what moves that bound. */
function refusedWait(ms: number, { limits }: Pick<FailureContext, "limits">): string {
  const [variable] = LIMITS.maxRetryAfterS.override;
  return `. It asks to be left alone for ${waitInWords(ms)}, longer than the ` +
    `${limits.maxRetryAfterS} s that are waited at most (${variable})`;
}

/** What a person can do, where the provider's own words do not say. */
function hint({ status, message }: Failure): string {
  if (status === 402) return ". The credit at the provider is used up";
  if (!ROUTING_TEXT.test(message)) return "";
  return ". The model is known, but none of its hosts takes all that this request asks for, such as tools";
}

function isContextOverflow({ status = 400, message, kind = "" }: Failure): boolean {
  if (status < 400 || status >= 500 || status === 429) return false;
  const text = `${kind} ${message}`;
  return CONTEXT_TEXT.test(text) && !RATE_TEXT.test(text);
}

/** Foreign text as it may be shown: one line, bounded, without the key. */
function quote({ endpoint: { key, credentials }, limits }: FailureContext, text: string): string {
  const secrets = [...(key === undefined ? [] : [key]), ...credentials?.known() ?? []];
  const safe = secrets.reduce((said, secret) => said.replaceAll(secret, "[key]"), text);
  const line = safe.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim().replace(/\.$/, "");
  const most = limits.maxModelErrorBytes;
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
