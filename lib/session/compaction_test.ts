// Long sessions within a small context: a scripted model, a real journal where one is named.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { Registry } from "../mcp/registry.ts";
import type { Message } from "../model/message.ts";
import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import { redactor } from "../sandbox/redact.ts";
import { type Compaction, compactionText, type Update } from "../turn/update.ts";
import { keepSession, type KeptSession } from "./keep_session.ts";
import { openSession, type SessionParts } from "./open_session.ts";
import type { Session } from "./session.ts";
import { testStore } from "./test_store.ts";

const END: ModelPart = { type: "stop", reason: "end" };
const SYSTEM = "You are Test. [AGENTS.md: always answer in French]";

/** Answers with what `reply` gives, and to a request for a summary with what `summarise` does. */
class ScriptedModel implements Model {
  readonly id = "test:model";
  readonly facts;
  readonly requests: ModelRequest[] = [];
  readonly summaries: ModelRequest[] = [];
  round = 0;
  reply: (round: number, request: ModelRequest) => ModelPart[] | Error = () => [
    { type: "text", text: "ok" },
    END,
  ];
  summarise: (request: ModelRequest) => ModelPart[] | Error = () => [
    { type: "text", text: "SUMMARY" },
    { type: "usage", usage: { inputTokens: 100, outputTokens: 10 } },
    END,
  ];

  constructor(contextTokens: number) {
    this.facts = { contextTokens, source: "operator", maxOutputTokens: 1000 } as const;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const isSummary = request.system.startsWith("You write the summary");
    const seen = { ...request, messages: [...request.messages] };
    (isSummary ? this.summaries : this.requests).push(seen);
    const parts = isSummary ? this.summarise(seen) : this.reply(++this.round, seen);
    if (parts instanceof Error) throw parts;
    yield* parts;
  }
}

/** One tool that answers so; nothing else of a registry is used here. */
function registry(answer: (args: Readonly<Record<string, unknown>>) => string): Registry {
  const used: Partial<Registry> = {
    tools: () => [{ name: "s__read", description: "", inputSchema: { type: "object" } }],
    call: (_name, args) =>
      Promise.resolve({ isError: false, content: [{ type: "text", text: answer(args) }] }),
    hooks: () => [],
    looksOnly: () => false,
    publishes: () => false,
    namesOf: () => ({ own: [], shared: [] }),
    instructions: () => [],
    absences: () => [],
    whyNot: () => undefined,
    wake: () => Promise.resolve(false),
    specs: () => [],
    hasHidden: false,
    close: () => Promise.resolve(),
  };
  return used as Registry;
}

function open(
  model: ScriptedModel,
  more: Partial<SessionParts> = {},
  limits: Partial<Limits> = {},
): Session {
  return openSession({
    cwd: "/work",
    system: SYSTEM,
    model,
    registry: registry(() => "x".repeat(1500)),
    builtIns: [],
    notices: [],
    limits: { ...DEFAULT_LIMITS, ...limits },
    world: {
      sleep: (_ms, signal) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    },
    ...more,
  });
}

function say(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}

function call(id: string, path = "a.ts"): ModelPart[] {
  const input = JSON.stringify({ path });
  return [{ type: "call", id, name: "s__read", input }, { type: "stop", reason: "calls" }];
}

function textOf(messages: readonly Message[]): string {
  return JSON.stringify(messages);
}

/** What a provider asks of a history: each call has its result right behind it. */
function assertPaired(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const calls = message.role === "assistant"
      ? message.content.flatMap((part) => part.type === "call" ? [part.id] : [])
      : [];
    const next = messages[index + 1];
    if (calls.length > 0 && index < messages.length - 1) {
      assertEquals(next?.role === "tool" && next.results.map(({ callId }) => callId), calls);
    }
    if (message.role === "tool") assertEquals(messages[index - 1]?.role, "assistant");
  });
}

function recorder(): { updates: Compaction[]; onUpdate: (update: Update) => void } {
  const updates: Compaction[] = [];
  return {
    updates,
    onUpdate: (update) => void (update.type === "compaction" && updates.push(update.compaction)),
  };
}

