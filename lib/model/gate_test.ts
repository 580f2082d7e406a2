import { assertEquals, assertRejects } from "@std/assert";
import { Gate, type GateLimits, Gates, type Place } from "./gate.ts";

/** A gate in a world whose clock the test moves. */
function gateOf(limits: GateLimits) {
  let now = 0;
  const alarms: { atMs: number; ring: () => void }[] = [];
  const world = {
    nowMs: () => now,
    sleep: (ms: number, signal?: AbortSignal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      alarms.push({ atMs: now + ms, ring: resolve });
      signal?.addEventListener("abort", () => reject(signal.reason));
      return promise;
    },
  };
  const gate = new Gate(limits, world);
  const order: string[] = [];
  const enter = (who: string, tokens = 1, signal = new AbortController().signal): Place => {
    const place = gate.enter(who, tokens, signal);
    place.ready.then(() => order.push(who), () => {});
    return place;
  };
  const settle = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  const moveTo = async (ms: number) => {
    now = ms;
    for (const alarm of alarms.splice(0)) {
      if (alarm.atMs <= now) alarm.ring();
      else alarms.push(alarm);
    }
    await settle();
  };
  return { gate, order, enter, settle, moveTo };
}

Deno.test("Gate lets requests go at once up to its limit, and one past it when another ends", async () => {
  const { order, enter, settle } = gateOf({ concurrent: 2 });
  const places = [enter("a"), enter("b"), enter("c"), enter("d")];
  await settle();
  assertEquals([places.map(({ position }) => position), order], [[0, 0, 1, 2], ["a", "b"]]);
  places[0]!.leave();
  places[0]!.leave(); // a second time is nothing
  await settle();
  assertEquals(order, ["a", "b", "c"]);
});

Deno.test("Gate takes whoever has the fewest running, then whoever went the longest ago", async () => {
  const { order, enter, settle } = gateOf({ concurrent: 1 });
  const places = new Map<string, Place[]>();
  for (const who of ["busy", "busy", "busy", "quiet", "other", "quiet"]) {
    places.set(who, [...places.get(who) ?? [], enter(who)]);
  }
  for (let ended = 0; ended < 6; ended++) {
    await settle();
    places.get(order[ended]!)?.shift()?.leave(); // those of one session go in their own order
  }
  assertEquals(order, ["busy", "quiet", "other", "busy", "quiet", "busy"]);
});

Deno.test("Gate counts requests of a minute, and goes on by itself when they are over", async () => {
  const { order, enter, settle, moveTo } = gateOf({ requestsPerMinute: 2 });
  for (const who of ["a", "b", "c"]) enter(who);
  await settle();
  assertEquals(order, ["a", "b"]);
  await moveTo(59_999);
  assertEquals(order, ["a", "b"]);
  await moveTo(60_000);
  assertEquals(order, ["a", "b", "c"]);
});

Deno.test("Gate counts tokens of a minute, as they were in truth once that is known", async () => {
  const { order, enter, settle, moveTo } = gateOf({ tokensPerMinute: 100 });
  enter("a", 60).leave(30);
  enter("b", 70).leave();
  await settle();
  assertEquals(order, ["a", "b"]);
  enter("c", 1);
  await settle();
  assertEquals(order, ["a", "b"]);
  await moveTo(60_000);
  assertEquals(order, ["a", "b", "c"]);
  enter("huge", 1000);
  await settle();
  assertEquals(order.length, 3);
  await moveTo(120_000);
  assertEquals(order.at(-1), "huge"); // more than a minute may hold: it goes alone
});

Deno.test("Gate lets nobody go while the provider wants a pause", async () => {
  const { gate, order, enter, settle, moveTo } = gateOf({ concurrent: 9 });
  gate.pause(5_000);
  enter("a");
  await settle();
  assertEquals(order, []);
  await moveTo(5_000);
  assertEquals(order, ["a"]);
});

Deno.test("Gate forgets whoever gives up, in the line or before it", async () => {
  const { order, enter, settle } = gateOf({ concurrent: 1 });
  const first = enter("a");
  const abort = new AbortController();
  const second = enter("b", 1, abort.signal);
  enter("c");
  abort.abort(new Error("enough"));
  await assertRejects(() => second.ready, Error, "enough");
  await assertRejects(
    () => enter("d", 1, AbortSignal.abort(new Error("early"))).ready,
    Error,
    "early",
  );
  first.leave();
  await settle();
  assertEquals(order, ["a", "c"]);
});

Deno.test("Gates gives one gate to all who ask a provider, and none without limits", () => {
  const gates = new Gates();
  const world = { nowMs: () => 0, sleep: () => Promise.resolve() };
  const gate = gates.of("acme", { concurrent: 1 }, world);
  assertEquals(gates.of("acme", { concurrent: 1 }, world) === gate, true);
  assertEquals(gates.of("other", { concurrent: 1 }, world) === gate, false);
  assertEquals([gates.of("acme", {}, world), gates.of("acme", undefined, world)], [
    undefined,
    undefined,
  ]);
});
