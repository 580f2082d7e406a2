import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import type { CallResult, Registry } from "../mcp/registry.ts";
import type { Message } from "../model/message.ts";
import type { Model, ModelPart } from "../model/model.ts";
import type { Update } from "../turn/update.ts";
import { openSession, type SessionParts } from "./open_session.ts";
import type { Session } from "./session.ts";

const ENDS: ModelPart[] = [{ type: "stop", reason: "end" }];
const OK: CallResult = { isError: false, content: [{ type: "text", text: "ok" }] };

const unchanged = () => Promise.reject(new Error("its servers stay as they are"));

/** A model and a tool that a test makes answer, and the history as the model saw it last. */
class World {
  history: readonly Message[] = [];
  #asked: ((parts: ModelPart[] | Error) => void)[] = [];
  #called: ((result: CallResult) => void)[] = [];
  #calls = 0;

  readonly model: Model = {
    id: "test:model",
    stream: (request, signal) => this.#stream(request.messages, signal),
  };

  readonly registry: Registry = {
    tools: () => [{ name: "s__t", description: "", inputSchema: {} }],
    call: (_name, _args, signal) =>
      new Promise((resolve, reject) => {
        const leave = () => reject(new SkepError("CANCELLED", "cancelled", {}));
        if (signal.aborted) return leave();
        this.#called.push(resolve);
        signal.addEventListener("abort", leave);
      }),
    servers: () => [],
    hooks: () => [],
    callHook: () => Promise.reject(new Error("there is no hook")),
    giveUp: () => Promise.resolve(),
    looksOnly: () => false,
    publishes: () => false,
    namesOf: () => ({ own: [], shared: [] }),
    instructions: () => [],
    absences: () => [],
    whyNot: () => undefined,
    mayHave: () => false,
    wake: () => Promise.resolve(false),
    hasHidden: false,
    find: () => ({ tools: [], more: 0, hidden: 0 }),
    inventory: () => Promise.resolve([]),
    specs: () => [],
    grantOf: () => undefined,
    add: unchanged,
    remove: unchanged,
    disable: unchanged,
    reload: unchanged,
    close: () => Promise.resolve(),
  };

  open(limits: Partial<Limits> = {}, more: Partial<SessionParts> = {}): Session {
    return openSession({
      cwd: "/work",
      system: "",
      model: this.model,
      registry: this.registry,
      builtIns: [],
      notices: [],
      limits: { ...DEFAULT_LIMITS, ...limits },
      world: { sleep: never },
      ...more,
    });
  }

  /** The request that waits longest gets its answer; nothing when none waits. */
  async answer(parts: ModelPart[] | Error): Promise<void> {
    this.#asked.shift()?.(parts);
    await settled();
  }

  async endCall(): Promise<void> {
    this.#called.shift()?.(OK);
    await settled();
  }

  newCall(): ModelPart {
    return { type: "call", id: `c${++this.#calls}`, name: "s__t", input: "{}" };
  }

  async *#stream(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<ModelPart> {
    this.history = messages;
    const { promise, resolve, reject } = Promise.withResolvers<ModelPart[] | Error>();
    this.#asked.push(resolve);
    signal.addEventListener("abort", () => {
      this.#asked = this.#asked.filter((one) => one !== resolve);
      reject(new SkepError("CANCELLED", "cancelled", {}));
    });
    const parts = await promise;
    if (parts instanceof Error) throw parts;
    yield* parts;
  }
}