Deno.test("a long loop of calls is compacted within the turn, and goes on with the same task (T99, T101)", async () => {
  const model = new ScriptedModel(8000);
  model.reply = (round) => round <= 40 ? call(`c${round}`) : [{ type: "text", text: "done" }, END];
  const session = open(model);
  const { updates, onUpdate } = recorder();
  const task = "Fix the bug in parser.ts; never touch lexer.ts";
  assertEquals(await session.prompt(say(task), onUpdate), "end_turn");
  assert(updates.filter(({ state }) => state === "done").length >= 2, "it was compacted twice");
  for (const { system, messages } of model.requests) {
    assertEquals(system, SYSTEM);
    assertPaired(messages);
    assert(textOf(messages).length / 3 < 8000, "it fits");
  }
  const last = textOf(model.requests.at(-1)!.messages);
  assertEquals(last.split(task).length, 2);
  assertEquals(last.split("SUMMARY").length, 2);
  assertEquals(last.includes("always answer in French"), false);
  assertEquals(
    model.summaries.every(({ isThinking, tools }) => isThinking === false && tools.length === 0),
    true,
  );
  await session.close();
});

Deno.test("1,000 rounds and three compactions and more: planted facts are still in the request, on a real journal", async () => {
  const folder = await Deno.makeTempDir({ prefix: "skep-long-" });
  const { store } = await testStore(folder);
  const kept = await keepSession({
    store,
    facts: { cwd: "/work", persona: "guide", model: "test:model" },
    redact: redactor([]),
    limits: DEFAULT_LIMITS,
    world: { nowMs: () => 1 },
    copyArtifacts: () => Promise.resolve(),
    onNotice: () => {},
  });
  const model = new ScriptedModel(40_000);
  model.reply = (round) =>
    round <= 1000
      ? call(`c${round}`, round === 3 ? "src/very/special_name.ts" : "a.ts")
      : [{ type: "text", text: "done" }, END];
  model.summarise = ({ messages }) => {
    // An honest summariser keeps what it finds.
    const facts = [...new Set(textOf(messages).match(/FACT-\d+/g) ?? [])];
    return [{ type: "text", text: `Known: ${facts.join(", ")}` }, END];
  };
  const session = open(
    model,
    { kept, registry: registry(() => `FACT-4711 ${"y".repeat(600)}`) },
    { maxRounds: 0, maxCompactions: 100 },
  );
  const { updates, onUpdate } = recorder();
  const constraint = "The budget is 31,415 bytes and the deadline is Tuesday";
  assertEquals(await session.prompt(say(constraint), onUpdate), "end_turn");
  const done = updates.filter(({ state }) => state === "done").length;
  assert(done >= 3, `there were ${done} compactions`);
  assertEquals(model.requests.length, 1001);
  const last = textOf(model.requests.at(-1)!.messages);
  for (const fact of [constraint, "src/very/special_name.ts", "FACT-4711"]) {
    assert(last.includes(fact), `${fact} is still there`);
  }
  await session.close();
  // It comes back as it was: what the model has before it, and all that was said.
  const again = await resume(store, session.id);
  assertEquals(textOf(again.state.history).includes(constraint), true);
  assertEquals(again.state.turns, 1);
  const resumed = open(model, { kept: again });
  let [prompts, calls] = [0, 0];
  for await (const { type } of resumed.replay()) {
    if (type === "prompt") prompts++;
    if (type === "call") calls++;
  }
  assertEquals([prompts, calls], [1, 1000]);
  await store.close();
  await Deno.remove(folder, { recursive: true });
});

async function resume(store: KeptSession["store"], id: string): Promise<KeptSession> {
  return await keepSession({
    store,
    resume: { id },
    facts: { cwd: "/work", persona: "guide", model: "test:model" },
    redact: redactor([]),
    limits: DEFAULT_LIMITS,
    world: { nowMs: () => 2 },
    copyArtifacts: () => Promise.resolve(),
    onNotice: () => {},
  });
}

