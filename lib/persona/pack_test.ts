import { assertEquals, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { fromRepo, tempFolder } from "../../tests/harness.ts";
import { SkepError } from "../errors.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { loadPack, type Pack } from "./pack.ts";

const PERSONA = "---\nname: a\ndisplay_name: A\ndescription: d\n---\nHello";
const MANIFEST = { id: "x", name: "X", version: "1", personas: ["agents/a.persona.md"] };

async function load(folder: string, limits = DEFAULT_LIMITS): Promise<Pack> {
  return (await loadPack(folder, denoFiles(), limits)).pack;
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}

async function writePack(folder: string, manifest: Record<string, unknown> = {}): Promise<void> {
  await write(folder, {
    ".plugin/plugin.json": JSON.stringify({ ...MANIFEST, ...manifest }),
    "agents/a.persona.md": PERSONA,
  });
}

async function refusal(folder: string, limits = DEFAULT_LIMITS): Promise<string> {
  const error = await assertRejects(() => load(folder, limits), SkepError);
  assertEquals(error.code, "PERSONA_INVALID");
  return error.message.replaceAll(folder, "PACK");
}

Deno.test("loadPack() loads a pack in the public layout", async () => {
  const folder = fromRepo("tests/fixtures/packs/meadow-core");
  const pack = await load(folder);
  assertEquals(pack.folder, folder);
  assertEquals(pack.manifest.id, "com.example.meadow-core");
  assertEquals(pack.personas.map((persona) => persona.name), ["skip", "lev", "bana"]);
  assertEquals(pack.servers.map((server) => server.name), ["tracker", "notes"]);
  assertEquals(pack.servers[0]?.origin, { kind: "pack", where: join(folder, ".mcp.json") });
  assertEquals(
    pack.instructions?.split("\n")[0],
    "We are one team, and people read what all of us write.",
  );
});

Deno.test("loadPack() loads the shipped guide", async () => {
  const pack = await load(fromRepo("personas/guide"));
  assertEquals(pack.personas.map((persona) => persona.name), ["guide"]);
  assertEquals(pack.personas[0]?.own, {});
  const servers = pack.personas[0]?.servers ?? [];
  assertEquals(servers.map(({ name, command, args }) => [name, command, ...args]), [
    ["dev", "skep", "mcp", "dev"],
  ]);
  const { read, write, run } = servers[0]?.permissions ?? {};
  assertEquals([read, write, run], [
    ["${WORKSPACE}", "${HOME}"],
    ["${WORKSPACE}", "${TMP}", "${HOME}"],
    ["bash"],
  ]);
});

Deno.test("loadPack() does without instructions and servers that the manifest does not name", async () => {
  await using folder = await tempFolder();
  await writePack(folder.path);
  const { instructions, servers } = await load(folder.path);
  assertEquals([instructions, servers], [undefined, []]);
});

Deno.test("loadPack() takes instructions and servers from where the manifest says", async () => {
  await using folder = await tempFolder();
  await writePack(folder.path, { pack_instructions: "i.txt", mcp_config: "m.json" });
  await write(folder.path, {
    "i.txt": "\uFEFFone\r\ntwo\r\n",
    "m.json": '{"mcpServers": {"s": {"command": "x"}}}',
    "instructions.md": "not these",
  });
  const { instructions, servers } = await load(folder.path);
  assertEquals([instructions, servers.map(({ name }) => name)], ["one\ntwo\n", ["s"]]);
});

Deno.test("loadPack() names the file that is missing", async () => {
  await using folder = await tempFolder();
  const missing = (file: string, column: number) =>
    `Cannot use PACK/.plugin/plugin.json:1:${column}: there is no file "${file}" in the pack`;
  assertEquals(
    await refusal(folder.path),
    "Cannot use PACK/.plugin/plugin.json: there is no such file in the pack, and no plugin.json either",
  );
  await writePack(folder.path, { personas: ["agents/b.persona.md"] });
  assertEquals(await refusal(folder.path), missing("agents/b.persona.md", 48));
  await writePack(folder.path, { pack_instructions: "i.txt" });
  assertEquals(await refusal(folder.path), missing("i.txt", 71));
  await writePack(folder.path, { mcp_config: "m.json" });
  assertEquals(await refusal(folder.path), missing("m.json", 71));
});

Deno.test("loadPack() refuses paths that lead out of the pack by their text", async () => {
  await using folder = await tempFolder();
  for (
    const path of [
      "/etc/passwd",
      "../a.persona.md",
      "agents/../../a.persona.md",
      "agents\\..\\..\\a",
      "C:\\a",
      "\\\\host\\a",
      "a\0b",
    ]
  ) {
    await writePack(folder.path, { personas: [path] });
    assertEquals(
      await refusal(folder.path),
      `Cannot use PACK/.plugin/plugin.json:1:48: the path "${path}" must be relative and stay inside the pack`,
    );
  }
});

Deno.test("loadPack() refuses links that lead out of the pack, in every file it reads", async () => {
  await using outside = await tempFolder();
  await write(outside.path, {
    "plugin.json": JSON.stringify(MANIFEST),
    "a.persona.md": PERSONA,
    "text": "secret",
  });
  const links = {
    ".plugin/plugin.json": "plugin.json",
    "agents/a.persona.md": "a.persona.md",
    "instructions.md": "text",
    ".mcp.json": "text",
  };
  for (const [path, target] of Object.entries(links)) {
    await using folder = await tempFolder();
    await writePack(folder.path);
    await Deno.remove(join(folder.path, path)).catch(() => {});
    await Deno.symlink(join(outside.path, target), join(folder.path, path));
    assertEquals(
      await refusal(folder.path),
      `Cannot use PACK/${path}: Cannot read "PACK/${path}": it leads out of PACK`,
    );
  }
});

Deno.test("loadPack() follows a link that stays inside, and a linked pack folder", async () => {
  await using folder = await tempFolder();
  await writePack(`${folder.path}/real`, { personas: ["agents/link.persona.md"] });
  await Deno.symlink("a.persona.md", `${folder.path}/real/agents/link.persona.md`);
  await Deno.symlink("real", `${folder.path}/link`);
  const pack = await load(`${folder.path}/link`);
  assertEquals(pack.folder, `${folder.path}/real`);
  assertEquals(pack.personas[0]?.file, `${folder.path}/real/agents/a.persona.md`);
});

Deno.test("loadPack() does not take a sibling folder with the same beginning for the pack", async () => {
  await using folder = await tempFolder();
  await writePack(`${folder.path}/p`);
  await write(folder.path, { "p-other/i.md": "x" });
  await Deno.symlink("../p-other/i.md", `${folder.path}/p/instructions.md`);
  assertEquals(
    await refusal(`${folder.path}/p`),
    'Cannot use PACK/instructions.md: Cannot read "PACK/instructions.md": it leads out of PACK',
  );
});

Deno.test("loadPack() refuses no personas, and one name twice", async () => {
  await using folder = await tempFolder();
  await writePack(folder.path, { personas: [] });
  assertEquals(
    await refusal(folder.path),
    "Cannot use PACK/.plugin/plugin.json:1:36: the pack has no personas",
  );
  await writePack(folder.path, { personas: ["agents/a.persona.md", "agents/b.persona.md"] });
  await write(folder.path, { "agents/b.persona.md": PERSONA });
  assertEquals(
    await refusal(folder.path),
    'Cannot use PACK/agents/b.persona.md:2:1: the name "a" is taken by PACK/agents/a.persona.md',
  );
});

Deno.test("loadPack() fails for a bad shared server, instead of dropping it", async () => {
  await using folder = await tempFolder();
  await writePack(folder.path);
  await write(folder.path, { ".mcp.json": '{"mcpServers": {"s": {"args": []}}}' });
  assertEquals(
    await refusal(folder.path),
    'Cannot use PACK/.mcp.json:1:17: the required field "mcpServers.s.command" is missing',
  );
  await write(folder.path, { ".mcp.json": "{" });
  assertEquals(
    await refusal(folder.path),
    'Cannot use PACK/.mcp.json:1:2: it is not JSON, the file ends where a name in double quotes or "}" should be',
  );
});

Deno.test("loadPack() takes a manifest exactly at its limit, and refuses one byte more", async () => {
  await using folder = await tempFolder();
  await writePack(folder.path);
  const { size } = await Deno.stat(`${folder.path}/.plugin/plugin.json`);
  const limits = { ...DEFAULT_LIMITS, maxConfigFileBytes: size };
  assertEquals((await load(folder.path, limits)).manifest.id, "x");
  const path = `${folder.path}/.plugin/plugin.json`;
  await Deno.writeTextFile(path, " ", { append: true });
  assertEquals(
    await refusal(folder.path, limits),
    `Cannot use PACK/.plugin/plugin.json: Cannot read "PACK/.plugin/plugin.json" of ${
      size + 1
    } bytes: the limit is ${size}`,
  );
});
