import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Files } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Message } from "./message.ts";
import type { Model, ModelPart } from "./model.ts";
import { openScript } from "./script.ts";

const waits: number[] = [];

async function open(text: string): Promise<Model> {
  const files = { readText: () => Promise.resolve(text) } as Partial<Files> as Files;
  const sleep = (ms: number, signal?: AbortSignal) =>
    signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve(void waits.push(ms));
  return await openScript("s.yaml", { files, sleep, cwd: () => "/", limits: DEFAULT_LIMITS });
}

async function play(
  model: Model,
  messages: readonly Message[] = [],
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const request = { system: "", messages, tools: [], maxOutputTokens: 1 };
  return await Array.fromAsync(model.stream(request, signal));
}

async function failureOf(promise: Promise<unknown>): Promise<SkepError> {
  return await assertRejects(() => promise, SkepError);
}

const texts = (parts: ModelPart[]) =>
  parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("");

Deno.test("openScript() plays one reply for each request, in order", async () => {
  const model = await open("replies: [one, two]");
  assertEquals(model.id, "script:s.yaml");
  assertEquals([texts(await play(model)), texts(await play(model))], ["one", "two"]);
});

Deno.test("openScript() fails a request for which no reply is left", async () => {
  const model = await open("replies: [one]");
  await play(model);
  const error = await failureOf(play(model));
  assertEquals(error.code, "PROVIDER_FAILED");
  assertEquals(error.message, "The script s.yaml has no reply for request 2: it holds 1");
});

Deno.test("openScript() repeats the last reply when it is told to", async () => {
  const model = await open("{ repeat: last, replies: [one, two] }");
  const said: string[] = [];
  for (let request = 0; request < 4; request++) said.push(texts(await play(model)));
  assertEquals(said, ["one", "two", "two", "two"]);
});

Deno.test("openScript() gives calls the next free id, unless the script names one", async () => {
  const model = await open("replies: [{ parts: [{ call: a }, { call: b, id: x }, { call: c }] }]");
  const history: Message[] = [{
    role: "assistant",
    content: [{ type: "call", id: "call_4", name: "a", input: "{}" }],
  }];
  assertEquals(await play(model, history), [
    { type: "call", name: "a", input: "{}", id: "call_5" },
    { type: "call", name: "b", input: "{}", id: "x" },
    { type: "call", name: "c", input: "{}", id: "call_6" },
    { type: "stop", reason: "calls" },
  ]);
});

Deno.test("openScript() checks what the last message must contain", async () => {
  const script = "{ repeat: last, replies: [{ expect: 'b c', parts: [{ text: ok }] }] }";
  const model = await open(script);
  const asked: Message = { role: "user", content: [{ type: "text", text: "a b c d" }] };
  assertEquals(texts(await play(model, [asked])), "ok");
  const answered: Message = {
    role: "tool",
    results: [{ callId: "1", name: "t", isError: false, content: [{ type: "text", text: "b c" }] }],
  };
  assertEquals(texts(await play(model, [asked, answered])), "ok");
  const other: Message = { role: "user", content: [{ type: "text", text: "a" }] };
  assertEquals(
    (await failureOf(play(model, [asked, other]))).message,
    'The script s.yaml, reply 3: the last message must contain "b c", it is "a"',
  );
});

Deno.test("openScript() waits for its delays, in milliseconds", async () => {
  waits.length = 0;
  await play(await open("replies: [{ parts: [{ delay: 20 }, { text: a }, { delay: 0 }] }]"));
  assertEquals(waits, [20, 0]);
});

Deno.test("openScript() throws the script's errors after what came before them", async () => {
  const model = await open(`
replies:
  - parts: [{ text: a }, { error: { break: true } }]
  - parts: [{ error: { status: 503, message: busy } }]
  - parts: [{ error: { status: 403, message: no } }]
  - parts: [{ error: { status: 404, message: no } }]
  - parts: [{ error: { code: CONTEXT_TOO_LONG } }]
`);
  const given: ModelPart[] = [];
  const request = { system: "", messages: [], tools: [], maxOutputTokens: 1 };
  const cut = await failureOf((async () => {
    const { signal } = new AbortController();
    for await (const part of model.stream(request, signal)) given.push(part);
  })());
  assertEquals([given, cut.code], [[{ type: "text", text: "a" }], "PROVIDER_FAILED"]);
  const busy = await failureOf(play(model));
  assertEquals([busy.message, busy.details], ["busy", { provider: "script", status: 503 }]);
  const codes: string[] = [];
  for (let request = 0; request < 3; request++) codes.push((await failureOf(play(model))).code);
  assertEquals(codes, ["PROVIDER_AUTH_FAILED", "PROVIDER_MODEL_NOT_FOUND", "CONTEXT_TOO_LONG"]);
});

Deno.test("openScript() is cancelled by the signal", async () => {
  const model = await open("{ repeat: last, replies: [{ parts: [{ delay: 9 }, { text: a }] }] }");
  assertEquals((await failureOf(play(model, [], AbortSignal.abort()))).code, "CANCELLED");
  const abort = new AbortController();
  const stream = (await open("replies: [{ parts: [{ text: a }, { delay: 9 }] }]"))
    .stream({ system: "", messages: [], tools: [], maxOutputTokens: 1 }, abort.signal);
  const error = await failureOf((async () => {
    for await (const _ of stream) abort.abort();
  })());
  assertEquals(error.code, "CANCELLED");
});

Deno.test("openScript() names the file that it cannot read", async () => {
  const files = {
    readText: (path: string, limit: number) => Promise.reject(new Error(`${path} over ${limit}`)),
  } as Partial<Files> as Files;
  const world = { files, sleep: () => Promise.resolve(), cwd: () => "/w", limits: DEFAULT_LIMITS };
  const error = await failureOf(openScript("a/s.yaml", world));
  assertEquals(error.message, "Cannot use the script a/s.yaml: /w/a/s.yaml over 1048576");
  assertEquals(error.details, { source: "a/s.yaml" });
});