Deno.test("a summary that fails drops nothing while the history fits, and is tried again later (T102)", async () => {
  const model = new ScriptedModel(8000);
  model.summarise = () => new SkepError("PROVIDER_FAILED", "down", { provider: "test" });
  const session = open(model);
  const { updates, onUpdate } = recorder();
  await session.prompt(say(`first ${"a ".repeat(9000)}`), onUpdate);
  await session.prompt(say("x".repeat(3300)), onUpdate);
  assertEquals(updates.map(({ state }) => state), ["started", "failed"]);
  assertEquals(model.summaries.length, 4);
  assert(textOf(model.requests.at(-1)!.messages).includes("first a a"), "it is all there");
  model.summarise = () => [{ type: "text", text: "SUMMARY" }, END];
  await session.prompt(say("y".repeat(1000)), onUpdate);
  assertEquals(updates.at(-1)?.state, "done");
  await session.close();
});

Deno.test("a history that does not fit without its summary is trimmed, and says what is gone", async () => {
  const model = new ScriptedModel(8000);
  model.summarise = () => [END];
  const session = open(model);
  const { updates, onUpdate } = recorder();
  await session.prompt(say(`first ${"a ".repeat(9000)}`), onUpdate);
  await session.prompt(say(`second ${"b".repeat(8000)}`), onUpdate);
  const done = updates.at(-1);
  assertEquals(done?.state === "done" && done.how, "trimmed");
  const last = textOf(model.requests.at(-1)!.messages);
  assert(last.includes("2 older messages were taken out of the context"), last.slice(0, 300));
  assert(last.includes("second bbb"));
  await session.close();
});

Deno.test("what must stay and is too large ends in one clear error, after one retry and no loop (T105)", async () => {
  const model = new ScriptedModel(4000);
  model.summarise = () => [{ type: "text", text: "z".repeat(30_000) }, END];
  const session = open(model);
  await session.prompt(say("one"), () => {});
  const error = await assertRejects(
    () => session.prompt(say("q".repeat(40_000)), () => {}),
    SkepError,
    "the model's context holds 4000",
  );
  assertEquals(error.code, "CONTEXT_TOO_LONG");
  assert(model.summaries.length <= 4, `${model.summaries.length} summaries`);
  await session.close();
});

Deno.test("compact() puts a summary in the place of what is older; prompts that come meanwhile come after it", async () => {
  const model = new ScriptedModel(100_000);
  const session = open(model);
  const { updates, onUpdate } = recorder();
  assertEquals(await session.compact(onUpdate), false);
  model.reply = () => [{ type: "text", text: "o".repeat(900) }, END];
  for (const text of ["one is 1", "two is 2", "three is 3"]) {
    await session.prompt(say(`${text} ${"w".repeat(900)}`), onUpdate);
  }
  const [isShorter, stop] = await Promise.all([
    session.compact(onUpdate),
    session.prompt(say("four"), onUpdate, { isQueued: true }),
  ]);
  assertEquals([isShorter, stop], [true, "end_turn"]);
  assertEquals(updates.map(({ state }) => state), ["started", "done"]);
  const last = model.requests.at(-1)!.messages;
  assert(textOf(last).includes("SUMMARY") && textOf(last).includes("one is 1"));
  assertEquals(last.at(-1), { role: "user", content: say("four") });
  await session.prompt(say(`more ${"v".repeat(9000)}`), onUpdate);
  await session.prompt(say("and four"), onUpdate);
  model.summarise = () => new SkepError("PROVIDER_FAILED", "down", { provider: "test" });
  await assertRejects(() => session.compact(onUpdate), SkepError, "down");
  await session.prompt(say("five"), onUpdate);
  assert(textOf(model.requests.at(-1)!.messages).includes("more vvv"), "nothing was dropped");
  await session.close();
});

Deno.test("/compact in a short chat is told in words, and its focus stands in the request for a summary", async () => {
  const model = new ScriptedModel(64_000);
  const session = open(model);
  const { updates, onUpdate } = recorder();
  await session.prompt(say("hi"), onUpdate);
  await session.prompt(say("and?"), onUpdate);
  assertEquals(await session.compact(onUpdate, { focus: "the port 7319" }), false);
  assertEquals(updates.map(({ state }) => state), ["started", "failed"]);
  assertMatch(
    compactionText(updates[1]!) ?? "",
    /^The context could not be summarised: its older part has about \d+ tokens, and a summary of that would be no shorter\. It stays as it is$/,
  );
  assert(
    textOf(model.summaries[0]!.messages).includes("keep above all: the port 7319"),
  );
  await session.close();
});

