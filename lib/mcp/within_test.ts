import { assertEquals, assertRejects } from "@std/assert";
import { within } from "./within.ts";

const never = new Promise<string>(() => {});
const sleepless = (_ms: number, signal?: AbortSignal) =>
  new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

Deno.test("within() gives what comes in time, and stops its timer", async () => {
  let stopped: AbortSignal | undefined;
  const value = await within(Promise.resolve("x"), 10, (ms, signal) => {
    assertEquals(ms, 10);
    stopped = signal;
    return sleepless(ms, signal);
  });
  assertEquals([value, stopped?.aborted], ["x", true]);
});

Deno.test("within() gives undefined when the time is over, and when the caller left", async () => {
  assertEquals(await within(never, 10, () => Promise.resolve()), undefined);
  assertEquals(await within(never, 10, sleepless, AbortSignal.timeout(1)), undefined);
});

Deno.test("within() throws what fails in time", async () => {
  await assertRejects(() => within(Promise.reject(new Error("no")), 10, sleepless), Error, "no");
});
