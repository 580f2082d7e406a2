// Whatever a provider sends, a reply ends in a stop or in an error of ours, and shows no call without a
// stop. Needs what the AI SDK's packages ask for when they are loaded: --allow-env --allow-sys=hostname.
import { assert, assertEquals } from "@std/assert";
import { denoHost } from "../lib/host/deno_host.ts";
import type { ModelPart } from "../lib/model/model.ts";
import { resolveModel } from "../lib/model/resolve.ts";
import { bedrockSteps } from "./fake_bedrock.ts";
import { googleSteps, responsesSteps } from "./fake_provider_more.ts";
import { anthropicSteps, chatSteps, type FakeStream } from "./fake_provider_sse.ts";
import {
  ANTHROPIC,
  BEDROCK,
  CHAT,
  GOOGLE,
  LIMITS,
  OPENROUTER,
  REQUEST,
  RESPONSES,
  run,
} from "./model_harness.ts";

const REPLY: FakeStream = {
  parts: [
    { reasoning: "I think.", signature: "SIG==" },
    { text: "Calling." },
    { call: "s__t", input: '{"a":1}', id: "c_1", signature: "S" },
    { call: "s__t", input: '{"a":2}', id: "c_2" },
  ],
  usage: { input: 10, output: 5, cached: 2, reasoning: 1 },
};

const BODIES: Readonly<Record<string, () => Uint8Array[]>> = {
  [ANTHROPIC]: () => bytesOf(anthropicSteps(REPLY, "m")),
  [CHAT]: () => bytesOf(chatSteps(REPLY, "m", true)),
  [OPENROUTER]: () => bytesOf(chatSteps(REPLY, "m", true)),
  [RESPONSES]: () => bytesOf(responsesSteps(REPLY, "m")),
  [GOOGLE]: () => bytesOf(googleSteps(REPLY, "m")),
  [BEDROCK]: () => bytesOf(bedrockSteps(REPLY)),
};

function bytesOf(steps: Iterable<{ send: string } | { bytes: Uint8Array } | object>): Uint8Array[] {
  return [...steps].flatMap((step) => {
    if ("bytes" in step) return [step.bytes as Uint8Array];
    return "send" in step ? [new TextEncoder().encode(step.send as string)] : [];
  });
}

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

/** The chunks with something done to them that no proper server does. */
function damaged(chunks: Uint8Array[], seed: number): Uint8Array[] {
  const next = numbers(seed);
  const bad = [...chunks];
  for (let times = 1 + next(3); times > 0; times--) {
    const at = next(bad.length);
    const chunk = bad[at]!;
    switch (next(6)) {
      case 0:
        bad.splice(at, 1);
        break;
      case 1:
        bad.splice(at, 0, chunk);
        break;
      case 2:
        bad[at] = chunk.slice(0, next(chunk.length));
        break;
      case 3:
        bad[at] = chunk.map((byte, place) => place === next(chunk.length) ? next(256) : byte);
        break;
      case 4:
        bad.splice(next(bad.length));
        break;
      default:
        bad.splice(at, 0, new TextEncoder().encode('data: {"choices":[{"delta":null}]}\n\n'));
    }
    if (bad.length === 0) bad.push(new Uint8Array());
  }
  return bad;
}

for (const [id, body] of Object.entries(BODIES)) {
  Deno.test(`${id}: no damage to its stream is more than an error of the provider`, async () => {
    let chunks: Uint8Array[] = [];
    const { files, nowMs, cwd, sleep } = denoHost();
    const env: Record<string, string> = {
      ANTHROPIC_API_KEY: "k",
      OPENAI_COMPAT_API_KEY: "k",
      OPENAI_COMPAT_API: id === RESPONSES ? "responses" : "auto",
      OPENROUTER_API_KEY: "k",
      GEMINI_API_KEY: "k",
      AWS_BEARER_TOKEN_BEDROCK: "k",
      AWS_REGION: "eu-test-1",
    };
    const type = id === BEDROCK ? "application/vnd.amazon.eventstream" : "text/event-stream";
    const limits = { ...LIMITS, modelAttempts: 1 };
    const model = await resolveModel(id, {
      ...{ files, nowMs, cwd, sleep, limits },
      env: (name) => env[name],
      fetch: () => {
        const stream = ReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>;
        return Promise.resolve(new Response(stream, { headers: { "content-type": type } }));
      },
    });
    let whole = 0;
    for (let seed = 0; seed < 80; seed++) {
      chunks = seed === 0 ? body() : damaged(body(), seed);
      const { parts, error } = await run(model, REQUEST); // which throws what is none of our errors
      const stop = parts.at(-1)?.type === "stop";
      whole += stop ? 1 : 0;
      assertEquals(stop, error === undefined, `seed ${seed}: ${error?.message}`);
      const hasCalls = parts.some((part: ModelPart) => part.type === "call");
      assert(stop || !hasCalls, `seed ${seed} shows a call of a reply that broke`);
      if (error !== undefined) assertEquals(error.code.startsWith("PROVIDER_"), true, error.code);
    }
    assert(whole >= 1 && whole < 80, `${whole} replies were whole`);
  });
}