Deno.test("a second prompt was not refused while the history was made shorter, unless it is queued", async () => {
  const model = new ScriptedModel(100_000);
  const session = open(model);
  const { onUpdate } = recorder();
  model.reply = () => [{ type: "text", text: "o".repeat(900) }, END];
  await session.prompt(say(`one ${"w".repeat(900)}`), onUpdate);
  await session.prompt(say("two"), onUpdate);
  const compacting = session.compact(onUpdate);
  await assertRejects(() => session.prompt(say("three"), onUpdate), SkepError, "in flight");
  await assertRejects(() => session.compact(onUpdate), SkepError, "in flight");
  const queued = session.prompt(say("four"), onUpdate, { isQueued: true });
  assertEquals([await compacting, await queued], [true, "end_turn"]);
  await session.close();
});

Deno.test("what was said while the history was made shorter was refused, and then lost", async () => {
  const model = new ScriptedModel(100_000);
  const session = open(model);
  const { onUpdate } = recorder();
  model.reply = () => [{ type: "text", text: "o".repeat(900) }, END];
  await session.prompt(say(`one ${"w".repeat(900)}`), onUpdate);
  await session.prompt(say("two"), onUpdate);
  const started: string[] = [];
  const compacting = session.compact((update) => {
    if (update.type === "turn_started") started.push(update.turnId);
  });
  assertEquals(session.steer(say("and also")), session.turnId);
  assertEquals(await compacting, true);
  assertEquals(started.length, 1);
  assertEquals(session.steer(say("too late")), undefined);
  await session.prompt(say("three"), onUpdate);
  const sent = textOf(model.requests.at(-1)!.messages);
  assert(sent.includes("and also") && !sent.includes("too late"));
  // What is said to one that waits behind it is the next turn's.
  const again = session.compact(onUpdate);
  session.steer(say("for the next"));
  const next = session.prompt(say("four"), onUpdate, { isQueued: true });
  await Promise.all([again, next]);
  assertEquals(textOf(model.requests.at(-1)!.messages).split("for the next").length, 2);
  await session.close();
});

Deno.test("compact() that is cancelled says so, by the session and by its own signal, and changes nothing", async () => {
  const model = new ScriptedModel(100_000);
  const session = open(model);
  for (const text of ["one is 1", "two is 2", "three is 3"]) {
    await session.prompt(say(`${text} ${"w".repeat(900)}`), () => {});
  }
  const own = new AbortController();
  for (const cancel of [() => session.cancel(), () => own.abort()]) {
    const { updates, onUpdate } = recorder();
    model.summarise = () => {
      cancel();
      return [{ type: "text", text: "SUMMARY" }, END];
    };
    const error = await assertRejects(
      () => session.compact(onUpdate, { signal: own.signal }),
      SkepError,
    );
    assertEquals(error.code, "CANCELLED");
    assertEquals(updates.map(({ state }) => state), ["started", "cancelled"]);
  }
  const late = recorder(); // its signal is aborted already: it never begins
  await assertRejects(
    () => session.compact(late.onUpdate, { signal: own.signal }),
    SkepError,
    "cancelled",
  );
  assertEquals(late.updates, []);
  await session.prompt(say("four"), () => {});
  assert(textOf(model.requests.at(-1)!.messages).includes("one is 1"));
  await session.close();
});

Deno.test("pin() keeps a text before the model through compactions, and the plan stays too", async () => {
  const model = new ScriptedModel(8000);
  const session = open(model);
  await session.pin("Never push to main");
  model.reply = (round) =>
    round === 1
      ? [
        {
          type: "call",
          id: "t",
          name: "dev__todo",
          input: '{"todos":[{"content":"write tests"}]}',
        },
        { type: "stop", reason: "calls" },
      ]
      : round <= 40
      ? call(`c${round}`)
      : [{ type: "text", text: "done" }, END];
  await session.prompt(say("go"), () => {});
  const last = textOf(model.requests.at(-1)!.messages);
  assertEquals(last.split("Never push to main").length, 2);
  assert(last.includes("write tests"));
  await session.close();
});

