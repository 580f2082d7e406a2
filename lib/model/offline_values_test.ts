import { assertEquals, assertThrows } from "@std/assert";
import type { ToolDefinition } from "./message.ts";
import { parametersOf, readValue, Refusal } from "./offline_values.ts";

function toolWith(schema: unknown, rest: Record<string, unknown> = {}): ToolDefinition {
  const inputSchema = { type: "object", properties: { x: schema }, ...rest };
  return { name: "s__t", description: "", inputSchema };
}

const read = (text: string, schema: unknown, isQuoted = false) =>
  readValue("x", text, isQuoted, toolWith(schema));

Deno.test("readValue() reads each type that a schema names", () => {
  assertEquals(read("5", { type: "string" }), "5");
  assertEquals(read("true", { type: "string" }), "true");
  assertEquals(read("-5", { type: "integer" }), -5);
  assertEquals(read("1.5e3", { type: "number" }), 1500);
  assertEquals(read("false", { type: "boolean" }), false);
  assertEquals(read("null", { type: "null" }), null);
  assertEquals(read('["a",1]', { type: "array" }), ["a", 1]);
  assertEquals(read('{"a":1}', { type: "object" }), { a: 1 });
});

Deno.test("readValue() refuses what does not fit, with what would", () => {
  const faults: [string, string, string][] = [
    ["1.5", "integer", 'x must be INTEGER, it is "1.5"'],
    ["99999999999999999999", "integer", 'x must be INTEGER, it is "99999999999999999999"'],
    ["", "number", 'x must be NUMBER, it is ""'],
    ["yes", "boolean", 'x must be BOOLEAN, it is "yes"'],
    ["a,b", "array", 'x must be ARRAY, it is "a,b"'],
    ["[]", "object", 'x must be OBJECT, it is "[]"'],
  ];
  for (const [text, type, message] of faults) {
    assertThrows(() => read(text, { type }), Refusal, message);
  }
});

Deno.test("readValue() reads one of several types: what is quoted as text, else text last", () => {
  const either = { type: ["string", "integer", "null"] };
  assertEquals([read("5", either), read("5", either, true)], [5, "5"]);
  assertEquals([read("null", either), read("null", either, true)], [null, "null"]);
  assertEquals([read("5.5", either), read("a", either)], ["5.5", "a"]);
  const nested = { anyOf: [{ type: "boolean" }, { oneOf: [{ type: "number" }] }] };
  assertEquals([read("true", nested), read("2", nested)], [true, 2]);
  assertThrows(() => read("a", nested), Refusal, 'x must be BOOLEAN or NUMBER, it is "a"');
});

Deno.test("readValue() takes a quoted value for another type where text is not allowed", () => {
  assertEquals(read("[1, 2]", { type: "array" }, true), [1, 2]);
});

Deno.test("readValue() takes one of the literals of an enum, with the literal's own type", () => {
  assertEquals(read("2", { enum: [1, 2, "3"] }), 2);
  assertEquals(read("3", { enum: [1, 2, "3"] }), "3");
  assertThrows(() => read("4", { enum: ["a", 1] }), Refusal, 'x must be "a" or 1, it is "4"');
});

Deno.test("readValue() guesses where the schema names no type", () => {
  for (const schema of [{}, true, { $ref: "#/x" }]) {
    assertEquals([read("5", schema), read("5", schema, true)], [5, "5"]);
    assertEquals([read("null", schema), read("a b", schema, true)], [null, "a b"]);
    assertEquals(read("{oops", schema), "{oops");
  }
});

Deno.test("readValue() takes other parameters only where the schema leaves them open", () => {
  const other = (tool: ToolDefinition) => readValue("y", "5", false, tool);
  assertThrows(() => other(toolWith({})), Refusal, '/s__t has no parameter "y"; did you mean x?');
  assertEquals(other(toolWith({}, { additionalProperties: true })), 5);
  assertEquals(other(toolWith({}, { additionalProperties: { type: "string" } })), "5");
  assertEquals(other({ name: "s__t", description: "", inputSchema: { type: "object" } }), 5);
  assertThrows(() => readValue("constructor", "5", false, toolWith({})), Refusal);
});

Deno.test("parametersOf() puts the required ones first, with what may stand there", () => {
  const inputSchema = {
    type: "object",
    properties: { a: { type: ["string", "null"] }, b: { enum: ["x", 1] }, c: {} },
    required: ["c"],
  };
  assertEquals(parametersOf({ name: "s__t", description: "", inputSchema }), [
    { name: "c", isRequired: true, type: "ANY" },
    { name: "a", isRequired: false, type: "STRING or NULL" },
    { name: "b", isRequired: false, type: '"x" or 1' },
  ]);
});
