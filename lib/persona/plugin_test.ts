import { assertEquals } from "@std/assert";
import { fromRepo } from "../../tests/harness.ts";
import { folderWith, skillText, told } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type Pack, readPack } from "./pack.ts";
import { PLUGIN_SCHEMA, PLUGIN_SERVERS_SCHEMA } from "./plugin_manifest.ts";

const MANIFEST = { $schema: PLUGIN_SCHEMA, name: "acme.tools" };

/** A plugin of these files, and all that is wrong with it. */
async function read(
  files: Readonly<Record<string, string>>,
): Promise<{ pack: Pack | undefined; lines: string[]; folder: string }> {
  await using folder = await folderWith(files);
  const { pack, problems } = await readPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  return { pack, lines: told(problems, folder.path), folder: folder.path };
}

function servers(entries: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ $schema: PLUGIN_SERVERS_SCHEMA, mcpServers: entries });
}

Deno.test("readPack() makes a persona of an agent plugin that has none", async () => {
  const { pack, lines } = await read({
    "plugin.json": JSON.stringify({ ...MANIFEST, description: "Deploys things" }),
    "skills/deploy/SKILL.md": skillText("deploy"),
  });
  assertEquals(lines, []);
  assertEquals(pack?.personas.map(({ name, displayName }) => [name, displayName]), [
    ["acme-tools", "acme.tools"],
  ]);
  assertEquals(pack?.skills.get("acme-tools")?.map(({ name }) => name), ["deploy"]);
});

Deno.test("readPack() takes a plugin's personas from skep's own folder and its extension", async () => {
  const persona = "---\nname: a\ndisplay_name: A\ndescription: d\n---\n";
  const files = {
    "plugin.json": JSON.stringify({
      ...MANIFEST,
      version: "2",
      extensions: {
        "dev.skep": { defaults: { model: "m:x" }, pack_instructions: "team.md" },
        "com.other": { anything: [1] },
      },
    }),
    "team.md": "Together",
    "dev.skep/a.persona.md": persona,
    "dev.skep/notes.md": "no persona",
  };
  const { pack, lines } = await read(files);
  assertEquals(lines, []);
  assertEquals(pack?.personas.map(({ name }) => name), ["a"]);
  assertEquals([pack?.manifest.version, pack?.manifest.defaults, pack?.instructions], [
    "2",
    { model: "m:x" },
    "Together",
  ]);
});

Deno.test("readPack() prefers the pack's own manifest where a folder has both", async () => {
  const { pack } = await read({
    ".plugin/plugin.json": '{"id": "x", "name": "X", "version": "1", "personas": ["a.md"]}',
    "a.md": "---\nname: a\ndisplay_name: A\ndescription: d\n---\n",
    "plugin.json": JSON.stringify(MANIFEST),
  });
  assertEquals(pack?.manifest.id, "x");
});

Deno.test("readPack() reads a plugin's servers, and fills in its root and nothing else", async () => {
  const { pack, lines, folder } = await read({
    "plugin.json": JSON.stringify(MANIFEST),
    "mcp.json": servers({
      own: { type: "stdio", command: "./bin/x", args: ["${PLUGIN_ROOT}/a", "${OTHER}"] },
      named: { type: "stdio", command: "npx", env: { A: "${PLUGIN_ROOT}" } },
      far: { type: "streamable-http", url: "https://example.com/mcp", headers: { A: "${B}" } },
    }),
  });
  assertEquals(lines, []);
  assertEquals(pack?.servers.map(({ command, args, env }) => [command, args, env]), [
    [`${folder}/bin/x`, [`${folder}/a`, "$${OTHER}"], { PLUGIN_ROOT: folder }],
    ["npx", [], { A: folder, PLUGIN_ROOT: folder }],
    ["skep", ["mcp", "bridge", "--http"], {
      BRIDGE_URL: "https://example.com/mcp",
      BRIDGE_SECRET_HEADER_A: "$${B}",
    }],
  ]);
});