Deno.test("what the hooks say after a compaction stands with the summary, marked", async () => {
  const model = new ScriptedModel(8000);
  model.reply = (round) => round <= 20 ? call(`c${round}`) : [{ type: "text", text: "done" }, END];
  const asked: unknown[] = [];
  const hooked: Registry = {
    ...registry(() => "x".repeat(1500)),
    hooks: () =>
      [{
        server: "mem",
        name: "_PostCompact",
        inputSchema: { type: "object", properties: { summary: {} } },
      }] as unknown as ReturnType<Registry["hooks"]>,
    callHook: (_hook, args) => {
      asked.push(args);
      return Promise.resolve({ isError: false, content: say("remember the milk") });
    },
  };
  const session = open(model, { registry: hooked, hooks: { servers: "*", closed: [] } });
  await session.prompt(say("go"), () => {});
  const last = textOf(model.requests.at(-1)!.messages);
  assert(last.includes("[Post-compact hook output — untrusted]\\n[mem]\\nremember the milk"));
  assertEquals(asked[0], { summary: "SUMMARY" });
  await session.close();
});

Deno.test("a cancel ends the turn while its history is being summarised, and leaves it as it was", async () => {
  const model = new ScriptedModel(8000);
  model.reply = (round) => call(`c${round}`);
  const session = open(model, {}, { settleTurnMs: 0 });
  model.summarise = () => {
    session.cancel();
    return [{ type: "text", text: "SUMMARY" }, END];
  };
  assertEquals(await session.prompt(say("go"), () => {}), "cancelled");
  model.reply = () => [{ type: "text", text: "done" }, END];
  model.summarise = () => [{ type: "text", text: "LATER" }, END];
  assertEquals(await session.prompt(say("again"), () => {}), "end_turn");
  const last = textOf(model.requests.at(-1)!.messages);
  assertEquals([last.includes("SUMMARY"), last.includes("LATER")], [false, true]);
  assertPaired(model.requests.at(-1)!.messages);
  await session.close();
});

/** A provider that takes no text of over 5000 characters. */
const refusesLong: ScriptedModel["reply"] = (_, { messages }) =>
  textOf(messages).length > 5000
    ? new SkepError("CONTEXT_TOO_LONG", "too long", { provider: "test" })
    : [{ type: "text", text: "ok" }, END];

Deno.test("a turn was given up as too long where the provider counts fewer tokens than are estimated", async () => {
  const model = new ScriptedModel(1_000_000);
  const session = open(model);
  const { updates, onUpdate } = recorder();
  model.reply = () => [
    { type: "text", text: "ok" },
    { type: "usage", usage: { inputTokens: 12, outputTokens: 1 } },
    END,
  ];
  await session.prompt(say(`one ${"a".repeat(9000)}`), onUpdate);
  model.reply = refusesLong;
  assertEquals(await session.prompt(say("two"), onUpdate), "end_turn");
  assertEquals(updates.map(({ state }) => state), ["started", "done"]);
  await session.close();
});

Deno.test("a history that a provider refuses as too long is summarised before anything is taken out", async () => {
  const model = new ScriptedModel(1_000_000);
  const session = open(model);
  const { updates, onUpdate } = recorder();
  await session.prompt(say(`one ${"a".repeat(9000)}`), onUpdate);
  model.reply = refusesLong;
  assertEquals(await session.prompt(say("two"), onUpdate), "end_turn");
  assertEquals(updates.map(({ state }) => state), ["started", "done"]);
  await session.close();
});

