// Whatever a file of a pack holds: reading it ends, tells what is wrong, and points into the file.
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../limits.ts";
import { MANIFEST_SEEDS, PERSONA_SEEDS } from "./fuzz_seeds.ts";
import { parseManifest } from "./manifest.ts";
import { parsePersonaFile } from "./persona_file.ts";
import { parsePluginManifest, PLUGIN_SCHEMA } from "./plugin_manifest.ts";
import { parsePluginServers } from "./plugin_servers.ts";
import { Problems } from "./problems.ts";
import { readSkill } from "./skill.ts";
import { yamlPlace } from "./yaml_place.ts";

const NUM_RUNS = 300;

/** So many runs, after the kept texts. */
function runs(seeds: readonly string[]): fc.Parameters<[string]> {
  return { numRuns: NUM_RUNS + seeds.length, examples: seeds.map((text) => [text]) };
}

/** Pieces that YAML gives a meaning, in any order. */
const yamlText = fc.array(
  fc.oneof(
    fc.constantFrom(
      "name: ",
      "display_name: ",
      "description: d",
      "triggers:",
      "hooks: {",
      "}",
      "- ",
    ),
    fc.constantFrom(
      "\n",
      "\n  ",
      "\n    ",
      "\t",
      "---",
      "---\n",
      ": ",
      "#",
      "&a ",
      "*a",
      "!!js ",
      "|\n",
    ),
    fc.constantFrom(
      "mcp_servers:\n",
      "  - name: x\n",
      "    command: y\n",
      "limits: ",
      "approvals: []",
    ),
    fc.constantFrom(
      "<<: *a",
      "? ",
      "[",
      "]",
      "'",
      '"',
      "\u0000",
      "\ud800",
      "\uFEFF",
      "\r\n",
      "null",
      "~",
    ),
    fc.string({ maxLength: 6 }),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  ),
  { maxLength: 30 },
).map((pieces) => pieces.join(""));

/** Holds that each problem points into the text. */
function checkPlaces(problems: Problems, text: string): void {
  const lines = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n").split("\n");
  for (const { place, reason } of problems.all) {
    if (place === undefined) continue;
    const isInside = place.line >= 1 && place.line <= lines.length + 1 && place.column >= 1;
    assertEquals([reason, place, isInside], [reason, place, true]);
  }
}

Deno.test("parsePersonaFile() takes any text, and is silent only about a persona that is whole", () => {
  fc.assert(
    fc.property(fc.oneof(yamlText, yamlText.map((yaml) => `---\n${yaml}\n---\nbody`)), (text) => {
      const problems = new Problems();
      const persona = parsePersonaFile(text, "/p/a.persona.md", DEFAULT_LIMITS, problems);
      checkPlaces(problems, text);
      if (problems.hasErrors) return;
      assertEquals(
        persona !== undefined && persona.name !== "" && persona.description !== "",
        true,
      );
    }),
    runs(PERSONA_SEEDS),
  );
});

Deno.test("readSkill() takes any text, and gives only what can be listed and loaded", async () => {
  const property = fc.asyncProperty(
    fc.oneof(yamlText, yamlText.map((yaml) => `---\n${yaml}\n---\nbody`)),
    async (text) => {
      const bytes = new TextEncoder().encode(text);
      const files = {
        stat: () => Promise.resolve({}),
        realPath: (path: string) => Promise.resolve(path),
        list: () => Promise.resolve([]),
        readInside: (_root: string, path: string) => Promise.resolve({ path, bytes }),
      };
      const problems = new Problems();
      const limits = DEFAULT_LIMITS;
      const skill = await readSkill("/s/x", ["/s"], "pack", files as never, limits, problems);
      checkPlaces(problems, text);
      assertEquals(skill === undefined, problems.hasErrors);
      if (skill === undefined) return;
      assertEquals([skill.name === "", skill.description === ""], [false, false]);
      // deno-lint-ignore no-control-regex -- control characters are what it looks for
      assertEquals(/[/\\\x00-\x1f]/.test(skill.name), false);
    },
  );
  await fc.assert(property, runs(PERSONA_SEEDS));
});

const manifestText = fc.oneof(
  fc.string(),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.record({
    $schema: fc.oneof(fc.constant(PLUGIN_SCHEMA), fc.string()),
    id: fc.oneof(fc.string(), fc.integer()),
    name: fc.oneof(fc.string(), fc.constant("acme.tools")),
    version: fc.oneof(fc.string(), fc.constant(null)),
    personas: fc.oneof(fc.array(fc.string()), fc.jsonValue({ maxDepth: 1 })),
    defaults: fc.jsonValue({ maxDepth: 2 }),
    engines: fc.oneof(fc.record({ skep: fc.string() }), fc.jsonValue({ maxDepth: 1 })),
    extensions: fc.oneof(fc.record({ "dev.skep": fc.jsonValue({ maxDepth: 2 }) }), fc.jsonValue()),
    mcpServers: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
  }, { requiredKeys: [] }).map((value) => JSON.stringify(value, undefined, 1)),
);

Deno.test("the manifests take any text, and are silent only about one that is whole", () => {
  fc.assert(
    fc.property(manifestText, (text) => {
      for (const parse of [parseManifest, parsePluginManifest]) {
        const problems = new Problems();
        const manifest = parse(text, "/p/plugin.json", problems);
        checkPlaces(problems, text);
        if (problems.hasErrors) continue;
        assertEquals(manifest !== undefined && manifest.name !== "" && manifest.id !== "", true);
      }
    }),
    runs(MANIFEST_SEEDS),
  );
});

Deno.test("parsePluginServers() takes any text, and gives only servers that name a program", () => {
  fc.assert(
    fc.property(manifestText, (text) => {
      const problems = new Problems();
      const { specs } = parsePluginServers(text, "/p/mcp.json", "/p", problems);
      checkPlaces(problems, text);
      for (const { command, name } of specs) assertEquals([command, name].includes(""), false);
    }),
    runs(MANIFEST_SEEDS),
  );
});

Deno.test("yamlPlace() takes any text and any path, and points at a line of it", () => {
  fc.assert(
    fc.property(yamlText, fc.string(), (yaml, path) => {
      const place = yamlPlace(yaml, path);
      if (place !== undefined) assertEquals(place.line <= yaml.split("\n").length, true);
    }),
    { numRuns: NUM_RUNS },
  );
});

Deno.test("parsePersonaFile() refuses YAML that grows without end", () => {
  const bomb = [
    "---",
    "a: &a [x,x,x,x,x,x,x,x,x,x]",
    ..."bcdefghi".split("").map((key, index) => {
      const before = "abcdefghi"[index];
      return `${key}: &${key} [${Array(10).fill(`*${before}`).join(",")}]`;
    }),
    "---",
  ].join("\n");
  const problems = new Problems();
  const began = performance.now();
  assertEquals(parsePersonaFile(bomb, "/p/a.md", DEFAULT_LIMITS, problems), undefined);
  assertEquals([problems.all.length, performance.now() - began < 15_000], [1, true]);
});
