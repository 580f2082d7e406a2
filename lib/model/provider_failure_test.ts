import { assertEquals, assertStringIncludes } from "@std/assert";
import type { SkepError } from "../errors.ts";
import {
  connectionError,
  type Failure,
  type FailureContext,
  providerError,
} from "./provider_failure.ts";

const CONTEXT: FailureContext = {
  endpoint: {
    provider: "acme",
    baseUrl: "https://api.acme.test/v1",
    key: "k-s3cret",
    keyVariable: "ACME_KEY",
  },
  model: "m-1",
  limits: { maxModelErrorBytes: 100, maxRetryAfterS: 60 },
  nowMs: () => 0,
};

function errorFor(failure: Partial<Failure>): SkepError {
  return providerError(CONTEXT, { message: "so it is", ...failure });
}

/** Code and, for a failure, whether it is transient. */
function kindOf(failure: Partial<Failure>): [string, boolean?] {
  const { code, details } = errorFor(failure);
  return "isTransient" in details ? [code, details.isTransient] : [code];
}

Deno.test("providerError() tells credentials, model and other failures apart by status", () => {
  assertEquals(kindOf({ status: 401 }), ["PROVIDER_AUTH_FAILED"]);
  assertEquals(kindOf({ status: 403 }), ["PROVIDER_AUTH_FAILED"]);
  assertEquals(kindOf({ status: 404 }), ["PROVIDER_MODEL_NOT_FOUND"]);
  for (const status of [400, 402, 405, 413, 422, 302]) {
    assertEquals(kindOf({ status }), ["PROVIDER_FAILED", false]);
  }
});

Deno.test("providerError() holds 429, 499, 529 and all of 5xx for transient", () => {
  for (const status of [429, 499, 500, 502, 503, 504, 529, 599]) {
    assertEquals(kindOf({ status }), ["PROVIDER_FAILED", true]);
  }
});

Deno.test("providerError() does not hold a quota that is used up for transient", () => {
  const kind = "insufficient_quota insufficient_quota";
  assertEquals(kindOf({ status: 429, kind }), ["PROVIDER_FAILED", false]);
});

Deno.test("providerError() goes by the provider's own word where there is no status", () => {
  assertEquals(kindOf({ kind: "overloaded_error" }), ["PROVIDER_FAILED", true]);
  assertEquals(kindOf({ kind: "server_error" }), ["PROVIDER_FAILED", true]);
  assertEquals(kindOf({ kind: "invalid_request_error" }), ["PROVIDER_FAILED", false]);
  assertEquals(kindOf({}), ["PROVIDER_FAILED", false]);
  assertEquals(kindOf({ kind: "context_length_exceeded" }), ["CONTEXT_TOO_LONG"]);
});

Deno.test("providerError() knows how providers say that the context is too long", () => {
  const messages = [
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 32768 > 200000",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000",
    "Your input exceeds the context window of this model",
    "the request exceeds the available context size",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Please reduce the length of the messages or completion.",
  ];
  for (const message of messages) {
    assertEquals(kindOf({ status: 400, message }), ["CONTEXT_TOO_LONG"]);
  }
});

Deno.test("providerError() does not take a rate limit for a context that is too long (T106)", () => {
  assertEquals(kindOf({ status: 429, message: "too many tokens per minute" }), [
    "PROVIDER_FAILED",
    true,
  ]);
  assertEquals(kindOf({ status: 429, message: "maximum context length" }), [
    "PROVIDER_FAILED",
    true,
  ]);
  assertEquals(
    kindOf({ status: 413, message: "Request: too many tokens per minute (TPM): Limit 6000" }),
    ["PROVIDER_FAILED", false],
  );
});

Deno.test("providerError() carries the status, and the wait that the provider asks for", () => {
  const headers = new Headers({ "retry-after": "7" });
  assertEquals(errorFor({ status: 429, headers }).details, {
    provider: "acme",
    reason: "rate_limited",
    status: 429,
    isTransient: true,
    retryAfterMs: 7_000,
  });
});

Deno.test("providerError() fails at once, and says so, when the wait is past its bound", () => {
  const asking = (seconds: string) =>
    errorFor({ status: 429, headers: new Headers({ "retry-after": seconds }) });
  assertEquals(kindOf({ status: 429, headers: new Headers({ "retry-after": "60" }) }), [
    "PROVIDER_FAILED",
    true,
  ]);
  const error = asking("61");
  assertEquals(error.details, {
    provider: "acme",
    reason: "rate_limited",
    status: 429,
    isTransient: false,
    retryAfterMs: 61_000,
  });
  assertEquals(
    asking("86400").message,
    "acme:m-1 failed (429): so it is. It asks to be left alone for 86,400 s, which is 24 h, " +
      "longer than the 60 s that are waited at most (SKEP_MAX_RETRY_AFTER_S)",
  );
});

Deno.test("providerError() takes a wait from the body where no header has one", () => {
  const wait = (headers: Headers) => {
    const { details } = errorFor({ status: 429, headers, retryAfterMs: 34_000 });
    return "retryAfterMs" in details ? details.retryAfterMs : undefined;
  };
  assertEquals(wait(new Headers()), 34_000);
  assertEquals(wait(new Headers({ "retry-after": "7" })), 7_000);
});

