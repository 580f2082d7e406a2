import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compactSchema } from "./compact_schema.ts";
import { byteLength } from "./elide.ts";
import type { Schema } from "./schema_parts.ts";

const sizeOf = (schema: Schema) => byteLength(JSON.stringify(schema));

const ISSUE: Schema = {
  type: "object",
  properties: {
    title: { type: "string", description: "t".repeat(150), examples: ["a".repeat(50)] },
    state: { enum: ["open", "closed"], default: "open" },
    who: { $ref: "#/$defs/person" },
    extra: { type: "object", properties: { deep: { type: "object", properties: { x: {} } } } },
  },
  required: ["title"],
  $defs: { person: { type: "object", properties: { name: { type: "string", title: "Name" } } } },
};

Deno.test("compactSchema() leaves a schema alone that fits exactly, and cuts one past it", () => {
  assertEquals(compactSchema(ISSUE, sizeOf(ISSUE)), { schema: ISSUE, done: [] });
  const { done } = compactSchema(ISSUE, sizeOf(ISSUE) - 1);
  assertEquals(done, ["long descriptions cut"]);
});

Deno.test("compactSchema() costs the model more and more, and no more than it must", () => {
  const at = (bytes: number) => compactSchema(ISSUE, bytes);
  assertEquals(at(512).done, ["long descriptions cut", "descriptions left out"]);
  assertEquals(at(394).schema.$defs === undefined, false);
  assertEquals(at(393).done.at(-1), "references put in place");
  assertEquals(at(393).schema.$defs, undefined);
  assertEquals(at(348).done.at(-1), "examples and defaults left out");
  assertEquals(at(200).schema, {
    type: "object",
    properties: {
      title: { type: "string" },
      state: { enum: ["open", "closed"] },
      who: { type: "object" },
      extra: { type: "object" },
    },
    required: ["title"],
  });
  assertEquals(at(120).schema, {
    type: "object",
    properties: { title: { type: "string" }, state: { enum: ["open", "closed"] } },
    required: ["title"],
  });
  assertEquals(at(1).schema, { type: "object", properties: { title: {} }, required: ["title"] });
});

Deno.test("compactSchema() bounds a definition that holds itself (T45)", () => {
  const tree = {
    type: "object",
    properties: { root: { $ref: "#/$defs/node" } },
    required: ["root"],
    $defs: {
      node: {
        type: "object",
        description: "x".repeat(400),
        properties: { value: { type: "string" }, next: { $ref: "#/$defs/node" } },
      },
    },
  };
  const { schema, done } = compactSchema(tree, 130);
  assertEquals(done.includes("references put in place"), true);
  assertEquals(JSON.stringify(schema).includes("$ref"), false);
  assertEquals((schema.properties as Record<string, Schema>).root?.type, "object");
});

Deno.test("compactSchema() keeps what every alternative requires", () => {
  const branch = (name: string) => ({
    type: "object",
    properties: { id: { type: "string" }, [name]: { type: "string", description: "d".repeat(90) } },
    required: ["id", name],
  });
  const { schema } = compactSchema({ type: "object", oneOf: [branch("a"), branch("b")] }, 120);
  assertEquals(schema.required, ["id"]);
  assertEquals(Object.keys(schema.properties as Schema).includes("id"), true);
});

const { schema: SCHEMAS } = fc.letrec<{ schema: Schema; leaf: Schema }>((tie) => ({
  leaf: fc.record({
    type: fc.constantFrom("string", "integer", "boolean", ["string", "null"]),
    description: fc.string({ maxLength: 200 }),
    examples: fc.array(fc.string(), { maxLength: 3 }),
    enum: fc.array(fc.string(), { minLength: 1, maxLength: 20 }),
    $ref: fc.constantFrom("#", "#/$defs/a", "#/nowhere"),
  }, { requiredKeys: [] }),
  schema: fc.oneof(
    { maxDepth: 2 },
    tie("leaf"),
    fc.record({
      type: fc.constant("object"),
      title: fc.string(),
      properties: fc.dictionary(fc.string({ maxLength: 12 }), tie("schema"), { maxKeys: 3 }),
      items: tie("schema"),
      anyOf: fc.array(tie("schema"), { maxLength: 2 }),
      $defs: fc.record({ a: tie("schema") }),
    }, { requiredKeys: ["type", "properties"] }),
  ),
}));

const TOPS = fc.tuple(
  fc.dictionary(fc.string({ maxLength: 12 }), SCHEMAS, { maxKeys: 4 }),
  fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  fc.record({ a: SCHEMAS }),
).map(([properties, picks, $defs]): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((_, place) => picks[place]),
  $defs,
}));

Deno.test("compactSchema() keeps every required argument, whatever the schema and the bound", () => {
  fc.assert(
    fc.property(TOPS, fc.integer({ min: 1, max: 2000 }), (schema, maxBytes) => {
      const { schema: compact, done } = compactSchema(schema, maxBytes);
      const required = schema.required as string[];
      const kept = Object.keys((compact.properties ?? {}) as Schema);
      assert(required.every((name) => kept.includes(name)), `${required} of ${kept}`);
      assertEquals(compact.type, "object");
      const least = sizeOf({
        type: "object",
        properties: Object.fromEntries(required.map((name) => [name, {}])),
        required,
      });
      assert(sizeOf(compact) <= Math.max(maxBytes, least));
      assertEquals(done.length === 0, sizeOf(schema) <= maxBytes);
    }),
    { numRuns: 100 },
  );
});
