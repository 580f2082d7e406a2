import { assertEquals } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { ModelPart } from "./model.ts";
import { retrying, type RetryWorld } from "./retry.ts";

const LIMITS = {
  modelAttempts: 3,
  modelRetryBaseMs: 500,
  modelRetryMaxMs: 800,
  modelRetryTotalS: 180,
};
const HELLO: ModelPart = { type: "text", text: "hello" };

function failure(details: { isTransient: boolean; retryAfterMs?: number }): SkepError {
  return new SkepError("PROVIDER_FAILED", "acme failed", { provider: "acme", ...details });
}

const BUSY = failure({ isTransient: true });

/** Plays one list of parts or errors for each attempt; tells what came out and what was waited. */
async function run(
  attempts: readonly (readonly (ModelPart | Error)[])[],
  options: Partial<RetryWorld> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const waits: number[] = [];
  const parts: ModelPart[] = [];
  let made = 0;
  const said: string[] = [];
  async function* attempt(before: string): AsyncGenerator<ModelPart> {
    said.push(before);
    for (const step of attempts[made++] ?? []) {
      if (step instanceof Error) throw step;
      yield await Promise.resolve(step);
    }
  }
  const world: RetryWorld = {
    limits: LIMITS,
    sleep: (ms) => Promise.resolve(void waits.push(ms)),
    random: () => 1,
    ...options,
  };
  let error: unknown;
  try {
    for await (const part of retrying(attempt, world, signal)) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { parts, waits, made, said, error: error as SkepError | undefined };
}

Deno.test("retrying() gives what the first attempt gives when it works", async () => {
  const { parts, waits, made } = await run([[HELLO]]);
  assertEquals({ parts, waits, made }, { parts: [HELLO], waits: [], made: 1 });
});

Deno.test("retrying() makes attempts up to its limit, and announces each wait", async () => {
  const { parts, waits, error } = await run([[BUSY], [BUSY], [HELLO]]);
  assertEquals(error, undefined);
  assertEquals(waits, [500, 800]);
  assertEquals(parts, [
    { type: "warning", message: "acme failed. Trying again in 0.5 s" },
    { type: "warning", message: "acme failed. Trying again in 0.8 s" },
    HELLO,
  ]);
});

Deno.test("retrying() gives up past its limit, and says how often it tried", async () => {
  const { made, error } = await run([[BUSY], [BUSY], [BUSY], [HELLO]]);
  assertEquals(made, 3);
  assertEquals(error?.message, "acme failed (after 3 attempts)");
  assertEquals(error?.code, "PROVIDER_FAILED");
  assertEquals(error?.cause, BUSY);
});

Deno.test("retrying() with a limit of one attempt throws the error as it is", async () => {
  const { error, waits } = await run([[BUSY]], { limits: { ...LIMITS, modelAttempts: 1 } });
  assertEquals([error, waits], [BUSY, []]);
});

Deno.test("retrying() waits half of the time at least, the rest by chance", async () => {
  const limits = { ...LIMITS, modelRetryMaxMs: 10_000 };
  const { waits } = await run([[BUSY], [BUSY], [HELLO]], { limits, random: () => 0 });
  assertEquals(waits, [250, 500]);
});

Deno.test("retrying() waits as long as the provider asks, whatever its own waits are", async () => {
  const asked = failure({ isTransient: true, retryAfterMs: 60_000 });
  assertEquals((await run([[asked], [HELLO]])).waits, [60_000]);
});

Deno.test("retrying() does not try again what will not pass", async () => {
  const final = failure({ isTransient: false });
  const auth = new SkepError("PROVIDER_AUTH_FAILED", "no", { provider: "acme", status: 401 });
  for (const error of [final, auth, new TypeError("a defect")]) {
    const result = await run([[error], [HELLO]]);
    assertEquals([result.made, result.error], [1, error]);
  }
});

Deno.test("retrying() goes on behind the text that was given out", async () => {
  const more: ModelPart = { type: "text", text: ", world" };
  const { parts, said } = await run([[HELLO, BUSY], [BUSY], [more]]);
  assertEquals(said, ["", "hello", "hello"]);
  assertEquals(parts.filter((part) => part.type === "text"), [HELLO, more]);
  assertEquals(parts[1], { type: "warning", message: "acme failed. Going on in 0.5 s" });
});

Deno.test("retrying() keeps the reasoning of attempts apart, and signs none behind a cut text", async () => {
  const thought = (text: string): ModelPart => (
    { type: "reasoning", text, block: "1", metadata: { acme: { signature: text } } }
  );
  const fresh = await run([[thought("a"), BUSY], [thought("b")]]);
  assertEquals(fresh.parts.filter((part) => part.type === "reasoning"), [
    thought("a"),
    { type: "reasoning", text: "b", block: "2.1", metadata: { acme: { signature: "b" } } },
  ]);
  const cut = await run([[HELLO, BUSY], [thought("b")]]);
  assertEquals(cut.parts.at(-1), { type: "reasoning", text: "b", block: "2.1" });
});

Deno.test("retrying() does not try again once a call was given out", async () => {
  const call: ModelPart = { type: "call", id: "c", name: "s__t", input: "{}" };
  const { parts, made, error } = await run([[call, BUSY], [HELLO]]);
  assertEquals({ parts, made, error }, { parts: [call], made: 1, error: BUSY });
});

Deno.test("retrying() waits up to its total, and not past it", async () => {
  const asked = failure({ isTransient: true, retryAfterMs: 60_000 });
  const limits = { ...LIMITS, modelRetryTotalS: 120 };
  assertEquals((await run([[asked], [asked], [HELLO]], { limits })).waits, [60_000, 60_000]);
  const short = await run([[asked], [asked], [HELLO]], {
    limits: { ...limits, modelRetryTotalS: 119 },
  });
  assertEquals([short.waits, short.error?.message], [
    [60_000],
    "acme failed (after 2 attempts: another wait of 60.0 s would pass 119 s in all " +
    "(SKEP_MODEL_RETRY_TOTAL_S))",
  ]);
});

Deno.test("retrying() gives the usage of all attempts, and says what failed ones took", async () => {
  const usage = (inputTokens: number, outputTokens: number): ModelPart => (
    { type: "usage", usage: { inputTokens, outputTokens } }
  );
  const { parts } = await run([[usage(10, 1), BUSY], [usage(12, 1), BUSY], [usage(12, 5), HELLO]]);
  assertEquals(parts.findLast((part) => part.type === "usage"), {
    type: "usage",
    usage: { inputTokens: 34, outputTokens: 7, failedInputTokens: 22, failedOutputTokens: 2 },
  });
});

Deno.test("retrying() stops waiting when the signal is aborted", async () => {
  const abort = new AbortController();
  const sleep = (_ms: number, signal?: AbortSignal) => {
    abort.abort(new Error("enough"));
    return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve();
  };
  const { made, error } = await run([[BUSY], [HELLO]], { sleep }, abort.signal);
  assertEquals([made, error?.message], [1, "enough"]);
});

Deno.test("retrying() announces nothing after an abort", async () => {
  const { parts, error } = await run([[BUSY]], {}, AbortSignal.abort());
  assertEquals([parts, error], [[], BUSY]);
});

Deno.test("retrying() ends the attempt when nobody reads on", async () => {
  let isEnded = false;
  async function* attempt(): AsyncGenerator<ModelPart> {
    try {
      yield await Promise.resolve(HELLO);
      yield HELLO;
    } finally {
      isEnded = true;
    }
  }
  const world = { limits: LIMITS, sleep: () => Promise.resolve() };
  for await (const _ of retrying(attempt, world, new AbortController().signal)) break;
  assertEquals(isEnded, true);
});