function never(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Waits until nothing goes on that does not wait for the test. */
async function settled(): Promise<void> {
  for (let tick = 0; tick < 40; tick++) await Promise.resolve();
}

function said(text: string): { type: "text"; text: string }[] {
  return [{ type: "text", text }];
}

const IGNORE = () => {};

Deno.test("openSession() refuses a second prompt, and runs one that is queued after the first", async () => {
  const world = new World();
  const session = world.open();
  const first = session.prompt(said("one"), IGNORE);
  await assertRejects(() => session.prompt(said("two"), IGNORE), SkepError, "already in flight");
  const second = session.prompt(said("three"), IGNORE, { isQueued: true });
  await settled();
  await world.answer([{ type: "text", text: "1" }, ...ENDS]);
  assertEquals(await first, "end_turn");
  assertEquals(session.isRunning, true);
  await settled();
  assertEquals(world.history.map(({ role }) => role), ["user", "assistant", "user"]);
  await world.answer(ENDS);
  assertEquals([await second, session.isRunning], ["end_turn", false]);
});

Deno.test("openSession() queues as many prompts as the limit, and refuses the next one", async () => {
  const world = new World();
  const session = world.open({ maxQueuedPrompts: 1 });
  const queued = () => session.prompt(said("x"), IGNORE, { isQueued: true });
  const turns = [queued(), queued()];
  await assertRejects(queued, SkepError, "1 prompts wait already");
  session.cancel();
  assertEquals(await Promise.all(turns), ["cancelled", "cancelled"]);
});

Deno.test("openSession() runs a prompt that comes after a cancel, behind the cancelled turn, with its history (T12)", async () => {
  const world = new World();
  const session = world.open();
  const first = session.prompt(said("one"), IGNORE);
  await settled();
  session.cancel();
  const second = session.prompt(said("two"), IGNORE);
  assertEquals(await first, "cancelled");
  await settled();
  await world.answer(ENDS);
  assertEquals(await second, "end_turn");
  assertEquals(world.history, [
    { role: "user", content: said("one") },
    { role: "user", content: said("two") },
  ]);
});

Deno.test("openSession() takes a cancel right behind a prompt", async () => {
  const session = new World().open();
  const turn = session.prompt(said("one"), IGNORE);
  session.cancel();
  assertEquals(await turn, "cancelled");
});

Deno.test("openSession() steers the turn that is named, and no other", async () => {
  const world = new World();
  const session = world.open({ maxSteersPerTurn: 1 });
  assertEquals(session.steer(said("x")), undefined);
  const started: Update[] = [];
  const turn = session.prompt(said("one"), (update) => started.push(update));
  await settled();
  const { turnId } = session;
  assertEquals(started, [{ type: "turn_started", turnId: turnId! }]);
  assertEquals(session.steer(said("x"), "run_other"), undefined);
  assertEquals(session.steer(said("more"), turnId), turnId);
  try {
    session.steer(said("too much"));
    throw new Error("it was taken");
  } catch (error) {
    assertEquals(error instanceof SkepError && error.code, "SESSION_BUSY");
  }
  await world.answer(ENDS);
  await world.answer(ENDS);
  assertEquals(await turn, "end_turn");
  assertEquals(world.history.at(-1), { role: "user", content: said("more") });
  assertEquals(session.steer(said("late"), turnId), undefined);
});

Deno.test("a steer right behind a prompt was refused, its turn not begun", async () => {
  const world = new World();
  const session = world.open();
  const turn = session.prompt(said("one"), IGNORE);
  assertEquals(session.steer(said("more")), session.turnId);
  await settled();
  await world.answer(ENDS);
  assertEquals(world.history, [
    { role: "user", content: said("one") },
    { role: "user", content: said("more") },
  ]);
  await world.answer(ENDS);
  assertEquals(await turn, "end_turn");
});

Deno.test("a steer to a prompt that never began is for the next one", async () => {
  const world = new World();
  const session = world.open();
  const first = session.prompt(said("one"), IGNORE);
  assertEquals(session.steer(said("kept")), session.turnId);
  session.cancel();
  assertEquals(await first, "cancelled");
  const second = session.prompt(said("two"), IGNORE);
  await settled();
  await world.answer(ENDS);
  assertEquals(await second, "end_turn");
  assertEquals(world.history, [
    { role: "user", content: said("kept") },
    { role: "user", content: said("two") },
  ]);
});

Deno.test("openSession() works on, with its history, after a turn that crashed", async () => {
  const world = new World();
  const session = world.open();
  const broken = () => {
    throw new Error("the watcher broke");
  };
  await assertRejects(() => session.prompt(said("one"), broken), Error, "the watcher broke");
  const turn = session.prompt(said("two"), IGNORE);
  await settled();
  await world.answer(ENDS);
  assertEquals([await turn, world.history.length], ["end_turn", 2]);
});

Deno.test("openSession() cancels a queued prompt alone by its own signal", async () => {
  const world = new World();
  const session = world.open();
  const first = session.prompt(said("one"), IGNORE);
  const leave = new AbortController();
  const second = session.prompt(said("two"), IGNORE, { isQueued: true, signal: leave.signal });
  leave.abort();
  await settled();
  await world.answer(ENDS);
  assertEquals([await first, await second], ["end_turn", "cancelled"]);
  assertEquals(world.history, [{ role: "user", content: said("one") }]);
});

Deno.test("openSession() runs in plan mode only what can change nothing", async () => {
  const world = new World();
  const rules = [{ source: "test", rules: [], mode: "plan" as const }];
  const session = world.open({}, { approvals: { rules } });
  assertEquals(session.mode, "plan");
  const turn = session.prompt(said("go"), IGNORE);
  await settled();
  await world.answer([world.newCall(), { type: "stop", reason: "calls" }]);
  assertEquals(JSON.stringify(world.history.at(-1)).includes("plan mode"), true);
  session.setMode("normal");
  await world.answer([world.newCall(), { type: "stop", reason: "calls" }]);
  await world.endCall();
  await world.answer(ENDS);
  assertEquals(await turn, "end_turn");
});

Deno.test("openSession() waits at its end for a hook that hears of it, and not longer than the limit", async () => {
  const world = new World();
  const told: string[] = [];
  const waits: number[] = [];
  const hook = { server: "a", name: "_SessionEnd", inputSchema: {} };
  const session = world.open({ endHookMs: 7 }, {
    hooks: { servers: ["a"], closed: [] },
    registry: {
      ...world.registry,
      hooks: () => [hook],
      callHook: ({ name }, _args, signal) => {
        told.push(name);
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new SkepError("CANCELLED", "x", {})))
        );
      },
    },
    world: {
      sleep: (ms, signal) => {
        waits.push(ms);
        return ms === 7 ? Promise.resolve() : never(ms, signal);
      },
    },
  });
  await session.close();
  assertEquals([told, waits.includes(7)], [["_SessionEnd"], true]);
});

