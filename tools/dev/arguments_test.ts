import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import { readArguments } from "./arguments.ts";

const SCHEMA = {
  type: "object",
  properties: {
    path: { type: "string", description: "" },
    offset: { type: "integer", description: "", minimum: 1 },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const read = (args: unknown) => readArguments("tool", SCHEMA, args);

function refusal(args: unknown): string {
  const error = assertThrows(() => read(args), SkepError);
  assertEquals(error.code, "TOOL_FAILED");
  return error.message;
}

Deno.test("readArguments() reads what the schema describes", () => {
  assertEquals(read({ path: "a", offset: 3 }), { path: "a", offset: 3 });
});

Deno.test("readArguments() reads null and an absent argument alike", () => {
  const nothing = { path: "a", offset: undefined };
  assertEquals([read({ path: "a" }), read({ path: "a", offset: null })], [nothing, nothing]);
});

Deno.test("readArguments() takes a whole number that was written as text", () => {
  assertEquals(read({ path: "a", offset: "42" }).offset, 42);
});

Deno.test("readArguments() refuses other texts and numbers, with what was wanted", () => {
  for (const offset of ["1.0", "0x1", " 1", "", "1e3", "9".repeat(16), 1.5, 0, -1, 2 ** 53, true]) {
    assertEquals(
      refusal({ path: "a", offset }),
      `Cannot call tool: "offset" must be a whole number, at least 1, not ${
        JSON.stringify(offset)
      }`,
    );
  }
  assertEquals(refusal({ path: 5 }), 'Cannot call tool: "path" must be a string, not 5');
});

Deno.test("readArguments() cuts a long value in its message", () => {
  assertEquals(
    refusal({ path: ["x".repeat(100)] }),
    `Cannot call tool: "path" must be a string, not ["${"x".repeat(78)}…`,
  );
});

Deno.test("readArguments() names an argument that is missing", () => {
  const missing = 'Cannot call tool: "path" is missing';
  assertEquals([refusal({}), refusal({ path: null })], [missing, missing]);
});

Deno.test("readArguments() names an unknown argument and its nearest neighbour", () => {
  assertEquals(
    refusal({ path: "a", ofset: 1 }),
    'Cannot call tool: there is no argument "ofset", did you mean "offset"? (it takes path, offset)',
  );
  assertEquals(
    refusal({ path: "a", verbose: true }),
    'Cannot call tool: there is no argument "verbose" (it takes path, offset)',
  );
  assertEquals(
    refusal(JSON.parse('{"path": "a", "__proto__": {}}')).slice(0, 51),
    'Cannot call tool: there is no argument "__proto__" ',
  );
});

Deno.test("readArguments() refuses what is no object", () => {
  for (const args of [null, [], "x", 5]) {
    assertEquals(
      refusal(args),
      `Cannot call tool: its arguments must be an object, not ${JSON.stringify(args)}`,
    );
  }
});

const LISTS = {
  type: "object",
  properties: {
    all: { type: "boolean", description: "" },
    mode: { type: "string", description: "", enum: ["one", "two"] },
    names: { type: "array", description: "", items: { type: "string" } },
    edits: {
      type: "array",
      description: "",
      items: {
        type: "object",
        properties: { text: { type: "string", description: "" } },
        required: ["text"],
        additionalProperties: false,
      },
    },
  },
  required: [],
  additionalProperties: false,
} as const;

Deno.test("readArguments() reads booleans, choices and lists", () => {
  assertEquals(
    readArguments("tool", LISTS, {
      all: "true",
      mode: "two",
      names: ["a"],
      edits: [{ text: "b" }],
    }),
    { all: true, mode: "two", names: ["a"], edits: [{ text: "b" }] },
  );
});

Deno.test("readArguments() names the place in a list that is wrong", () => {
  const refused = (args: unknown) =>
    assertThrows(() => readArguments("tool", LISTS, args), SkepError).message;
  assertEquals(refused({ all: 1 }), 'Cannot call tool: "all" must be true or false, not 1');
  assertEquals(
    refused({ mode: "x" }),
    'Cannot call tool: "mode" must be one of one, two, not "x"',
  );
  assertEquals(refused({ names: "a" }), 'Cannot call tool: "names" must be a list, not "a"');
  assertEquals(
    refused({ names: ["a", 1] }),
    'Cannot call tool: "names[1]" must be a string, not 1',
  );
  assertEquals(refused({ edits: [{}] }), 'Cannot call tool: "edits[0].text" is missing');
  assertEquals(refused({ edits: [5] }), 'Cannot call tool: "edits[0]" must be an object, not 5');
});
