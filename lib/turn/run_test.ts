import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Message } from "../model/message.ts";
import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import type { CallResult } from "../mcp/registry.ts";
import { REFLECTION } from "./answer_calls.ts";
import { beginTurn, runTurn, type TurnOptions, type TurnTools } from "./run.ts";
import type { Update } from "./update.ts";

const STOP: ModelPart = { type: "stop", reason: "end" };
const CALLS: ModelPart = { type: "stop", reason: "calls" };
const OK: CallResult = { isError: false, content: [{ type: "text", text: "ok" }] };

function call(id: string, name = "s__echo", input = "{}"): ModelPart {
  return { type: "call", id, name, input };
}

/** A model that plays one list of parts a request, and keeps the requests. */
function playing(...replies: ModelPart[][]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "test:model",
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: [...request.messages] });
      for (const part of replies[requests.length - 1] ?? []) {
        await Promise.resolve();
        yield part;
      }
    },
  };
}

/** A model that says something and then waits for its signal. */
function hanging(said: string): Model {
  return {
    id: "test:hanging",
    async *stream(_, signal) {
      yield { type: "text", text: said };
      await wait(signal).catch(() => {});
      throw new SkepError("CANCELLED", "cancelled", {});
    },
  };
}

function tools(run: TurnTools["call"]): TurnTools {
  return { tools: () => [{ name: "s__echo", description: "", inputSchema: {} }], call: run };
}

interface Ran {
  readonly history: Message[];
  readonly updates: Update[];
  readonly options: TurnOptions;
}

function turn(model: Model, served: TurnTools = tools(() => Promise.resolve(OK))): Ran {
  const history: Message[] = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
  const updates: Update[] = [];
  const options: TurnOptions = {
    id: "t",
    model,
    system: "",
    history,
    tools: served,
    limits: {
      maxRounds: 5,
      maxCallsPerRound: 8,
      maxParallelCalls: 2,
      maxOutputTokens: 100,
      settleTurnMs: 50,
      lastOutputMs: 50,
      keepaliveMs: 1000,
      maxTokenRecoveries: 1,
      maxContextRecoveries: 2,
      maxStopRejections: 2,
    },
    onUpdate: (update) => updates.push(update),
    addUsage: (usage) => usage,
    world: { sleep: (_ms, signal) => wait(signal) },
  };
  return { history, updates, options };
}

