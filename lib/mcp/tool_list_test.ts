import { assertEquals } from "@std/assert";
import { readToolList } from "./tool_list.ts";

const LIMITS = {
  maxToolDescriptionBytes: 64,
  maxToolSchemaBytes: 100,
  maxFullSchemaBytes: 4096,
  maxSchemaDepth: 16,
  maxSchemaParts: 20,
};
const ANY = { type: "object" };

function schemaOf(inputSchema: unknown): unknown {
  return readToolList([{ name: "t", inputSchema }], LIMITS).tools[0]?.inputSchema;
}

Deno.test("readToolList() reads names, descriptions and schemas", () => {
  const inputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const more = { title: "T", annotations: { readOnlyHint: true } };
  assertEquals(readToolList([{ name: "t", description: "d", inputSchema, ...more }], LIMITS), {
    tools: [{ name: "t", description: "d", inputSchema, notes: [] }],
    hooks: [],
    remarks: [],
  });
});

Deno.test("readToolList() leaves out what has no name and what comes twice, and keeps the rest", () => {
  const entries = [
    null,
    "t",
    { description: "d" },
    { name: "" },
    { name: 1 },
    ...Array(3).fill({ name: "t", inputSchema: ANY }),
  ];
  assertEquals(readToolList(entries, LIMITS), {
    tools: [{ name: "t", description: "", inputSchema: ANY, notes: [] }],
    hooks: [],
    remarks: [
      "5 tools without a name are left out",
      'a second tool named "t" is left out',
    ],
  });
});

Deno.test("readToolList() says once what of a list is left out, however often", () => {
  assertEquals(readToolList([{}], LIMITS).remarks, ["a tool without a name is left out"]);
});

Deno.test("readToolList() tells hooks from tools", () => {
  assertEquals(readToolList([{ name: "_Stop", inputSchema: ANY }], LIMITS), {
    tools: [],
    hooks: [{ name: "_Stop", description: "", inputSchema: ANY, notes: [] }],
    remarks: [],
  });
});

Deno.test("readToolList() keeps a description exactly at its limit, and cuts one past it (description_clamping_enforced)", () => {
  const describe = (description: string) =>
    readToolList([{ name: "t", description, inputSchema: ANY }], LIMITS).tools[0]?.description;
  assertEquals(describe("x".repeat(64)), "x".repeat(64));
  assertEquals(describe("x".repeat(65)), `${"x".repeat(52)}\n[truncated]`);
});

Deno.test("readToolList() takes any object for a schema that is none (T47)", () => {
  const bad = [
    undefined,
    null,
    "object",
    [],
    { type: ["string"] },
    { type: "string" },
    { type: 1 },
    { type: "object", properties: [] },
    { type: "object", required: "a" },
    { type: "object", required: [1] },
  ];
  for (const schema of bad) assertEquals(schemaOf(schema), ANY, JSON.stringify(schema));
  assertEquals(readToolList([{ name: "t" }], LIMITS).remarks, [
    'the tool "t" has no usable input schema: it takes any object',
  ]);
});

Deno.test("readToolList() fills in a type that is not said (T47)", () => {
  assertEquals(schemaOf({}), ANY);
  assertEquals(schemaOf({ properties: { a: {} } }), { properties: { a: {} }, type: "object" });
  assertEquals(schemaOf({ type: ["object", "null"], required: [] }), {
    type: "object",
    required: [],
  });
});

Deno.test("readToolList() keeps a schema exactly at its limit, and compacts one past it", () => {
  const ofBytes = (bytes: number) => ({ type: "object", title: "x".repeat(bytes - 28) });
  assertEquals(JSON.stringify(ofBytes(100)).length, 100);
  assertEquals(schemaOf(ofBytes(100)), ofBytes(100));
  assertEquals(readToolList([{ name: "t", inputSchema: ofBytes(101) }], LIMITS), {
    tools: [{
      name: "t",
      description: "",
      inputSchema: ANY,
      fullSchema: ofBytes(101),
      notes: ["its input schema of 101 bytes has 17: long descriptions cut"],
    }],
    hooks: [],
    remarks: [],
  });
});

Deno.test("readToolList() compacts a schema up to its limit, and shows only the required arguments of one past it", () => {
  const ofBytes = (bytes: number) => ({ type: "object", title: "x".repeat(bytes - 28) });
  const read = (bytes: number) =>
    readToolList([{ name: "t", inputSchema: ofBytes(bytes) }], LIMITS).tools[0];
  assertEquals(read(4096)?.fullSchema, ofBytes(4096));
  assertEquals(read(4097)?.fullSchema, { type: "object", "x-skep-unchecked": true });
  assertEquals(read(4097)?.notes, [
    "its input schema of 4097 bytes is over 4096: only its required arguments are shown",
  ]);
});

Deno.test("readToolList() reads a schema nested exactly to its limit, and only the arguments of a deeper one", () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? {} : { properties: { a: nested(depth - 1) }, required: ["a"] };
  const noteOf = (depth: number) =>
    readToolList([{ name: "t", inputSchema: nested(depth) }], LIMITS).tools[0]?.notes[0];
  // Each level is two deep: its properties, and the schema in them; the required list lies beside them.
  assertEquals(noteOf(7)?.includes("nested"), false);
  assertEquals(
    noteOf(8),
    "its input schema is nested deeper than 16: only its required arguments are shown",
  );
  assertEquals(schemaOf(nested(100)), {
    type: "object",
    properties: { a: {} },
    required: ["a"],
  });
});

Deno.test("readToolList() leaves out references to nothing, and bounds those that become many (T45)", () => {
  assertEquals(schemaOf({ type: "object", properties: { a: { $ref: "#/$defs/gone" } } }), {
    type: "object",
    properties: { a: {} },
  });
  const $defs: Record<string, unknown> = { d9: { type: "string" } };
  for (let level = 0; level < 9; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { type: "object", properties: { a: next, b: next } };
  }
  const { inputSchema, notes = [] } = readToolList([{
    name: "t",
    inputSchema: {
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      required: ["a"],
      $defs,
    },
  }], LIMITS).tools[0] ?? {};
  assertEquals(JSON.stringify(inputSchema).includes("$ref"), false);
  assertEquals(inputSchema?.required, ["a"]);
  assertEquals(notes[0]?.includes("references bounded to 20 parts"), true);
});
