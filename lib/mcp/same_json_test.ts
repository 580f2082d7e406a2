import { assertEquals } from "@std/assert";
import { isSameJson } from "./same_json.ts";

Deno.test("isSameJson() minds values and the order of lists, not the order of keys", () => {
  assertEquals(isSameJson({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }), true);
  const others = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: "1" }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [2, 1]],
    [[], {}],
    [{ 0: 1 }, [1]],
    [null, {}],
    ["{}", {}],
  ];
  for (const [one, other] of others) assertEquals(isSameJson(one, other), false);
});

Deno.test("isSameJson() takes values that are nested deeper than calls can be", () => {
  const deep = () => JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  assertEquals(isSameJson(deep(), deep()), true);
});
