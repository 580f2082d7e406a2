import { assertEquals } from "@std/assert";
import { echo, FakeSession, MemoryClient, never, untilCancelled } from "../../tests/acp_client.ts";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import type { Session, SessionRequest } from "../session/session.ts";

const IDLE_MS = 1_800_000;

/** A client whose time for rest comes when the test says so. */
class IdleClient {
  readonly sessions: FakeSession[] = [];
  readonly requests: SessionRequest[] = [];
  /** Opening waits for it. */
  gate: Promise<unknown> = Promise.resolve();
  fails: Error | undefined;
  readonly client: MemoryClient;
  #naps: (() => void)[] = [];

  constructor(play = echo, limits: Partial<typeof DEFAULT_LIMITS> = {}) {
    this.client = new MemoryClient({
      open: async (request): Promise<Session> => {
        this.requests.push(request);
        await this.gate;
        if (this.fails !== undefined) throw this.fails;
        const notices = [`opened for the ${this.sessions.length === 0 ? "first" : "next"} time`];
        const session = new FakeSession("s1", play, notices);
        this.sessions.push(session);
        return session;
      },
      resolveModel: (id) => Promise.resolve({ id, stream: unasked }),
      limits: { ...DEFAULT_LIMITS, ...limits },
      world: { sleep: (ms, signal) => this.#sleep(ms, signal), warn: () => {} },
    });
  }

  /** Nothing was done for as long as it takes. */
  async pass(): Promise<void> {
    for (const wake of this.#naps.splice(0)) wake();
    await settled();
  }

  log(at: number): string[] {
    return this.sessions[at]!.log;
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms !== IDLE_MS) return never(ms, signal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#naps.push(wake);
    signal?.addEventListener("abort", () => {
      this.#naps = this.#naps.filter((each) => each !== wake);
      reject(signal.reason);
    });
    return promise;
  }
}

Deno.test("a session that is idle rests, and its next prompt opens it again with its model and servers", async () => {
  const idle = new IdleClient();
  const { client } = idle;
  await client.open({ mcpServers: [{ name: "a", command: "c" }], systemPrompt: "Be kind." });
  await client.prompt("s1", "one");
  await client.request("session/set_model", { sessionId: "s1", modelId: "openai:y" });
  await idle.pass();
  assertEquals(idle.log(0), ["prompt", "rest"]);
  assertEquals(await client.prompt("s1", "two"), { stopReason: "end_turn" });
  assertEquals(idle.log(1), ["prompt"]);
  const [first, again] = idle.requests;
  assertEquals([first!.resume, again!.resume], [undefined, { id: "s1" }]);
  assertEquals([again!.servers, again!.systemPrompt], [first!.servers, "Be kind."]);
  assertEquals(idle.sessions[1]!.modelId, "openai:y");
  assertEquals(
    client.said(),
    "opened for the first time\n\noneopened for the next time\n\ntwo",
  );
  await idle.pass();
  await client.prompt("s1", "three"); // what was told once is not told again
  assertEquals(client.said().match(/for the next time/g)?.length, 1);
  await client.end();
  assertEquals(idle.log(2), ["prompt", "close"]);
});

Deno.test("what is asked of a session that rests wakes it, or is answered without", async () => {
  const idle = new IdleClient();
  const { client } = idle;
  await client.open();
  await idle.pass();
  const params = { sessionId: "s1", prompt: [{ type: "text", text: "x" }], expectedRunId: "r" };
  const steered = await client.request("_goose/unstable/session/steer", params);
  assertEquals(steered.message, "_goose/unstable/session/steer: no active run");
  await client.notify("session/cancel", { sessionId: "s1" });
  assertEquals(idle.sessions.length, 1);
  await client.request("session/set_mode", { sessionId: "s1", modeId: "plan" });
  assertEquals([idle.sessions.length, idle.sessions[1]!.mode], [2, "plan"]);
  await idle.pass();
  assertEquals(await client.request("session/close", { sessionId: "s1" }), {});
  assertEquals(idle.log(1), ["rest"]);
  await client.end();
});

Deno.test("a session does not rest while its turn runs, or while it is kept nowhere, or ever", async () => {
  const running = new IdleClient(untilCancelled);
  await running.client.open();
  running.client.prompt("s1", "go");
  await running.client.frame(({ params }) => JSON.stringify(params)?.includes("working") === true);
  await running.pass();
  await running.client.end();
  assertEquals(running.log(0).includes("rest"), false);

  const unkept = new IdleClient();
  await unkept.client.open();
  unkept.sessions[0]!.rest = () => Promise.resolve(false);
  await unkept.pass();
  await unkept.client.prompt("s1", "still there");
  assertEquals(unkept.log(0), ["prompt"]);
  await unkept.client.end();

  const never = new IdleClient(echo, { idleSessionS: 0 });
  await never.client.open();
  await never.pass();
  await never.client.end();
  assertEquals(never.log(0), ["close"]);
});

Deno.test("a prompt that waits for its session to wake can be cancelled; one that fails leaves it at rest", async () => {
  const idle = new IdleClient();
  const { client } = idle;
  await client.open();
  await idle.pass();
  idle.fails = new SkepError("STORE_FAILED", "the disk is full", { place: "/s" });
  const failed = await client.prompt("s1", "one");
  assertEquals(String(failed.message).includes("the disk is full"), true);
  idle.fails = undefined;
  const opened = Promise.withResolvers<void>();
  idle.gate = opened.promise;
  const waiting = client.prompt("s1", "two");
  await settled();
  await client.notify("session/cancel", { sessionId: "s1" });
  await settled();
  opened.resolve();
  assertEquals(await waiting, { stopReason: "cancelled" });
  assertEquals(idle.log(1), ["close"]);
  assertEquals(await client.prompt("s1", "three"), { stopReason: "end_turn" });
  await client.end();
  assertEquals(idle.log(2), ["prompt", "close"]);
});

Deno.test("a prompt over the limit of running turns waits for the end of one, and its client is told", async () => {
  let opened = 0;
  const client = new MemoryClient({
    open: () =>
      Promise.resolve(new FakeSession(`s${++opened}`, opened === 1 ? untilCancelled : echo)),
    limits: { ...DEFAULT_LIMITS, maxRunningTurns: 1 },
  });
  await client.open();
  await client.open();
  const first = client.prompt("s1", "one");
  await client.frame(({ params }) => JSON.stringify(params)?.includes("working") === true);
  const second = client.prompt("s2", "two");
  await client.frame(({ params }) =>
    JSON.stringify(params)?.includes("1 turns run already") === true
  );
  await client.notify("session/cancel", { sessionId: "s1" });
  assertEquals([await first, await second], [{ stopReason: "cancelled" }, {
    stopReason: "end_turn",
  }]);
  await client.end();
});

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}

function unasked(): never {
  throw new Error("no model is asked here");
}
