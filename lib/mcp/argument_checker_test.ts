import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ArgumentChecker } from "./argument_checker.ts";
import type { Schema } from "./schema_parts.ts";

const LIMITS = { maxCheckedDepth: 8, maxCheckSteps: 1000 };

function check(schema: Schema, args: Record<string, unknown>) {
  return new ArgumentChecker(schema, LIMITS).check(args);
}

const NOTE: Schema = {
  type: "object",
  properties: {
    text: { type: "string" },
    times: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { enum: ["a", "b"] } },
  },
  required: ["text"],
  additionalProperties: false,
};

Deno.test("ArgumentChecker says what is wrong, where, and what was wanted (10.20)", () => {
  assertEquals(check(NOTE, { text: "x", times: 1, tags: ["a"] }), { kind: "fits" });
  assertEquals(check(NOTE, { times: 0, tags: ["a", "c"], more: 1 }), {
    kind: "wrong",
    problems: [
      'it does not have required property "text"',
      "times: 0 is less than 1",
      'tags/1: it does not match any of ["a","b"]',
      "more: there is no such argument",
    ],
  });
  assertEquals(check(NOTE, { text: 5 }), {
    kind: "wrong",
    problems: ['text: it must be of type "string", not "number"'],
  });
});

Deno.test("ArgumentChecker names eight problems and counts the others", () => {
  const schema = { type: "object", properties: { l: { type: "array", items: { const: 1 } } } };
  const checked = check(schema, { l: Array(10).fill(2).map((value, place) => value + place) });
  assertEquals(checked.kind === "wrong" && [checked.problems.length, checked.problems.at(-1)], [
    9,
    "and 2 more",
  ]);
});

Deno.test("a server's regular expression does not hold the program up", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" } },
    patternProperties: { "^(b+)+$": { type: "string" } },
    additionalProperties: false,
  };
  const checker = new ArgumentChecker(schema, LIMITS);
  assertEquals(checker.unchecked, ["patternProperties", "pattern"]);
  const args = { a: `${"a".repeat(60)}!`, [`${"b".repeat(60)}!`]: "" };
  assertEquals(checker.check(args), { kind: "fits" });
  assertEquals(checker.check({ a: 1 }).kind, "wrong");
});

Deno.test("a schema that expands without an end is given up", () => {
  const $defs: Record<string, Schema> = { d40: { type: "object" } };
  for (let level = 0; level < 40; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  assertEquals(check({ type: "object", $defs, $ref: "#/$defs/d0" }, {}), {
    kind: "unknown",
    why: "checking them takes too long",
  });
  assertEquals(check({ type: "object", allOf: [{ $ref: "#" }] }, {}).kind, "unknown");
});

Deno.test("arguments nested exactly to the limit are checked, those past it are not", () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 1 ? {} : { a: nested(depth - 1) };
  const schema = { type: "object", required: ["b"] };
  assertEquals(check(schema, nested(8)).kind, "wrong");
  assertEquals(check(schema, nested(9)), {
    kind: "unknown",
    why: "they are nested deeper than 8",
  });
});

Deno.test("a check looks at as many schemas as its limit, and gives up past it", () => {
  const schema = {
    type: "object",
    properties: { l: { type: "array", items: { type: "string" } } },
  };
  // The root, the list, then one for each item.
  assertEquals(check(schema, { l: Array(998).fill("x") }).kind, "fits");
  assertEquals(check(schema, { l: Array(999).fill("x") }).kind, "unknown");
});

Deno.test("what is left out of a schema never becomes a refusal", () => {
  const left = { pattern: "^x$" };
  for (
    const schema of [
      { not: left },
      { if: left, then: false },
      { oneOf: [left, {}] },
      { contains: left, minContains: 0, maxContains: 0 },
      { $ref: "https://example.org/schema.json" },
      { required: "abc" },
      { enum: "abc" },
      { type: "text" },
      { exclusiveMinimum: true },
      { additionalProperties: false, patternProperties: { ".": {} } },
      { unevaluatedProperties: false },
      { items: [], uniqueItems: true },
    ]
  ) {
    const whole = { type: "object", properties: { a: schema } } as Schema;
    for (const a of ["y", 1, [], [1, 1], { b: 1 }]) {
      assertEquals(check(whole, { a }).kind, "fits", JSON.stringify([schema, a]));
    }
  }
});

Deno.test("a reference inside the schema is followed, a property named like a keyword is none", () => {
  const schema = {
    type: "object",
    properties: { id: { $ref: "#/definitions/i d" }, pattern: { type: "string" } },
    definitions: { "i d": { type: "string" } },
  };
  assertEquals(check(schema, { id: "a", pattern: "(" }), { kind: "fits" });
  assertEquals(check(schema, { pattern: 1 }).kind, "wrong");
});

Deno.test("ArgumentChecker never throws and ends soon, whatever the schema says", () => {
  const keywords = [
    "type",
    "enum",
    "required",
    "properties",
    "items",
    "$ref",
    "allOf",
    "not",
    "if",
  ];
  const schema = fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(schema, fc.dictionary(fc.string(), fc.jsonValue()), (given, args) => {
      const checked = new ArgumentChecker(given as Schema, LIMITS).check(args);
      assert(["fits", "wrong", "unknown"].includes(checked.kind));
    }),
    { numRuns: 500 },
  );
});