Deno.test("readPack() leaves out a plugin's server that is wrong, and keeps the others", async () => {
  const { pack, lines } = await read({
    "plugin.json": JSON.stringify(MANIFEST),
    "mcp.json": servers({
      good: { type: "stdio", command: "x" },
      untyped: { command: "x" },
      remote: { type: "streamable-http", url: "https://example.com", command: "x" },
      mixed: { type: "stdio", command: "x", url: "y" },
      outside: { type: "stdio", command: "../x" },
      reserved: { type: "stdio", command: "x", env: { PLUGIN_ROOT: "/" } },
      data: { type: "stdio", command: "x", args: ["${PLUGIN_DATA}"] },
      elsewhere: { type: "stdio", command: "x", cwd: "./data" },
      text: "x",
    }),
  });
  assertEquals(pack?.servers.map(({ name }) => name), ["good"]);
  assertEquals(lines.map((line) => line.replace(/^error PACK\/mcp.json:1:\d+: server /, "")), [
    '"untyped": the required field "mcpServers.untyped.type" is missing',
    '"remote": a server of the type streamable-http has no field "command"',
    '"remote": server "remote" has a command and a url: leave one out',
    '"mixed": a server of the type stdio has no field "url"',
    '"mixed": server "mixed" has a command and a url: leave one out',
    '"outside": "command" must be the name of a program, or a path in the plugin that begins with ./, not "../x"',
    '"reserved": "env" must not set PLUGIN_ROOT',
    '"data": server "data" keeps data in ${PLUGIN_DATA}, which is not there: no folder outlasts a session yet',
    '"elsewhere": server "elsewhere" wants to start in a folder of its own: it starts in the workspace',
    '"text": "mcpServers.text" must be a mapping of names to values, not "x"',
    '"text": server "text" must be a mapping',
  ]);
});

Deno.test("readPack() leaves a plugin its skills when its server file is for another version", async () => {
  const { pack, lines } = await read({
    "plugin.json": JSON.stringify(MANIFEST),
    "mcp.json": JSON.stringify({ $schema: "https://agent-plugins.org/9", mcpServers: {} }),
  });
  assertEquals([pack?.servers, lines.length], [[], 1]);
});

Deno.test("readPack() says what a plugin without $schema is to have there", async () => {
  const { lines } = await read({ "plugin.json": '{"name": "x"}' });
  assertEquals(lines, [
    `error PACK/plugin.json:1:1: "$schema" must be ${PLUGIN_SCHEMA}, which is missing`,
  ]);
});

Deno.test("readPack() refuses a plugin whose manifest breaks the rules, and warns of unknown keys", async () => {
  const { lines } = await read({
    "plugin.json": '{"$schema": "x", "name": "My-Plugin", "personas": [], "extensions": 1}',
  });
  assertEquals(lines.map((line) => line.replace(/ PACK\/plugin.json:1:\d+/, "")), [
    'warning: there is no field "personas"; there are $schema, name, version, description, author, homepage, repository, license, keywords, extensions',
    `error: "$schema" must be ${PLUGIN_SCHEMA}, not "x"`,
    'error: "name" must be 1 to 64 of a-z, 0-9, single hyphens and single dots between them, not "My-Plugin"',
    'warning: "extensions" must be a mapping of names to values: it is ignored',
  ]);
});

Deno.test("readPack() reads an agent plugin as somebody would publish it", async () => {
  const folder = fromRepo("tests/fixtures/packs/harbor");
  const { pack, problems } = await readPack(folder, denoFiles(), DEFAULT_LIMITS);
  assertEquals(told(problems, folder), [
    'warning PACK/skills/berth-plan/SKILL.md:3:63: skill "berth-plan": its YAML is wrong: bad indentation of a mapping entry; it is read as if the values were in quotes',
  ]);
  assertEquals(pack?.personas.map(({ name }) => name), ["pilot"]);
  assertEquals(pack?.skills.get("pilot")?.map(({ name }) => name), ["berth-plan"]);
  assertEquals(pack?.manifest.defaults, { thinking: "low" });
  assertEquals(pack?.servers[0]?.env, {
    PLUGIN_ROOT: folder,
    TIDES: `${folder}/skills/berth-plan/references/tides.md`,
  });
});
