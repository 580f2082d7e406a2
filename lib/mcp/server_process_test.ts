import { assertEquals } from "@std/assert";
import type { ExitStatus } from "../host/process.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { ServerProcess } from "./server_process.ts";

/** Every wait takes 5 ms. */
function shortSleep(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 5);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A child in memory, which ends when the test says so, or at a KILL. */
function fakeChild(onSignal: () => void = () => {}) {
  const exit = Promise.withResolvers<ExitStatus>();
  const events: string[] = [];
  const logs: string[] = [];
  const output = () => {
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({ start: (it) => void (controller = it) });
    return {
      stream,
      say: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
      close: () => controller.close(),
    };
  };
  const [stdout, stderr] = [output(), output()];
  const process = new ServerProcess({
    pid: 1,
    stdin: new WritableStream<Uint8Array>({ close: () => void events.push("EOF") }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    exited: exit.promise,
    endStarted: () => Promise.resolve(0),
    signalGroup: (name) => {
      events.push(name);
      onSignal();
      if (name === "SIGKILL") exit.resolve({ code: 137, signal: "SIGKILL" });
      return true;
    },
  }, {
    limits: DEFAULT_LIMITS,
    world: { sleep: shortSleep },
    log: (kind, text) => logs.push(`${kind} ${text}`),
    redact: (text) => text.replaceAll("t0ken-123", "[secret TOKEN]"),
  });
  return { process, stdout, stderr, events, logs, exit: exit.resolve };
}

Deno.test("ServerProcess tells no secret in a child's last words (T91)", async () => {
  const child = fakeChild();
  child.stderr.say("bad key t0ken-123");
  for (const pipe of [child.stdout, child.stderr]) pipe.close();
  child.exit({ code: 1, signal: undefined });
  assertEquals(
    await child.process.ended,
    "exited with code 1; the end of its stderr: bad key [secret TOKEN]",
  );
});

Deno.test("ServerProcess says how a child exited, with its last words, and kills who it left behind", async () => {
  const child = fakeChild();
  child.stderr.say("panic: no disk");
  for (const pipe of [child.stdout, child.stderr]) pipe.close();
  child.exit({ code: 2, signal: undefined });
  assertEquals(
    await child.process.ended,
    "exited with code 2; the end of its stderr: panic: no disk",
  );
  assertEquals(child.events, ["EOF", "SIGKILL"]);
});

Deno.test("ServerProcess names the signal that ended a child", async () => {
  const child = fakeChild();
  child.stdout.close();
  child.exit({ code: 139, signal: "SIGSEGV" });
  assertEquals(await child.process.ended, "was ended by SIGSEGV");
});

Deno.test("ServerProcess stops a child that closed its output and goes on", async () => {
  const child = fakeChild();
  child.stdout.close();
  assertEquals(await child.process.ended, "closed its output");
  assertEquals(child.events, ["EOF", "SIGTERM", "SIGKILL"]);
});

Deno.test("ServerProcess reads what a child said before its exit was noticed", async () => {
  const child = fakeChild();
  const messages: unknown[] = [];
  child.process.transport.onmessage = (message) => messages.push(message);
  child.exit({ code: 0, signal: undefined });
  child.stdout.say('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  for (const pipe of [child.stdout, child.stderr]) pipe.close();
  assertEquals(await child.process.ended, "exited with code 0");
  assertEquals(messages, [{ jsonrpc: "2.0", id: 1, result: {} }]);
});

Deno.test("ServerProcess does not wait for pipes that someone outside its group holds open", async () => {
  const child = fakeChild();
  child.exit({ code: 0, signal: undefined });
  assertEquals(await child.process.ended, "exited with code 0");
});

Deno.test("ServerProcess gives the reason that it was stopped for, the first one only", async () => {
  const child = fakeChild();
  const stopping = child.process.stop("was in the way");
  assertEquals(await child.process.stop("was something else"), "was in the way");
  assertEquals(await stopping, "was in the way");
  assertEquals(child.events, ["EOF", "SIGTERM", "SIGKILL"]);
});

Deno.test("ServerProcess settles all even if the child cannot be killed", async () => {
  const child = fakeChild(() => {
    throw new Error("not permitted");
  });
  let isClosed = false;
  child.process.transport.onclose = () => void (isClosed = true);
  assertEquals(await child.process.stop("was in the way"), "was in the way");
  assertEquals([isClosed, child.logs], [true, ["health cannot be stopped: not permitted"]]);
});
