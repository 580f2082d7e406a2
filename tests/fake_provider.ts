import { bedrockSteps, type FakeBytes } from "./fake_bedrock.ts";
import { type HttpAnswer, serveHttp } from "./fake_http.ts";
import { googleSteps, responsesSteps } from "./fake_provider_more.ts";
import { anthropicSteps, chatSteps, type FakeStep, type FakeStream } from "./fake_provider_sse.ts";

/** What the fake provider answers to one request. */
export type FakeReply =
  | FakeStream & {
    /** Splits the body into chunks of so many bytes, wherever an event or a character ends. */
    readonly chunkBytes?: number;
    /** Waits so long before each chunk. */
    readonly dripMs?: number;
    /** Who answers, when it is another than was asked. */
    readonly model?: string;
  }
  /** Any other answer than an event stream. */
  | {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  /** The connection is closed before any answer. */
  | "drop"
  /** Nothing is ever answered. */
  | "hang";

/** A request that the fake provider saw. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  // deno-lint-ignore no-explicit-any -- the tests look into it wherever they like
  readonly body: any;
  /** Settles when the answer is over: false when it did not get to its end. */
  readonly wasTaken: Promise<boolean>;
}

/**
 * A provider on loopback that speaks Anthropic's Messages, OpenAI's Chat Completions and Responses,
 * Gemini's API and Bedrock's Converse, at the paths of each provider that skep knows.
 */
export interface FakeProvider extends AsyncDisposable {
  /** Without a `/` at its end; Chat Completions are below `/v1`. */
  readonly url: string;
  /** The variables that send a program here, with a key for each provider. */
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly FakeRequest[];
  /** Adds replies to the queue. */
  push(...replies: FakeReply[]): void;
  /** Ends the server and every answer that is under way. */
  close(): Promise<void>;
}

/** The keys that {@linkcode FakeProvider.env} holds. */
export const FAKE_KEYS = {
  anthropic: "sk-ant-fake-0123456789",
  openai: "sk-fake-9876543210",
  openrouter: "sk-or-fake-1122334455",
  google: "AIza-fake-5544332211",
  azure: "azure-fake-6677889900",
  databricks: "dapi-fake-0099887766",
  "amazon-bedrock": "bedrock-fake-1029384756",
} as const;

const NO_REPLY: FakeReply = {
  status: 400,
  body: JSON.stringify({ error: { message: "the fake provider has no reply left" } }),
};

/**
 * Starts a fake provider. Each request takes the next reply of the queue, in whichever dialect its path
 * asks for; a request that finds none gets a 400 that says so. Or `replies` is asked for every request.
 * Without lists it knows none of models, and does not note who asks for one. Needs `--allow-net=127.0.0.1`.
 */
export function startFakeProvider(
  replies: readonly FakeReply[] | ((request: FakeRequest, index: number) => FakeReply) = [],
  { hasLists = true }: { readonly hasLists?: boolean } = {},
): FakeProvider {
  const requests: FakeRequest[] = [];
  const queue = typeof replies === "function" ? [] : [...replies];
  const next = typeof replies === "function" ? replies : () => queue.shift() ?? NO_REPLY;
  const server = serveHttp(async ({ method, path, headers, body }, answer) => {
    const taken = Promise.withResolvers<boolean>();
    const isJson = headers["content-type"]?.includes("json");
    const parsed = isJson ? JSON.parse(body) : body; // a login's form is a text
    const request = { method, path, headers, body: parsed, wasTaken: taken.promise };
    if (!hasLists && method === "GET") return await give({ status: 404 }, request, answer);
    const index = requests.push(request) - 1;
    try {
      await give(next(request, index), request, answer);
    } finally {
      taken.resolve(answer.isFinished);
    }
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: FAKE_KEYS.anthropic,
      OPENAI_COMPAT_BASE_URL: `${url}/v1`,
      OPENAI_COMPAT_API_KEY: FAKE_KEYS.openai,
      OPENROUTER_BASE_URL: `${url}/api/v1`,
      OPENROUTER_API_KEY: FAKE_KEYS.openrouter,
      GEMINI_BASE_URL: `${url}/v1beta`,
      GEMINI_API_KEY: FAKE_KEYS.google,
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_OPENAI_API_KEY: FAKE_KEYS.azure,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
      AWS_BEARER_TOKEN_BEDROCK: FAKE_KEYS["amazon-bedrock"],
      AWS_REGION: "eu-test-1",
      DATABRICKS_HOST: url,
      DATABRICKS_TOKEN: FAKE_KEYS.databricks,
    },
    requests,
    push: (...more) => void queue.push(...more),
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}

async function give(reply: FakeReply, request: FakeRequest, answer: HttpAnswer): Promise<void> {
  if (reply === "drop") return;
  if (reply === "hang") return await wait(NEVER_MS, answer.gone);
  if ("status" in reply) {
    await answer.start(reply.status, { "content-type": "application/json", ...reply.headers });
    if (reply.body) await answer.chunk(new TextEncoder().encode(reply.body));
    return await answer.finish();
  }
  const steps = stepsOf(request, reply);
  if (steps === undefined) {
    await answer.start(404, {});
    return await answer.finish();
  }
  const isBinary = request.path.endsWith("/converse-stream");
  const type = isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream";
  await answer.start(200, { "content-type": type });
  if (await stream(steps, reply, answer) === "properly") await answer.finish();
}

function stepsOf(
  { path, body }: FakeRequest,
  reply: FakeStream & { model?: string },
): Iterable<FakeStep | FakeBytes> | undefined {
  if (path.endsWith("/converse-stream")) return bedrockSteps(reply);
  const gemini = /^\/v1beta\/models\/([^:]+):streamGenerateContent\?alt=sse$/.exec(path);
  const model = reply.model ?? gemini?.[1] ?? body?.model;
  if (gemini !== null) return googleSteps(reply, model);
  if (path.endsWith("/messages")) return anthropicSteps(reply, model);
  if (path.endsWith("/responses")) return responsesSteps(reply, model);
  // Databricks tells the usage unasked.
  const isDatabricks = /\/invocations$|\/mlflow\//.test(path);
  if (!path.endsWith("/chat/completions") && !isDatabricks) return undefined;
  return chatSteps(reply, model, isDatabricks || body.stream_options?.include_usage === true);
}

async function stream(
  steps: Iterable<FakeStep | FakeBytes>,
  { chunkBytes = Infinity, dripMs = 0 }: { chunkBytes?: number; dripMs?: number },
  { gone, chunk }: HttpAnswer,
): Promise<"properly" | "broken"> {
  for (const step of steps) {
    if ("end" in step) return step.end;
    if ("waitMs" in step) await wait(step.waitMs, gone);
    const text = "send" in step ? step.send : "";
    const bytes = "bytes" in step ? step.bytes : new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length && !gone.aborted; at += chunkBytes) {
      if (dripMs > 0) await wait(dripMs, gone);
      await chunk(bytes.subarray(at, at + chunkBytes));
    }
    if (gone.aborted) return "broken";
  }
  return "properly";
}

const NEVER_MS = 2 ** 31 - 1;

/** Waits, or not longer than until `gone`. */
function wait(ms: number, gone: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (gone.aborted) resolve();
  const timer = setTimeout(resolve, ms);
  gone.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
