import { assertEquals } from "@std/assert";
import { isInRange } from "./version_range.ts";

Deno.test("isInRange() reads ranges as npm does", () => {
  const cases: [range: string, inside: string[], outside: string[]][] = [
    [">=0.1.0", ["0.1.0", "0.1.1", "9.0.0"], ["0.0.9"]],
    [">= 1.2 < 2", ["1.2.0", "1.9.9"], ["1.1.9", "2.0.0"]],
    ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
    ["^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]],
    ["^0.0.3", ["0.0.3"], ["0.0.4"]],
    ["~1.2.3", ["1.2.9"], ["1.3.0"]],
    ["~1", ["1.9.0"], ["2.0.0"]],
    ["1.x", ["1.0.0", "1.5.2"], ["2.0.0"]],
    ["1.2.3", ["1.2.3"], ["1.2.4"]],
    ["<=1.2", ["1.2.9", "0.1.0"], ["1.3.0"]],
    [">1.2", ["1.3.0"], ["1.2.9"]],
    ["1 || 3", ["1.0.0", "3.1.0"], ["2.0.0"]],
    ["*", ["0.0.0", "7.0.0"], []],
    ["", ["1.0.0"], []],
  ];
  for (const [range, inside, outside] of cases) {
    for (const version of inside) {
      assertEquals([range, version, isInRange(version, range)], [range, version, true]);
    }
    for (const version of outside) {
      assertEquals([range, version, isInRange(version, range)], [range, version, false]);
    }
  }
});

Deno.test("isInRange() ignores what comes after a hyphen, and knows what is no range", () => {
  assertEquals(isInRange("1.2.3-beta.1", ">=1.2.3"), true);
  for (const range of ["latest", ">=", "1.2.3.4", "=>1", "a || 1"]) {
    assertEquals([range, isInRange("1.0.0", range)], [range, undefined]);
  }
});