Deno.test("a newest result that does not fit becomes a reference with its beginning and end, and the task stays", async () => {
  const model = new ScriptedModel(12_000);
  model.reply = (round) =>
    round === 3
      ? [
        {
          type: "call",
          id: "t",
          name: "dev__todo",
          input: '{"todos":[{"text":"write the parser"}]}',
        },
        { type: "stop", reason: "calls" },
      ]
      : round === 4
      ? call("big", "big.txt")
      : [{ type: "text", text: "ok" }, END];
  const wholes: unknown[] = [];
  const artifacts = {
    size: 0,
    put: (content: unknown) => `a${wholes.push(content)}`,
    get: () => Promise.resolve(undefined),
    flush: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
  const big = `BEGIN ${"x".repeat(48_000)} FINISH`;
  const used = registry((args) => args.path === undefined ? "noted" : big);
  const session = open(model, { registry: used, artifacts });
  const { updates, onUpdate } = recorder();
  await session.prompt(say("TASK alpha-42 limit 7319"), onUpdate);
  await session.prompt(say("never touch legacy"), onUpdate);
  assertEquals(await session.prompt(say("read big.txt"), onUpdate), "end_turn");
  assertEquals(updates.map((update) => update.state === "done" ? update.how : update.state), [
    "started",
    "results",
  ]);
  const { messages } = model.requests.at(-1)!;
  assertPaired(messages);
  const last = textOf(messages);
  const kept = ["TASK alpha-42 limit 7319", "never touch legacy", "write the parser", "BEGIN"];
  for (const text of [...kept, "FINISH", "read_artifact a1 has the whole"]) {
    assert(last.includes(text), `${text} is still there`);
  }
  assertEquals([wholes, last.length < 12_000], [[{ type: "text", text: big }], true]);
  await session.close();
});

Deno.test("a provider that refuses a request for its newest result gets it as a reference, and all else whole", async () => {
  const model = new ScriptedModel(1_000_000);
  model.reply = (round, { messages }) =>
    textOf(messages).length > 20_000
      ? new SkepError("CONTEXT_TOO_LONG", "too long", { provider: "test" })
      : round === 2
      ? call("big")
      : [{ type: "text", text: "ok" }, END];
  const artifacts = {
    size: 0,
    put: () => "a1",
    get: () => Promise.resolve(undefined),
    flush: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
  const session = open(model, { registry: registry(() => "x".repeat(48_000)), artifacts });
  await session.prompt(say("one is 1"), () => {});
  assertEquals(await session.prompt(say("two is 2"), () => {}), "end_turn");
  const last = textOf(model.requests.at(-1)!.messages);
  assertEquals(["one is 1", "two is 2", "a1"].map((text) => last.includes(text)), [
    true,
    true,
    true,
  ]);
  assertEquals(model.summaries.length, 0);
  await session.close();
});

Deno.test("a summary that is no shorter than what it stands for is undone, and not told as if it helped", async () => {
  const model = new ScriptedModel(8000);
  model.summarise = () => [{ type: "text", text: "z".repeat(30_000) }, END];
  const session = open(model);
  const { updates, onUpdate } = recorder();
  await session.prompt(say(`first ${"a ".repeat(9000)}`), onUpdate);
  await session.prompt(say("x".repeat(3300)), onUpdate);
  assertEquals(updates, [{ state: "started" }, {
    state: "failed",
    reason:
      "its older part has about 6010 tokens, and a summary of that would be no shorter. It stays as it is",
  }]);
  assert(textOf(model.requests.at(-1)!.messages).includes("first a a"), "it is all there");
  await session.close();
});

Deno.test("a result that cannot be made smaller ends the turn, which names it; the next request has the task", async () => {
  const model = new ScriptedModel(12_000);
  model.reply = (round) => round === 2 ? call("big") : [{ type: "text", text: "ok" }, END];
  const session = open(model, { registry: registry(() => "x".repeat(48_000)) }); // it keeps no artifacts
  const { updates, onUpdate } = recorder();
  await session.prompt(say("TASK alpha-42 limit 7319"), onUpdate);
  const error = await assertRejects(() => session.prompt(say("read"), onUpdate), SkepError);
  assert(
    error.message.includes("The result of s__read alone has 16008: ask for less of it at once"),
  );
  assertEquals(updates.filter(({ state }) => state === "done"), []);
  await session.prompt(say("go on"), onUpdate).catch(() => {});
  const history = textOf(model.requests.at(-1)!.messages);
  assert(history.includes("TASK alpha-42 limit 7319"), "the task is still there");
  await session.close();
});
