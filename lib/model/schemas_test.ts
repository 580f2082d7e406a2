import { assertEquals } from "@std/assert";
import { flatSchema } from "./flat_schema.ts";
import { geminiSchema } from "./gemini_schema.ts";

const property = (schema: unknown): unknown => {
  const converted = geminiSchema({ type: "object", properties: { a: schema } });
  return (converted.properties as Record<string, unknown>).a;
};

Deno.test("geminiSchema() says an enum of other things than texts in words, and keeps its type (T43)", () => {
  assertEquals(property({ type: "boolean", enum: [true, false] }), {
    type: "boolean",
    description: "One of true, false.",
  });
  assertEquals(property({ enum: [1, 2], description: "How many." }), {
    type: "number",
    description: "How many. One of 1, 2.",
  });
  assertEquals(property({ enum: ["a", "b"] }), { type: "string", enum: ["a", "b"] });
  assertEquals(property({ enum: ["a", "b", null], type: ["string", "null"] }), {
    type: "string",
    enum: ["a", "b"],
    nullable: true,
  });
  assertEquals(property({ enum: ["a", 1] }), { description: 'One of "a", 1.' });
  assertEquals(property({ const: "x" }), { type: "string", enum: ["x"] });
});

Deno.test("geminiSchema() puts definitions in place, one within itself to a bound (T45)", () => {
  const schema = {
    type: "object",
    properties: {
      at: { $ref: "#/$defs/place", description: "Where." },
      tree: { $ref: "#/$defs/node" },
    },
    $defs: {
      place: { type: "string", description: "A place." },
      node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } },
    },
  };
  assertEquals(geminiSchema(schema), {
    type: "object",
    properties: {
      at: { type: "string", description: "Where." },
      tree: {
        type: "object",
        properties: {
          next: { type: "object", properties: { next: { type: "object" } } },
        },
      },
    },
  });
});

/** A chain of definitions, each of which has the next one so many times. */
function fanOut(depth: number, width: number): Record<string, unknown> {
  const names = Array.from({ length: width }, (_, index) => `p${index}`);
  const node = (next: number) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/d${next}` }])),
  });
  const defs = Array.from({ length: depth }, (_, index) => [`d${index}`, node(index + 1)] as const);
  const $defs = { ...Object.fromEntries(defs), [`d${depth}`]: { type: "string" } };
  return { ...node(0), $defs };
}

Deno.test("geminiSchema() puts 1000 definitions in place and takes each further one for any object", () => {
  // 1000 references to a text, then one more.
  const names = Array.from({ length: 1001 }, (_, index) => `p${index}`);
  const { properties } = geminiSchema({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/text" }])),
    $defs: { text: { type: "string" } },
  }) as { properties: Record<string, unknown> };
  assertEquals([properties.p999, properties.p1000], [{ type: "string" }, { type: "object" }]);
});

Deno.test("geminiSchema() bounds definitions that name the next one several times", () => {
  const text = JSON.stringify(geminiSchema(fanOut(30, 4)));
  assertEquals(text.length < 200_000, true, `${text.length} characters`);
});

Deno.test("geminiSchema() takes a reference that leads nowhere, or outside, for any object", () => {
  for (const $ref of ["#/$defs/gone", "https://schemas.test/x.json", "#/__proto__/x"]) {
    assertEquals(property({ $ref }), { type: "object" });
  }
});

Deno.test("geminiSchema() makes alternatives of several types, and null a mark", () => {
  assertEquals(property({ type: ["string", "null"] }), { type: "string", nullable: true });
  assertEquals(property({ type: ["string", "integer"], description: "d" }), {
    anyOf: [{ type: "string", description: "d" }, { type: "integer", description: "d" }],
    description: "d",
  });
  assertEquals(property({ anyOf: [{ type: "string" }, { type: "null" }] }), {
    type: "string",
    nullable: true,
  });
  assertEquals(property({ oneOf: [{ type: "string" }, { type: "boolean" }] }), {
    anyOf: [{ type: "string" }, { type: "boolean" }],
  });
});

Deno.test("geminiSchema() leaves out what Gemini does not know, and says what is in an array", () => {
  assertEquals(
    geminiSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      additionalProperties: false,
      required: ["a", "gone"],
      properties: {
        a: { type: "array" },
        b: { type: "string", format: "uri", pattern: "^x", default: "y" },
        c: { allOf: [{ type: "object", properties: { d: { type: "integer", minimum: 1 } } }] },
        e: true,
      },
    }),
    {
      type: "object",
      required: ["a"],
      properties: {
        a: { type: "array", items: { type: "string" } },
        b: { type: "string" },
        c: { type: "object", properties: { d: { type: "integer", minimum: 1 } } },
        e: {},
      },
    },
  );
  assertEquals(geminiSchema({}), { type: "object", properties: {} });
});

Deno.test("flatSchema() returns a plain object's schema as it is", () => {
  const schema = { type: "object", properties: { a: { anyOf: [{ type: "string" }] } } };
  assertEquals(flatSchema(schema) === schema, true);
  assertEquals(flatSchema({ type: "object" }), { type: "object", properties: {} });
});

Deno.test("flatSchema() puts alternatives at the top together, and requires what all of them do", () => {
  assertEquals(
    flatSchema({
      type: "object",
      properties: { mode: { type: "string" } },
      required: ["mode"],
      oneOf: [
        { properties: { a: { type: "string" }, c: {} }, required: ["a", "c"] },
        { properties: { b: { type: "integer" } }, required: ["b", "c"] },
      ],
    }),
    {
      type: "object",
      properties: {
        a: { type: "string" },
        c: {},
        b: { type: "integer" },
        mode: { type: "string" },
      },
      required: ["mode", "c"],
    },
  );
  assertEquals(flatSchema({ allOf: [{ required: ["x"], properties: { x: {} } }] }), {
    type: "object",
    properties: { x: {} },
    required: ["x"],
  });
});
