import { SkepError } from "../lib/errors.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { DEFAULT_LIMITS, type Limits } from "../lib/limits.ts";
import type { Gates } from "../lib/model/gate.ts";
import type { Message, ToolDefinition } from "../lib/model/message.ts";
import type { Model, ModelPart, ModelRequest } from "../lib/model/model.ts";
import { collectReply } from "../lib/model/reply.ts";
import { resolveModel } from "../lib/model/resolve.ts";
import type { ModelSettings } from "../lib/model/settings.ts";
import {
  FAKE_KEYS,
  type FakeProvider,
  type FakeReply,
  type FakeRequest,
  startFakeProvider,
} from "./fake_provider.ts";

/** A model that is asked in Anthropic's Messages. */
export const ANTHROPIC = "anthropic:claude-sonnet-4-5";
/** A model that is asked in Chat Completions. */
export const CHAT = "openai-compatible:llama3:8b";
/** A model that is asked in Responses. */
export const RESPONSES = "openai:gpt-5.5";
/** A model that is asked in Gemini's API. */
export const GOOGLE = "google:gemini-3.6-flash";
/** A model that is asked in Chat Completions as OpenRouter speaks them. */
export const OPENROUTER = "openrouter:anthropic/claude-sonnet-4.5";
/** A model that is asked in Bedrock's Converse. */
export const BEDROCK = "amazon-bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
/** One model of each dialect. */
export const DIALECTS = [ANTHROPIC, CHAT, RESPONSES, GOOGLE, OPENROUTER, BEDROCK];

/** The key that goes to the model's provider. */
export function keyOf(id: string): string {
  const keys: Record<string, string> = { ...FAKE_KEYS, "openai-compatible": FAKE_KEYS.openai };
  return keys[id.split(":")[0]!]!;
}

/** The bounds, with waits that a test can bear. */
export const LIMITS: Limits = { ...DEFAULT_LIMITS, modelRetryBaseMs: 1, modelRetryMaxMs: 2 };

const TOOL: ToolDefinition = {
  name: "s__t",
  description: "Does it.",
  inputSchema: { type: "object", properties: { a: { type: "integer" } } },
};

/** What the person says in {@linkcode REQUEST}. */
export const ASKED: Message = { role: "user", content: [{ type: "text", text: "go" }] };

/** A first request, with one tool. */
export const REQUEST: ModelRequest = {
  system: "Be brief.",
  messages: [ASKED],
  tools: [TOOL],
  maxOutputTokens: 1000,
};

/** A reply of one text. */
export const OK: FakeReply = { parts: [{ text: "fine" }] };

/**
 * A model at the fake provider. The inactivity timer is real; the waits between attempts are noted in
 * `waits` and not waited. `file` is the operator's `models.yaml`.
 */
export async function connect(
  id: string,
  fake: Pick<FakeProvider, "env">,
  limits: Partial<Limits> = {},
  { file, settings = {}, ...more }: {
    file?: string;
    gates?: Gates;
    settings?: Partial<ModelSettings>;
  } = {},
): Promise<{ model: Model; waits: number[] }> {
  const waits: number[] = [];
  const host = denoHost();
  const timeoutMs = (limits.modelTimeoutS ?? LIMITS.modelTimeoutS) * 1000;
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms === timeoutMs) return await host.sleep(ms, signal);
    signal?.throwIfAborted();
    waits.push(ms);
  };
  // The fake provider's host is none of OpenAI's, which alone is asked in Responses unasked.
  const api = id === RESPONSES ? "responses" : undefined;
  const env = (name: string) => fake.env[name] ?? (name === "OPENAI_COMPAT_API" ? api : undefined);
  const files = file === undefined ? host.files : {
    ...host.files,
    stat: () => Promise.resolve({ ...NO_FACTS, isFile: true }),
    readText: () => Promise.resolve(file),
  };
  const configFolder = file === undefined ? {} : { configFolder: "/c" };
  const world = {
    ...host,
    ...more,
    ...configFolder,
    files,
    env,
    sleep,
    random: () => 1,
    limits: { ...LIMITS, ...limits },
  };
  return { model: await resolveModel(id, world, settings), waits };
}

const NO_FACTS = { isDirectory: false, isSymlink: false, bytes: 0, mode: 0o600 };

/** What a request gave out, and what it failed with. */
export interface Outcome {
  readonly parts: ModelPart[];
  readonly error: SkepError | undefined;
}

/** Sends one request. */
export async function run(
  model: Model,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.stream(request, signal)) parts.push(part);
  } catch (error) {
    if (!(error instanceof SkepError)) throw error;
    return { parts, error };
  }
  return { parts, error: undefined };
}

/** Sends one request to a fake provider that answers with `replies`. */
export async function runWith(
  id: string,
  replies: readonly FakeReply[],
  limits: Partial<Limits> = {},
): Promise<Outcome & { requests: number; waits: number[] }> {
  await using fake = startFakeProvider(replies);
  const { model, waits } = await connect(id, fake, limits);
  return { ...await run(model), requests: fake.requests.length, waits };
}

/** The text of a reply. */
export function textOf(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("");
}

/** A picture. */
export const PIXEL = { type: "image", data: "iVBORw0KGgo=", mediaType: "image/png" } as const;

/** The results of a round: a text, an error, and a picture. */
const RESULTS: Message = {
  role: "tool",
  results: [
    { callId: "c_1", name: "s__t", isError: false, content: [{ type: "text", text: "one" }] },
    { callId: "c_2", name: "s__t", isError: true, content: [{ type: "text", text: "denied" }] },
    {
      callId: "c_3",
      name: "s__t",
      isError: false,
      content: [{ type: "text", text: "see" }, PIXEL],
    },
  ],
};

/** Two rounds: a reply with reasoning and calls, its results, and the second request, which it gives. */
export async function twoRounds(id: string): Promise<FakeRequest> {
  await using fake = startFakeProvider([{
    parts: [
      { reasoning: "I think.", signature: "SIG==" },
      { text: "Calling." },
      { call: "s__t", input: '{"a": 1}', id: "c_1", signature: "CALL==" },
      { call: "s__t", input: '{"a":', id: "c_2" },
      { call: "s__t", input: "", id: "c_3" },
    ],
  }, OK]);
  const { model } = await connect(id, fake);
  const { signal } = new AbortController();
  const { message } = await collectReply(model.stream(REQUEST, signal), model.id);
  const messages = [ASKED, message, RESULTS];
  const { error } = await run(model, { ...REQUEST, messages });
  if (error !== undefined) throw error;
  return fake.requests[1]!;
}