Deno.test("providerError() names what a person can look at", () => {
  const messages = [400, 401, 404].map((status) => errorFor({ status }).message);
  assertEquals(messages, [
    "acme:m-1 failed (400): so it is",
    "acme refused the key in ACME_KEY (401): so it is",
    'https://api.acme.test/v1 does not know the model "m-1" (404): so it is',
  ]);
});

Deno.test("providerError() shows foreign text on one line, without controls", () => {
  const message = "bad\r\n\x1b[31mthing\u202e here.\n";
  assertEquals(
    errorFor({ status: 400, message }).message,
    "acme:m-1 failed (400): bad [31mthing  here",
  );
});

Deno.test("providerError() shows foreign text up to its limit", () => {
  const said = (length: number) => errorFor({ status: 400, message: "x".repeat(length) }).message;
  assertEquals(said(100), `acme:m-1 failed (400): ${"x".repeat(100)}`);
  assertEquals(said(101), `acme:m-1 failed (400): ${"x".repeat(100)}…`);
});

Deno.test("providerError() and connectionError() never show the key", () => {
  for (const status of [400, 401, 404, 500]) {
    const { message } = errorFor({ status, message: "k-s3cret is not k-s3cret!" });
    assertStringIncludes(message, "[key] is not [key]!");
    assertEquals(message.includes("s3cret"), false);
  }
  assertEquals(
    connectionError(CONTEXT, "cannot be reached: k-s3cret").message,
    "acme:m-1 cannot be reached: [key]",
  );
});

Deno.test("connectionError() is transient unless it is said not to be, and keeps its cause", () => {
  const cause = new Error("reset");
  const error = connectionError(CONTEXT, "broke off", { cause });
  assertEquals(error.details, { provider: "acme", reason: "transport", isTransient: true });
  assertEquals(error.cause, cause);
  const { details } = connectionError(CONTEXT, "is too long", { isTransient: false });
  assertEquals(details, { provider: "acme", reason: "transport", isTransient: false });
});

Deno.test("providerError() says why it failed, as far as that is known", () => {
  const reasons: [Partial<Failure>, string | undefined][] = [
    [{ status: 429 }, "rate_limited"],
    [{ kind: "rate_limit_error" }, "rate_limited"],
    [{ status: 429, kind: "insufficient_quota" }, "quota"],
    [{ status: 402 }, "quota"],
    [{ status: 529 }, "overloaded"],
    [{ kind: "overloaded_error" }, "overloaded"],
    [{ status: 400, kind: "content_filter" }, "content_filter"],
    [{ status: 400 }, "bad_request"],
    [{ status: 302 }, undefined],
    [{}, undefined],
  ];
  for (const [failure, reason] of reasons) {
    const { details } = errorFor(failure);
    assertEquals([failure, "reason" in details ? details.reason : undefined], [failure, reason]);
  }
});

Deno.test("providerError() knows how providers say that a model takes no images", () => {
  const messages: [number, string][] = [
    [404, "No endpoints found that support image input"],
    [400, "meta-llama/Llama-3 is not a multimodal model"],
    [500, "image input is not supported - hint: you may need to provide the mmproj"],
    [400, "Invalid content type. image_url is only supported by certain models."],
    [400, "This model does not support image inputs"],
    [422, "model doesn't support vision"],
  ];
  for (const [status, message] of messages) {
    const { code, details } = errorFor({ status, message });
    assertEquals([message, code, details as unknown], [message, "PROVIDER_FAILED", {
      provider: "acme",
      reason: "images_refused",
      isTransient: false,
      status,
    }]);
  }
  assertEquals(kindOf({ status: 400, message: "the image is too large" }), [
    "PROVIDER_FAILED",
    false,
  ]);
  assertEquals(errorFor({ status: 400, message: "the image is too large" }).details as unknown, {
    provider: "acme",
    reason: "bad_request",
    isTransient: false,
    status: 400,
  });
});

Deno.test("providerError() explains a 404 that is no unknown model, and a credit that is used up", () => {
  const routing = "No endpoints found that can handle the requested parameters.";
  const error = errorFor({ status: 404, message: routing });
  assertEquals(error.code, "PROVIDER_FAILED");
  assertStringIncludes(error.message, "none of its hosts takes all that this request asks for");
  const hosts = "There is no available model provider that meets your routing requirements";
  assertStringIncludes(errorFor({ status: 503, message: hosts }).message, "takes all that this");
  assertStringIncludes(errorFor({ status: 402 }).message, "credit at the provider is used up");
});

Deno.test("providerError() takes for the key's refusal what the provider means so", () => {
  const openRouter = { ...CONTEXT, keyStatuses: [401] };
  const code = (status: number) => providerError(openRouter, { status, message: "no" }).code;
  assertEquals([code(401), code(403)], ["PROVIDER_AUTH_FAILED", "PROVIDER_FAILED"]);
  const message = "API key not valid. Please pass a valid API key.";
  assertEquals(kindOf({ status: 400, message }), ["PROVIDER_AUTH_FAILED"]);
});