/** What a session has to keep, whatever is done to it in whatever order. */
interface Promises {
  readonly stops: Promise<string>[];
  readonly steers: string[];
}

type Real = { readonly session: Session; readonly world: World; steers: number };

const prompts = (isQueued: boolean): fc.AsyncCommand<Promises, Real> => ({
  check: () => true,
  toString: () => isQueued ? "queue" : "prompt",
  async run(model, { session }) {
    const stop = session.prompt(said("prompt"), IGNORE, { isQueued });
    model.stops.push(stop.catch((error) => `error ${error.message}`));
    await settled();
  },
});

const crashes: fc.AsyncCommand<Promises, Real> = {
  check: () => true,
  toString: () => "crash",
  async run(model, { session }) {
    const stop = session.prompt(said("crash"), (update) => {
      if (update.type === "call_started") throw new Error("crash");
    }, { isQueued: true });
    model.stops.push(stop.catch((error) => `error ${error.message}`));
    await settled();
  },
};

const steers: fc.AsyncCommand<Promises, Real> = {
  check: () => true,
  toString: () => "steer",
  async run(model, real) {
    const text = `steer ${real.steers++}`;
    if (real.session.steer(said(text)) !== undefined) model.steers.push(text);
    if (real.steers % 2 === 0) await settled();
  },
};

const does = (name: string, act: (real: Real) => unknown): fc.AsyncCommand<Promises, Real> => ({
  check: () => true,
  toString: () => name,
  run: async (_, real) => void await act(real),
});

Deno.test("openSession() gives each prompt one stop, each call one result and loses no steer, in any interleaving", async () => {
  const commands = fc.commands<Promises, Real, false>([
    fc.boolean().map(prompts),
    fc.constant(crashes),
    fc.constant(steers),
    fc.constant(does("cancel", ({ session }) => session.cancel())),
    fc.constant(does("reply", ({ world }) => world.answer(ENDS))),
    fc.constant(
      does(
        "calls",
        ({ world }) =>
          world.answer([world.newCall(), world.newCall(), { type: "stop", reason: "calls" }]),
      ),
    ),
    fc.constant(
      does(
        "cut off",
        ({ world }) => world.answer([world.newCall(), { type: "stop", reason: "max_tokens" }]),
      ),
    ),
    fc.constant(does("break", ({ world }) => world.answer([world.newCall()]))),
    fc.constant(does("fail", ({ world }) => world.answer(new Error("no network")))),
    fc.constant(does("end call", ({ world }) => world.endCall())),
  ] as fc.Arbitrary<fc.AsyncCommand<Promises, Real>>[], { maxCommands: 40 });
  await fc.assert(
    fc.asyncProperty(commands, async (commands) => {
      const world = new World();
      const real = { session: world.open(), world, steers: 0 };
      const model: Promises = { stops: [], steers: [] };
      await fc.asyncModelRun(() => ({ model, real }), commands);
      real.session.cancel();
      await Promise.all(model.stops);
      assertEquals(real.session.isRunning, false);
      const last = real.session.prompt(said("last"), IGNORE);
      await settled();
      checkPairs(world.history);
      const texts = world.history.flatMap((message) =>
        message.role === "user" ? message.content : []
      ).flatMap((block) => block.type === "text" ? [block.text] : []);
      assertEquals(texts.filter((text) => text.startsWith("steer ")), model.steers);
      await world.answer(ENDS);
      assertEquals(await last, "end_turn");
    }),
    { numRuns: 150 },
  );
});

/** Every call is answered once, by the message behind it, in order. */
function checkPairs(history: readonly Message[]): void {
  for (const [index, message] of history.entries()) {
    const next = history[index + 1];
    const calls = message.role === "assistant"
      ? message.content.flatMap((part) => part.type === "call" ? [part.id] : [])
      : [];
    const answered = next?.role === "tool" ? next.results.map(({ callId }) => callId) : [];
    assertEquals(answered, calls);
  }
}
