import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseJsonc } from "./jsonc.ts";

function valueOf(text: string): unknown {
  const result = parseJsonc(text);
  assert(result.ok, JSON.stringify(result));
  return result.value;
}

Deno.test("parseJsonc() reads whatever JSON.stringify writes, however it is indented", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
    const text = JSON.stringify(value, undefined, space);
    assertEquals(valueOf(text), JSON.parse(text));
  }));
});

Deno.test("parseJsonc() takes comments, trailing commas and a byte order mark", () => {
  const text = '\uFEFF// first\n{ /* a, */ "a": [1, 2,], // b\n "u": "http://x/*y*/", }\n/* end */';
  assertEquals(valueOf(text), { a: [1, 2], u: "http://x/*y*/" });
});

Deno.test("parseJsonc() keeps __proto__ a plain name", () => {
  const value = valueOf('{"__proto__": {"x": 1}}') as Record<string, unknown>;
  assertEquals(Object.keys(value), ["__proto__"]);
  assertEquals(value["x"], undefined);
});

Deno.test("parseJsonc() tells the place of a key by its path", () => {
  const result = parseJsonc('{\n "a": {\n  "b": [\n   {"c": 1}]}}');
  assert(result.ok);
  assertEquals(
    ["a", "a.b", "a.b[0].c", "b"].map((path) => result.placeOf(path)),
    [{ line: 2, column: 2 }, { line: 3, column: 3 }, { line: 4, column: 5 }, undefined],
  );
});

Deno.test("parseJsonc() says where it stops being JSON, and why", () => {
  const cases: [text: string, line: number, column: number, problem: string][] = [
    ["", 1, 1, "the file ends where a value should be"],
    ['{\n "a" 1}', 2, 6, 'there is "1" where ":" should be'],
    ['{"a": 1\n "b": 2}', 2, 2, 'there is "\\"" where "," or "}" should be'],
    ["[1 2]", 1, 4, 'there is "2" where "," or "]" should be'],
    ["{a: 1}", 1, 2, 'there is "a" where a name in double quotes or "}" should be'],
    ['{"a": nul}', 1, 7, 'there is "n" where a value should be'],
    ['{"a": .5}', 1, 7, 'there is "." where a value should be'],
    ["[1,,]", 1, 4, 'there is "," where a value should be'],
    ["[,]", 1, 2, 'there is "," where a value should be'],
    ['"a\nb"', 1, 1, "a string is not closed or not valid"],
    ['"\\x"', 1, 1, "a string is not closed or not valid"],
    ["{} {}", 1, 4, 'there is "{" where the end should be'],
    ["/* open", 1, 1, 'there is "/" where a value should be'],
    ['{"a": 1,\n "a": 2}', 2, 2, 'the name "a" is there twice'],
    ["01", 1, 2, 'there is "1" where the end should be'],
  ];
  for (const [text, line, column, problem] of cases) {
    assertEquals([text, parseJsonc(text)], [text, { ok: false, line, column, problem }]);
  }
});

Deno.test("parseJsonc() takes a hundred levels, and refuses one more", () => {
  const nested = (levels: number) => parseJsonc("[".repeat(levels) + "]".repeat(levels));
  assertEquals(nested(101).ok, true);
  assertEquals(nested(102), {
    ok: false,
    line: 1,
    column: 102,
    problem: "it is over 100 levels deep",
  });
  assertEquals(parseJsonc("[".repeat(1_000_000)).ok, false);
});