/** A sleep that ends only by its signal: the tests never wait for a clock. */
function wait(signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const NEVER = new AbortController().signal;

Deno.test("runTurn() streams the answer and appends it", async () => {
  const model = playing([{ type: "text", text: "hel" }, { type: "text", text: "lo" }, STOP]);
  const { history, updates, options } = turn(model);
  assertEquals(await runTurn(options, NEVER), "end_turn");
  assertEquals(updates, [
    { type: "text", message: "t-1", text: "hel" },
    { type: "text", message: "t-1", text: "lo" },
  ]);
  assertEquals(history.at(-1), {
    role: "assistant",
    content: [{ type: "text", text: "hello" }],
    model: "test:model",
  });
});

Deno.test("runTurn() shows a call from its announcement to its result, then asks with the result", async () => {
  const model = playing([call("a"), CALLS], [STOP]);
  const { updates, options } = turn(model);
  assertEquals(await runTurn(options, NEVER), "end_turn");
  assertEquals(updates, [
    { type: "call", callId: "a", tool: "s__echo", input: {} },
    { type: "call_started", callId: "a" },
    { type: "call_ended", callId: "a", result: OK },
  ]);
  assertEquals(model.requests[1]!.messages.at(-1), {
    role: "tool",
    results: [{ callId: "a", name: "s__echo", ...OK }],
  });
});

Deno.test("runTurn() starts no call of a reply that breaks off after it", async () => {
  let calls = 0;
  const served = tools(() => {
    calls++;
    return Promise.resolve(OK);
  });
  const { history, options } = turn(playing([call("a")]), served);
  await assertRejects(() => runTurn(options, NEVER), SkepError, "broke off without a stop");
  assertEquals([calls, history.length], [0, 1]);
});

Deno.test("runTurn() runs calls at once up to the limit", async () => {
  let running = 0;
  let most = 0;
  const served = tools(async () => {
    most = Math.max(most, ++running);
    for (let tick = 0; tick < 5; tick++) await Promise.resolve();
    running--;
    return OK;
  });
  const four = ["a", "b", "c", "d"].map((id) => call(id));
  assertEquals(
    await runTurn(turn(playing([...four, CALLS], [STOP]), served).options, NEVER),
    "end_turn",
  );
  assertEquals(most, 2);
});

Deno.test("runTurn() answers an unknown tool and bad arguments, and goes on", async () => {
  const model = playing([
    call("a", "s__ecko"),
    call("b", "s__echo", "{bad"),
    call("c", "s__echo", "[1]"),
    CALLS,
  ], [STOP]);
  const inputSchema = { properties: { text: { type: "string" } }, required: ["text"] };
  const listed = [{ name: "s__echo", description: "", inputSchema }];
  const served = { ...tools(() => Promise.resolve(OK)), tools: () => listed };
  const { options } = turn(model, served);
  assertEquals(await runTurn(options, NEVER), "end_turn");
  const message = model.requests[1]!.messages.at(-1)!;
  const texts = message.role === "tool" ? message.results.map((one) => one.content[0]) : [];
  assertEquals(texts, [
    { type: "text", text: "unknown tool: s__ecko; did you mean s__echo?" },
    {
      type: "text",
      text:
        "The arguments of s__echo are not a JSON object. Call it again with one. You wrote: {bad\nIt takes text: string",
    },
    {
      type: "text",
      text:
        "The arguments of s__echo are not a JSON object. Call it again with one. You wrote: [1]\nIt takes text: string",
    },
  ]);
});

Deno.test("runTurn() ends as cancelled while the model speaks, and keeps what it said", async () => {
  const { history, options } = turn(hanging("half"));
  const cancel = new AbortController();
  const running = runTurn({ ...options, onUpdate: () => cancel.abort() }, cancel.signal);
  assertEquals(await running, "cancelled");
  assertEquals(history.at(-1)?.role, "assistant");
});

Deno.test("runTurn() ends as cancelled while a call runs: the call is told, answered and shown as ended", async () => {
  const cancel = new AbortController();
  let wasTold = false;
  const served = tools((_name, _args, signal) => {
    queueMicrotask(() => cancel.abort());
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        wasTold = true;
        reject(new SkepError("CANCELLED", "cancelled", {}));
      })
    );
  });
  const { history, updates, options } = turn(playing([call("a"), CALLS]), served);
  assertEquals(await runTurn(options, cancel.signal), "cancelled");
  assertEquals(wasTold, true);
  const cancelled = { isError: true, content: [{ type: "text" as const, text: "cancelled" }] };
  assertEquals(history.at(-1), {
    role: "tool",
    results: [{
      callId: "a",
      name: "s__echo",
      ...cancelled,
      isUndelivered: true,
      note: REFLECTION,
    }],
  });
  assertEquals(updates.filter((update) => update.type === "call_ended").length, 1);
});

Deno.test("runTurn() keeps of a cancelled call what its server told last, which it answers no more", async () => {
  const cancel = new AbortController();
  const served = tools((_name, _args, signal, onProgress) => {
    onProgress?.({ progress: 1, message: "one line" });
    onProgress?.({ progress: 2, message: "two lines\npartial" });
    onProgress?.({ progress: 3 });
    queueMicrotask(() => cancel.abort());
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(new SkepError("CANCELLED", "cancelled", {})))
    );
  });
  const { history, updates, options } = turn(playing([call("a"), CALLS]), served);
  assertEquals(await runTurn(options, cancel.signal), "cancelled");
  const content = [{
    type: "text",
    text: "cancelled; what it told last: two lines\npartial",
  }] as const;
  assertEquals(history.at(-1), {
    role: "tool",
    results: [{
      callId: "a",
      name: "s__echo",
      isError: true,
      content,
      isUndelivered: true,
      note: REFLECTION,
    }],
  });
  const shown = updates.flatMap((each) => each.type === "call_ended" ? [each.result.content] : []);
  assertEquals(shown, [content]);
});

