import { assertEquals } from "@std/assert";
import { agesIn, below } from "./started_below.ts";

Deno.test("below() finds a child's group and all below it, however deep, and not itself", () => {
  const text = [
    "    1     0     1 10-00:00:01",
    "   20     1    20    01:02:03",
    "   21    20    21       00:05", // a group of its own
    "   22    21    21       01:00",
    "   23     1    20       00:00", // its parent is gone, its group is not
    "   30     1    30       00:07",
    "  PID   odd  line",
  ].join("\n");
  assertEquals([...below(text, 20)], [[21, 6000], [23, 1000], [22, 61_000]]);
  assertEquals([...below(text, 30)], []);
  assertEquals(below(text, 1).get(20), 3_724_000);
});

Deno.test("agesIn() reads starts behind names that hold anything", () => {
  const fields = Array.from({ length: 18 }, (_, at) => at).join(" ");
  const text = `100.50 5.00\n7 (a) b (c) S ${fields} 9000 1 2\n8 (x) R ${fields} 10000 1\n`;
  assertEquals([...agesIn(text)], [[7, 10_500], [8, 500]]);
});
