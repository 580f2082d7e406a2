import { assertEquals } from "@std/assert";
import { Deadline } from "./deadline.ts";

/** A clock that the test moves: each sleeper wakes when its time has come. */
function fakeTime() {
  let nowMs = 0;
  const sleepers = new Set<{ atMs: number; wake: () => void }>();
  return {
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const sleeper = { atMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    async pass(ms: number) {
      nowMs += ms;
      for (const sleeper of sleepers) if (sleeper.atMs <= nowMs) sleeper.wake();
      await Promise.resolve();
      await Promise.resolve();
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}

Deno.test("Deadline gives up when its time is over", async () => {
  const time = fakeTime();
  using deadline = new Deadline(2000, new AbortController().signal, time.sleep);
  await time.pass(1999);
  assertEquals([deadline.isLate, deadline.signal.aborted], [false, false]);
  await time.pass(1);
  assertEquals([deadline.isLate, deadline.signal.aborted], [true, true]);
  assertEquals(deadline.signal.reason, "no answer within 2 s");
});

Deno.test("Deadline has its whole time anew when it is extended (T16)", async () => {
  const time = fakeTime();
  using deadline = new Deadline(2000, new AbortController().signal, time.sleep);
  for (let second = 0; second < 6; second++) {
    await time.pass(1500);
    deadline.extend();
  }
  assertEquals(deadline.isLate, false);
  await time.pass(2000);
  assertEquals(deadline.isLate, true);
});

Deno.test("Deadline tells a caller that left from a time that is over", () => {
  const caller = new AbortController();
  const time = fakeTime();
  using deadline = new Deadline(2000, caller.signal, time.sleep);
  caller.abort();
  assertEquals([deadline.isLate, deadline.signal.aborted], [false, true]);
  assertEquals(deadline.signal.reason, "the caller left");
  deadline.extend();
  assertEquals(time.sleepers, 0);
});

Deno.test("Deadline is over at once for a caller that left before", () => {
  const time = fakeTime();
  using deadline = new Deadline(2000, AbortSignal.abort(), time.sleep);
  assertEquals([deadline.isLate, deadline.signal.aborted, time.sleepers], [false, true, 0]);
});

Deno.test("Deadline aborts nothing once it was disposed of", async () => {
  const caller = new AbortController();
  const time = fakeTime();
  const deadline = new Deadline(2000, caller.signal, time.sleep);
  deadline[Symbol.dispose]();
  caller.abort();
  await time.pass(5000);
  assertEquals([deadline.signal.aborted, time.sleepers], [false, 0]);
});
