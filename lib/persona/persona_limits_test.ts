import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../limits.ts";
import { personaLimits } from "./persona_limits.ts";

Deno.test("personaLimits() lets a persona lower a bound, and never raise one", () => {
  const bounds = { ...DEFAULT_LIMITS, maxParallelCalls: 8 };
  assertEquals(personaLimits(bounds, { limits: { maxParallelCalls: 3 } }).maxParallelCalls, 3);
  assertEquals(personaLimits(bounds, { limits: { maxParallelCalls: 9 } }).maxParallelCalls, 8);
  assertEquals(personaLimits(bounds, { limits: {} }), bounds);
});

Deno.test("personaLimits() knows that 0 rounds are rounds without end", () => {
  const rounds = (bound: number, own: number) =>
    personaLimits({ ...DEFAULT_LIMITS, maxRounds: bound }, { limits: { maxRounds: own } })
      .maxRounds;
  assertEquals([rounds(100, 0), rounds(0, 5), rounds(0, 0), rounds(5, 100)], [100, 5, 0, 5]);
});
