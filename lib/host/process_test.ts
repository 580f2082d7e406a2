import { assertEquals } from "@std/assert";
import { type ExitStatus, stopProcess } from "./process.ts";

/** A child that ends when `endsBy` is done to it, and notes all that is; time passes as it is slept. */
function fakeChild(endsBy: "stdin" | "SIGTERM" | "SIGKILL"): {
  log: string[];
  stop: () => Promise<void>;
} {
  const log: string[] = [];
  const ended = Promise.withResolvers<ExitStatus>();
  const does = (what: string) => {
    log.push(what);
    if (what === endsBy) ended.resolve({ code: 0, signal: undefined });
  };
  const process = {
    exited: ended.promise,
    signalGroup: (name: string) => {
      does(name);
      return true;
    },
  };
  const closeStdin = () => Promise.resolve(does("stdin"));
  const sleep = async (ms: number, signal?: AbortSignal) => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve(); // an end that is there comes first
    signal?.throwIfAborted();
    log.push(`${ms} ms`);
  };
  return { log, stop: () => stopProcess(process, closeStdin, 300, { sleep }) };
}

Deno.test("stopProcess() leaves it at closing stdin for a child that heeds it, and kills what that left behind", async () => {
  const { log, stop } = fakeChild("stdin");
  await stop();
  assertEquals(log, ["stdin", "SIGKILL"]);
});

Deno.test("stopProcess() goes on to TERM, and to KILL, each after its wait", async () => {
  const heedsTerm = fakeChild("SIGTERM");
  await heedsTerm.stop();
  assertEquals(heedsTerm.log, ["stdin", "300 ms", "SIGTERM", "SIGKILL"]);
  const heedsNothing = fakeChild("SIGKILL");
  await heedsNothing.stop();
  assertEquals(heedsNothing.log, ["stdin", "300 ms", "SIGTERM", "300 ms", "SIGKILL"]);
});