Deno.test("runTurn() is cancelled at once when its signal already was", async () => {
  const model = playing([STOP]);
  assertEquals(await runTurn(turn(model).options, AbortSignal.abort()), "cancelled");
});

Deno.test("runTurn() does not wait for a model that ignores its signal", async () => {
  const deaf: Model = {
    id: "test:deaf",
    async *stream() {
      yield { type: "text", text: "x" };
      await new Promise(() => {});
    },
  };
  const cancel = new AbortController();
  const { options } = turn(deaf);
  const running = runTurn({
    ...options,
    onUpdate: () => cancel.abort(),
    world: { sleep: (ms, signal) => ms === 50 ? Promise.resolve() : wait(signal) },
  }, cancel.signal);
  assertEquals(await running, "cancelled");
});

Deno.test("runTurn() fails, its history whole, when whoever watches it throws", async () => {
  const { history, options } = turn(playing([call("a"), CALLS]));
  const broken = () => {
    throw new Error("the watcher broke");
  };
  await assertRejects(
    () => runTurn({ ...options, onUpdate: broken }, NEVER),
    Error,
    "the watcher broke",
  );
  assertEquals(history.map((message) => message.role), ["user", "assistant", "tool"]);
});

Deno.test("runTurn() counts what each round cost", async () => {
  const { updates, options } = turn(playing([
    { type: "usage", usage: { inputTokens: 5 } },
    { type: "usage", usage: { inputTokens: 7, outputTokens: 2 } },
    STOP,
  ]));
  await runTurn(options, NEVER);
  const usage = { inputTokens: 7, outputTokens: 2 };
  assertEquals(updates, [{ type: "usage", round: usage, session: usage, model: "test:model" }]);
});

