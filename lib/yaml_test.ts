import { assertEquals, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { LIMITS } from "./limits.ts";

const core = (text: string) => parse(text, { schema: "core" });

Deno.test("parse() reads the types of JSON, and dates and words as texts", () => {
  assertEquals(core("a: 1\nb: [true, null, 1.5]\nc: yes\nd: 2026-01-02\n'e': '1'"), {
    a: 1,
    b: [true, null, 1.5],
    c: "yes",
    d: "2026-01-02",
    e: "1",
  });
  assertEquals([core(""), core("# nothing"), core("null")], [null, null, null]);
});

Deno.test("parse() leaves texts as they were written where texts alone are wanted", () => {
  assertEquals(parse("a: 010\nb: ~", { schema: "failsafe" }), { a: "010", b: "~" });
});

Deno.test("parse() says where it is wrong", () => {
  const error = assertThrows(() => core("a: 1\nb: [1,\nc: 2"), SyntaxError);
  assertEquals(/ at line \d+, column \d+$/.test(error.message), true, error.message);
  assertThrows(() => core("a: 1\na: 2"), SyntaxError, "duplicate");
  assertThrows(() => core("a\n---\nb"), SyntaxError, "more than one document");
});

Deno.test("parse() takes a document exactly at its bound of values, and refuses one more", () => {
  const list = (values: number) => `[${Array(values).fill("1").join(",")}]`;
  const most = LIMITS.maxYamlNodes.value;
  assertEquals((core(list(most - 1)) as unknown[]).length, most - 1);
  assertThrows(() => core(list(most)), SyntaxError, "more than 100000 values");
});

Deno.test("parse() refuses a document that aliases blow up, at once", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level++) {
    const before = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} [${Array(10).fill(before).join(", ")}]`);
  }
  assertThrows(() => core(lines.join("\n")), SyntaxError, "its aliases counted");
});

Deno.test("parse() makes no prototype of a key", () => {
  const value = core("__proto__: { polluted: 1 }") as Record<string, unknown>;
  assertEquals(Object.keys(value), ["__proto__"]);
  assertEquals((value as { polluted?: number }).polluted, undefined);
});
