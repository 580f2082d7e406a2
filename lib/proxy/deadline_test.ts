import { assertEquals, assertRejects } from "@std/assert";
import { deadline } from "./deadline.ts";
import { settle, TestClock } from "./test_clock.ts";

const NEVER = new AbortController().signal;

Deno.test("deadline() gives what comes in time", async () => {
  const clock = new TestClock();
  using due = deadline(10, NEVER, clock);
  await clock.pass(9);
  assertEquals(await due.wait(Promise.resolve(1)), 1);
  assertEquals(due.signal.aborted, false);
});

Deno.test("deadline() gives up what has not come when its time has", async () => {
  const clock = new TestClock();
  using due = deadline(10, NEVER, clock);
  const waiting = assertRejects(() => due.wait(new Promise(() => {})));
  await clock.pass(10);
  await waiting;
  assertEquals(due.signal.aborted, true);
});

Deno.test("deadline() of a caller that is gone has passed", async () => {
  using due = deadline(10, AbortSignal.abort(), new TestClock());
  assertEquals(due.signal.aborted, true);
  await assertRejects(() => due.wait(new Promise(() => {})));
});

Deno.test("deadline() passes with its caller, and leaves no timer when it is over", async () => {
  const clock = new TestClock();
  const caller = new AbortController();
  using due = deadline(10, caller.signal, clock);
  caller.abort();
  assertEquals(due.signal.aborted, true);
  {
    using _over = deadline(10, NEVER, clock);
    assertEquals(clock.sleepers, 1);
  }
  await settle();
  assertEquals(clock.sleepers, 0);
});
