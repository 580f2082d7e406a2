import { denoHost } from "../../lib/host/deno_host.ts";
import type { Model } from "../../lib/model/model.ts";
import { PROVIDERS } from "../../lib/model/providers.ts";
import { resolveModel } from "../../lib/model/resolve.ts";
import { fromRepo, runChild } from "../harness.ts";
import { ANTHROPIC, CHAT, GOOGLE, LIMITS, REQUEST, RESPONSES } from "../model_harness.ts";
import { anthropicSteps, chatSteps, type FakeStream } from "../fake_provider_sse.ts";
import { googleSteps, responsesSteps } from "../fake_provider_more.ts";
import { type Measurement, median, medians } from "./measurement.ts";

const CALL: FakeStream = { parts: [{ text: "Calling." }, { call: "s__t", input: '{"a":1}' }] };

/** What skep adds between a provider's bytes and what is done with them, and what providers cost to load. */
export async function models(): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const id of [ANTHROPIC, CHAT, RESPONSES, GOOGLE]) {
    const name = id.split(":")[0]!;
    const [delta, call] = await medians([() => timeOf(id, "text"), () => timeOf(id, "call")]);
    rows.push({ what: `${name}: delta to part`, value: delta!, unit: "ms", reach: 5 });
    rows.push({ what: `${name}: last byte to call`, value: call!, unit: "ms", reach: 10 });
  }
  rows.push({
    what: "cancel among 200 streams",
    value: await cancelAmong(200),
    unit: "ms",
    reach: 100,
  });
  for (const name of PROVIDERS.keys()) {
    const file = LOADED_BY[name];
    if (file !== undefined) rows.push(await loading(name, file));
  }
  return rows;
}

/** The file that each kind of provider loads; those left out load one of these. */
const LOADED_BY: Readonly<Record<string, string>> = {
  anthropic: "anthropic.ts",
  openai: "responses.ts",
  "openai-compatible": "openai_compatible.ts",
  google: "google.ts",
  "amazon-bedrock": "bedrock.ts",
};

async function loading(name: string, file: string): Promise<Measurement> {
  const times: number[] = [];
  const code = `const start = performance.now(); await import(${
    JSON.stringify(`file://${fromRepo(`lib/model/${file}`)}`)
  }); console.log(performance.now() - start);`;
  for (let run = 0; run < 6; run++) {
    const flags = [
      `--config=${fromRepo("deno.json")}`,
      `--lock=${fromRepo("deno.lock")}`,
      "--frozen",
    ];
    const script = `data:text/javascript,${encodeURIComponent(code)}`;
    const args = ["run", "-q", ...flags, "-A", script];
    const { stdout } = await runChild(Deno.execPath(), args, Deno.env.toObject());
    if (run > 0) times.push(Number(stdout.trim())); // the first one fills the cache of compiled code
  }
  return { what: `${name}: loading`, value: median(times), unit: "ms" };
}

/** The chunks of a reply in the model's dialect. */
function chunksOf(id: string, reply: FakeStream): Uint8Array[] {
  const steps = {
    [ANTHROPIC]: anthropicSteps(reply, "m"),
    [CHAT]: chatSteps(reply, "m", true),
    [RESPONSES]: responsesSteps(reply, "m"),
    [GOOGLE]: googleSteps(reply, "m"),
  }[id] ?? [];
  return [...steps].flatMap((step) => "send" in step ? [new TextEncoder().encode(step.send)] : []);
}

/** A model whose replies the bench writes chunk by chunk. */
async function modelOver(id: string, body: () => ReadableStream<Uint8Array>): Promise<Model> {
  const env: Record<string, string> = {
    ANTHROPIC_API_KEY: "k",
    OPENAI_COMPAT_API_KEY: "k",
    OPENAI_COMPAT_API: id === RESPONSES ? "responses" : "auto",
    GEMINI_API_KEY: "k",
  };
  const { files, sleep, nowMs, cwd } = denoHost();
  return await resolveModel(id, {
    ...{ files, sleep, nowMs, cwd, limits: LIMITS },
    env: (name) => env[name],
    fetch: () =>
      Promise.resolve(
        new Response(body() as ReadableStream<Uint8Array<ArrayBuffer>>, {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
  });
}

/** From the bytes that hold a part to the part: the last ones of the reply for a call. */
async function timeOf(id: string, wanted: "text" | "call"): Promise<number> {
  let sentMs = 0;
  const chunks = chunksOf(id, CALL);
  const model = await modelOver(id, () =>
    new ReadableStream({
      async start(controller) {
        for (const [index, chunk] of chunks.entries()) {
          await new Promise((resolve) => setTimeout(resolve, 0));
          if (wanted === "text" ? !hasText(chunks.slice(0, index)) : index === chunks.length - 1) {
            sentMs = performance.now();
          }
          controller.enqueue(chunk);
        }
        controller.close();
      },
    }));
  for await (const part of model.stream(REQUEST, new AbortController().signal)) {
    if (part.type === wanted) return performance.now() - sentMs;
  }
  throw new Error(`${id} gave no ${wanted}`);
}

function hasText(chunks: readonly Uint8Array[]): boolean {
  return chunks.some((chunk) => new TextDecoder().decode(chunk).includes("Call"));
}

/** From an abort to the end of its stream, while many others are giving out text all the time. */
async function cancelAmong(count: number): Promise<number> {
  const chunks = chunksOf(CHAT, { parts: [{ text: "busy ".repeat(40) }] });
  const model = await modelOver(CHAT, () => {
    let timer: ReturnType<typeof setInterval>;
    return new ReadableStream({
      start: (controller) => {
        timer = setInterval(() => controller.enqueue(chunks[1]!), 5);
      },
      cancel: () => clearInterval(timer),
    });
  });
  const all = new AbortController();
  const read = async (signal: AbortSignal) => {
    for await (const _ of model.stream(REQUEST, signal)) if (signal.aborted) break;
  };
  const others = Array.from({ length: count - 1 }, () => read(all.signal).catch(() => {}));
  const times: number[] = [];
  for (let run = 0; run < 9; run++) {
    const one = new AbortController();
    const reading = read(one.signal).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const start = performance.now();
    one.abort();
    await reading;
    times.push(performance.now() - start);
  }
  all.abort();
  await Promise.all(others);
  return median(times);
}
