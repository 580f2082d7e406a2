import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Health, type HealthEvent, isLive, restartWaitMs, stepHealth } from "./health.ts";

const LIMITS = { restartAttempts: 3, restartBaseMs: 500, restartMaxMs: 1500 };

const ended = (more: Partial<Extract<HealthEvent, { type: "ended" }>> = {}): HealthEvent => (
  {
    ...{ type: "ended", reason: "exited", isKnown: true, isForCancel: false },
    ...{ nowMs: 1000, random: 0.5 },
    ...more,
  }
);

function after(events: readonly HealthEvent[], first: Health = { state: "idle" }): Health {
  return events.reduce((health, event) => stepHealth(health, event, LIMITS), first);
}

Deno.test("restartWaitMs() starts at once, doubles up to its bound, and varies by a fifth (10.32 backoff)", () => {
  const waits = [1, 2, 3, 4, 5, 60].map((ends) => restartWaitMs(ends, LIMITS, 0.5));
  assertEquals(waits, [0, 500, 1000, 1500, 1500, 1500]);
  assertEquals([restartWaitMs(2, LIMITS, 0), restartWaitMs(2, LIMITS, 0.999_999)], [400, 600]);
});

Deno.test("stepHealth() restarts a server that answered, and gives up the third end in a row", () => {
  const start: HealthEvent[] = [{ type: "spawned" }, { type: "connected" }];
  const once = after([...start, ended()]);
  assertEquals(once, { state: "dead", ends: 1, reason: "exited", restartAtMs: 1000 });
  const twice = after([...start, ended()], once);
  assertEquals(twice, { state: "dead", ends: 2, reason: "exited", restartAtMs: 1500 });
  assertEquals(after([...start, ended()], twice), { state: "exhausted", reason: "exited" });
  const answered = after([...start, { type: "answered" }, ended()], twice);
  assertEquals(answered, { state: "dead", ends: 1, reason: "exited", restartAtMs: 1000 });
});

Deno.test("a server that starts and never answers uses its restarts up (10.13)", () => {
  let health: Health = { state: "idle" };
  for (let start = 1; start <= 3; start++) {
    assertEquals(isLive(health), true);
    health = after([{ type: "spawned" }, { type: "connected" }, ended()], health);
  }
  assertEquals(health, { state: "exhausted", reason: "exited" });
});

Deno.test("a server that was ended for three cancelled calls in a row lost its tools", () => {
  const stopped = [
    { type: "spawned" },
    { type: "connected" },
    ended({ isForCancel: true }),
  ] as const;
  const health = after([...stopped, ...stopped, ...stopped, ...stopped]);
  assertEquals(health, { state: "dead", ends: 0, reason: "exited", restartAtMs: 1000 });
});

Deno.test("stepHealth() does not try a server again whose tools nobody knows", () => {
  assertEquals(after([{ type: "spawned" }, ended({ isKnown: false })]), {
    state: "exhausted",
    reason: "exited",
  });
});

Deno.test("stepHealth() lets a server rest, with its restarts before it", () => {
  const rested = after([{ type: "spawned" }, ended(), { type: "spawned" }, { type: "rested" }]);
  assertEquals(rested, { state: "idle" });
});

Deno.test("stepHealth() leaves what is off as it is", () => {
  const off: Health[] = [
    { state: "disabled" },
    { state: "refused", reason: "no" },
    { state: "exhausted", reason: "exited" },
  ];
  for (const health of off) {
    assertEquals(after([{ type: "spawned" }, { type: "connected" }, ended()], health), health);
  }
});

const EVENTS: fc.Arbitrary<HealthEvent> = fc.oneof(
  fc.constantFrom<HealthEvent>(
    { type: "spawned" },
    { type: "connected" },
    { type: "answered" },
    { type: "rested" },
  ),
  fc.record({
    type: fc.constant("ended" as const),
    reason: fc.constant("exited"),
    isKnown: fc.boolean(),
    isForCancel: fc.boolean(),
    nowMs: fc.nat(),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
);

Deno.test("stepHealth() never counts past its bound, nor waits past it, whatever happens", () => {
  fc.assert(fc.property(fc.array(EVENTS, { maxLength: 40 }), (events) => {
    let health: Health = { state: "idle" };
    for (const event of events) {
      const before: Health = health;
      health = stepHealth(health, event, LIMITS);
      if ("ends" in health && (health.ends < 0 || health.ends >= LIMITS.restartAttempts)) {
        return false;
      }
      if (!isLive(before) && health !== before) return false;
      if (health.state === "dead" && event.type === "ended") {
        const waitMs = health.restartAtMs - event.nowMs;
        if (waitMs < 0 || waitMs > LIMITS.restartMaxMs * 1.2) return false;
      }
    }
    return true;
  }));
});