Deno.test("beginTurn() goes on with a steer that comes while the last reply is on its way", async () => {
  const model = playing([{ type: "text", text: "done" }, STOP], [
    { type: "text", text: "and that" },
    STOP,
  ]);
  const { history, options } = turn(model);
  const begun = beginTurn({
    ...options,
    onUpdate: (update) => {
      if (update.type === "text" && update.text === "done") begun.steer(said("also that"));
    },
  }, NEVER);
  assertEquals(await begun.ended, "end_turn");
  assertEquals(history.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  assertEquals(model.requests[1]!.messages.at(-1), { role: "user", content: said("also that") });
  assertEquals(begun.steer(said("too late")), false);
  assertEquals(history.length, 4);
});

Deno.test("beginTurn() keeps a steer in the history when the turn is cancelled", async () => {
  const cancel = new AbortController();
  const { history, options } = turn(hanging("half"));
  const begun = beginTurn({
    ...options,
    onUpdate: () => {
      begun.steer(said("wait"));
      cancel.abort();
    },
  }, cancel.signal);
  assertEquals(await begun.ended, "cancelled");
  assertEquals(history.at(-1), { role: "user", content: said("wait") });
});

Deno.test("runTurn() makes a history shorter that the provider refuses, a bounded number of times", async () => {
  const tooLong: Model & { asked: number } = {
    id: "test:small",
    asked: 0,
    async *stream() {
      await Promise.resolve();
      this.asked++;
      if (this.asked > 0) throw new SkepError("CONTEXT_TOO_LONG", "too long", { provider: "test" });
      yield STOP;
    },
  };
  const attempts: number[] = [];
  const { options } = turn(tooLong);
  const recover = (_history: Message[], attempt: number) => {
    attempts.push(attempt);
    return Promise.resolve(true);
  };
  const error = await assertRejects(() => runTurn({ ...options, recover }, NEVER), SkepError);
  assertEquals([error.code, attempts, tooLong.asked], ["CONTEXT_TOO_LONG", [1, 2], 3]);
});

Deno.test("runTurn() goes on behind an objection, up to its bound", async () => {
  const model = playing([STOP], [STOP], [STOP]);
  const { updates, options } = turn(model);
  const objection: Message = { role: "user", content: said("not yet") };
  const ended = runTurn({ ...options, objections: () => Promise.resolve([objection]) }, NEVER);
  assertEquals(await ended, "end_turn");
  assertEquals(model.requests.map(({ messages }) => messages.length), [1, 2, 3]);
  assertEquals(updates, []);
});

Deno.test("runTurn() shows that it lives while it waits, and not after its end", async () => {
  const ticks: (() => void)[] = [];
  const cancel = new AbortController();
  const { updates, options } = turn(hanging("x"));
  const sleep = (ms: number, signal?: AbortSignal) =>
    ms === 1000
      ? Promise.race([new Promise<void>((resolve) => ticks.push(resolve)), wait(signal)])
      : wait(signal);
  const running = runTurn({ ...options, world: { sleep } }, cancel.signal);
  ticks.shift()!();
  while (ticks.length === 0) await Promise.resolve();
  cancel.abort();
  assertEquals(await running, "cancelled");
  assertEquals(updates.filter(({ type }) => type === "keepalive").length, 1);
});

Deno.test("runTurn() runs no call that is not admitted, and takes no place for it", async () => {
  const refused: CallResult = {
    isError: true,
    content: [{ type: "text", text: "denied" }],
    isUndelivered: true,
  };
  const served: TurnTools = {
    ...tools(() => Promise.reject(new Error("it ran"))),
    admit: () => Promise.resolve(refused),
  };
  const { updates, options } = turn(playing([call("a"), CALLS], [STOP]), served);
  assertEquals(await runTurn(options, NEVER), "end_turn");
  assertEquals(updates.map(({ type }) => type), ["call", "call_ended"]);
});

Deno.test("a call of a tool that its server has by now was refused while the server waited for its first call", async () => {
  let isUp = false;
  const awake = tools(() => Promise.resolve(OK));
  const served: TurnTools = {
    ...awake,
    tools: () => isUp ? awake.tools() : [],
    wake: () => Promise.resolve(isUp = true),
  };
  const { options } = turn(playing([call("a"), CALLS], [STOP]), served);
  assertEquals(await runTurn(options, NEVER), "end_turn");
  const results = options.history.flatMap((each) => each.role === "tool" ? each.results : []);
  assertEquals(results.map(({ content }) => content), [OK.content]);
});

Deno.test("runTurn() counts what a request took that came to nothing, and marks it", async () => {
  const usage = { inputTokens: 9, outputTokens: 1 };
  const { updates, options } = turn(playing([{ type: "usage", usage }]));
  await assertRejects(() => runTurn(options, NEVER), SkepError, "broke off");
  const round = { ...usage, failedInputTokens: 9, failedOutputTokens: 1 };
  assertEquals(updates, [{ type: "usage", round, session: round, model: "test:model" }]);
});

Deno.test("what was shown of a reply that broke off for good was in no history", async () => {
  const { history, options } = turn(playing([{ type: "text", text: "half" }, call("a")]));
  await assertRejects(() => runTurn(options, NEVER), SkepError, "broke off");
  assertEquals(history.slice(1), [{
    role: "assistant",
    content: [{ type: "text", text: "half" }],
    model: "test:model",
  }]);
});

Deno.test("the tokens of a request that was cancelled vanished from the session's sum", async () => {
  const usage = { inputTokens: 9, outputTokens: 1 };
  const model: Model = {
    id: "test:model",
    async *stream(_, signal) {
      yield { type: "text", text: "half" };
      if (!signal.aborted) await wait(signal).catch(() => {});
      yield { type: "text", text: " more" };
      yield { type: "usage", usage };
      throw new SkepError("CANCELLED", "cancelled", {});
    },
  };
  const { updates, history, options } = turn(model);
  const cancel = new AbortController();
  const onUpdate = (update: Update) => {
    updates.push(update);
    cancel.abort();
  };
  assertEquals(await runTurn({ ...options, onUpdate }, cancel.signal), "cancelled");
  assertEquals(updates, [
    { type: "text", message: "t-1", text: "half" },
    { type: "usage", round: usage, session: usage, model: "test:model" },
  ]);
  assertEquals(history.at(-1), {
    role: "assistant",
    content: [{ type: "text", text: "half" }],
    model: "test:model",
  });
});

function said(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}
