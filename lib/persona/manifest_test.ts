import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { Problems } from "./problems.ts";

const MINIMAL = { id: "com.example.a", name: "A", version: "1.0.0" };

function parse(value: unknown): Omit<Manifest, "at"> {
  const { at: _, ...manifest } = strictly(JSON.stringify(value));
  return manifest;
}

function strictly(text: string): Manifest {
  const problems = new Problems();
  const manifest = parseManifest(text, "/p/plugin.json", problems);
  problems.throwFirst();
  return manifest!;
}

function refusal(text: string): string {
  const error = assertThrows(() => strictly(text), SkepError);
  assertEquals(error.code, "PERSONA_INVALID");
  return error.message;
}

Deno.test("parseManifest() reads the least there can be", () => {
  assertEquals(parse(MINIMAL), { form: "pack", ...MINIMAL, personas: [], defaults: {} });
});

Deno.test("parseManifest() reads all that it uses, and ignores what others use", () => {
  const manifest = parse({
    ...MINIMAL,
    $schema: "x",
    author: { name: "Somebody" },
    description: "d",
    personas: ["agents/a.persona.md"],
    pack_instructions: "i.md",
    mcp_config: "m.json",
    hooks_config: "h.json",
    defaults: { model: "m:x", temperature: 0, subscribe: [], respond_to: { keywords: ["k"] } },
  });
  assertEquals(manifest, {
    form: "pack",
    ...MINIMAL,
    author: "Somebody",
    description: "d",
    personas: ["agents/a.persona.md"],
    packInstructions: "i.md",
    mcpConfig: "m.json",
    hooksConfig: "h.json",
    defaults: {
      model: "m:x",
      temperature: 0,
      subscribe: [],
      triggers: { mentions: true, keywords: ["k"], allMessages: false },
    },
  });
});

Deno.test("parseManifest() names the required field that is missing or empty", () => {
  const columns = { id: 2, name: 23, version: 34 };
  for (const field of ["id", "name", "version"] as const) {
    const without = JSON.stringify({ ...MINIMAL, [field]: undefined });
    const blank = JSON.stringify({ ...MINIMAL, [field]: "  " });
    assertEquals(
      refusal(without),
      `Cannot use /p/plugin.json:1:1: the required field "${field}" is missing`,
    );
    assertEquals(
      refusal(blank),
      `Cannot use /p/plugin.json:1:${columns[field]}: the required field "${field}" is empty`,
    );
  }
});

Deno.test("parseManifest() names line and value of a field of the wrong type", () => {
  const text = '{\n "id": "a",\n "name": "A",\n "version": 1\n}';
  assertEquals(refusal(text), 'Cannot use /p/plugin.json:4:2: "version" must be a text, not 1');
  assertEquals(
    refusal('{"id":"a","name":"A","version":"1",\n"personas": null}'),
    'Cannot use /p/plugin.json:2:1: "personas" must be a list of texts, not null',
  );
  assertEquals(
    refusal('{"id":"a","name":"A","version":"1","defaults":{\n"temperature": "hot"}}'),
    'Cannot use /p/plugin.json:2:1: "defaults.temperature" must be a number, not "hot"',
  );
});

Deno.test("parseManifest() tells where a field or an item of a list stands", () => {
  const { at } = strictly(
    '{"id":"a","name":"A","version":"1",\n"personas": [\n  "a.md",\n "b.md"]}',
  );
  const file = "/p/plugin.json";
  assertEquals(["personas", "personas[1]", "personas[2]", "mcp_config"].map(at), [
    { file, place: { line: 2, column: 1 } },
    { file, place: { line: 4, column: 2 } },
    { file, place: { line: 2, column: 1 } },
    { file, place: { line: 1, column: 1 } },
  ]);
});

Deno.test("parseManifest() refuses what is not JSON, with line and column", () => {
  assertEquals(
    refusal('{\n"id": }'),
    'Cannot use /p/plugin.json:2:7: it is not JSON, there is "}" where a value should be',
  );
  assertEquals(
    refusal("[]"),
    "Cannot use /p/plugin.json:1:1: it must be a mapping of names to values, not []",
  );
});
