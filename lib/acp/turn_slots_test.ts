import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { TurnSlots } from "./turn_slots.ts";

const never = new AbortController().signal;

Deno.test("TurnSlots gives as many slots as it has, and the next one waits and is told so", async () => {
  const log: string[] = [];
  const slots = new TurnSlots(2);
  const take = async (name: string, signal = never) => {
    const slot = await slots.take(signal, () => log.push(`${name} waits`));
    log.push(`${name} begins`);
    return slot;
  };
  const [a, b] = await Promise.all([take("a"), take("b")]);
  const [c, d] = [take("c"), take("d")];
  await settled();
  assertEquals(log, ["a begins", "b begins", "c waits", "d waits"]);
  a[Symbol.dispose]();
  a[Symbol.dispose](); // gives nothing twice
  await settled();
  assertEquals(log.slice(4), ["c begins"]);
  b[Symbol.dispose]();
  await settled();
  assertEquals(log.slice(5), ["d begins"]);
  for (const slot of [await c, await d]) slot[Symbol.dispose]();
  using _e = await take("e");
  using _f = await take("f");
  assertEquals(log.slice(6), ["e begins", "f begins"]);
});

Deno.test("a turn that is cancelled while it waits for a slot takes none", async () => {
  const slots = new TurnSlots(1);
  const first = await slots.take(never);
  const cancel = new AbortController();
  const cancelled = assertRejects(() => slots.take(cancel.signal), SkepError, "was cancelled");
  const next = slots.take(never);
  cancel.abort();
  await cancelled;
  await assertRejects(() => slots.take(AbortSignal.abort()), SkepError, "was cancelled");
  first[Symbol.dispose]();
  using _next = await next;
});

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
