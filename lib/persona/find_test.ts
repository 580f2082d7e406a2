import { assertEquals, assertRejects } from "@std/assert";
import { dirname } from "@std/path";
import { fromRepo, tempFolder } from "../../tests/harness.ts";
import { SkepError } from "../errors.ts";
import { denoFiles } from "../host/files.ts";
import { findPersona } from "./find.ts";
import { PLUGIN_SCHEMA } from "./plugin_manifest.ts";
import type { Persona } from "./persona.ts";

const SHIPPED = fromRepo("personas");
const MEADOW = fromRepo("tests/fixtures/packs/meadow-core");

async function find(wanted: string, shipped = SHIPPED): Promise<Persona> {
  return (await findPersona(wanted, shipped, "/", denoFiles())).persona;
}

async function refusal(wanted: string, shipped = SHIPPED): Promise<string> {
  const error = await assertRejects(() => find(wanted, shipped), SkepError);
  assertEquals(error.code, "PERSONA_NOT_FOUND");
  return error.message;
}

Deno.test("findPersona() finds a shipped persona by its pack's name", async () => {
  for (const wanted of ["guide", "guide#guide"]) {
    const { name, pack } = await find(wanted);
    assertEquals([name, pack], ["guide", fromRepo("personas/guide")]);
  }
});

Deno.test("findPersona() merges a pack's parts into one of its personas", async () => {
  const lev = await find(`${MEADOW}#lev`);
  assertEquals(lev.model, "anthropic:claude-sonnet-4-20250514");
  assertEquals([lev.settings.temperature, lev.settings.maxContextTokens], [0.3, 128000]);
  assertEquals(lev.settings.triggers.keywords, ["CVE", "vulnerability", "0day"]);
  assertEquals([lev.version, lev.skills.map(({ name }) => name)], ["1.0", ["github-research"]]);
  assertEquals(lev.servers.map(({ name, args, env }) => [name, args, env]), [
    ["tracker", ["-y", "@modelcontextprotocol/server-everything", "--retries", "3"], {
      PORT: "8080",
    }],
    ["notes", ["-y", "@modelcontextprotocol/server-sequential-thinking"], {}],
  ]);
  assertEquals(lev.prompt.startsWith("You are Lev."), true);
  assertEquals(lev.team?.startsWith("We are one team"), true);
  assertEquals((await find(`${MEADOW}#skip`)).settings.triggers.allMessages, true);
  assertEquals((await find(`${MEADOW}#bana`)).settings.broadcastReplies, true);
});

Deno.test("findPersona() takes one persona file alone", async () => {
  const file = `${MEADOW}/agents/bana.persona.md`;
  const bana = await find(file);
  assertEquals([bana.name, bana.file, bana.pack], ["bana", file, `${MEADOW}/agents`]);
  assertEquals([bana.model, bana.servers, bana.version], [undefined, [], undefined]);
  assertEquals(bana.team, undefined);
  assertEquals((await find(`${file}#bana`)).name, "bana");
  assertEquals(
    await refusal(`${file}#lev`),
    `Cannot find the persona "${file}#lev": that file holds the persona "bana"`,
  );
});

Deno.test("findPersona() does not choose among several personas", async () => {
  assertEquals(
    await refusal(MEADOW),
    `Cannot find the persona "${MEADOW}": the pack has skip, lev, bana: name one, such as ${MEADOW}#skip`,
  );
  assertEquals(
    await refusal(`${MEADOW}#leV2`),
    `Cannot find the persona "${MEADOW}#leV2": the pack has skip, lev, bana. Did you mean "lev"?`,
  );
});

Deno.test("findPersona() lists the shipped packs for an unknown one, with the nearest", async () => {
  assertEquals(
    await refusal("giude"),
    'Cannot find the persona "giude": no pack or file lies there, and the shipped ones are builder, guide, ops, reviewer. Did you mean "guide"?',
  );
  assertEquals(
    await refusal("/no/such"),
    'Cannot find the persona "/no/such": no pack or file lies there, and the shipped ones are builder, guide, ops, reviewer',
  );
  for (const wanted of ["", "#", "#guide", "a\0b"]) await refusal(wanted);
});

Deno.test("findPersona() never reaches beside the shipped folder by a name", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/shipped`);
  await Deno.mkdir(`${folder.path}/other`);
  for (const wanted of ["../other", "..", "."]) {
    const error = await assertRejects(() => find(wanted, `${folder.path}/shipped`), SkepError);
    assertEquals(error.message.includes(`${folder.path}/other`), false);
  }
});

Deno.test("findPersona() takes a folder whose name holds a #", async () => {
  await using folder = await tempFolder();
  const pack = `${folder.path}/a#b`;
  await Deno.mkdir(`${pack}/.plugin`, { recursive: true });
  await Deno.writeTextFile(
    `${pack}/.plugin/plugin.json`,
    '{"id": "x", "name": "X", "version": "1", "personas": ["c.md"]}',
  );
  await Deno.writeTextFile(
    `${pack}/c.md`,
    "---\nname: c\ndisplay_name: C\ndescription: d\n---\n",
  );
  assertEquals((await find(pack)).name, "c");
  assertEquals((await find(`${pack}#c`)).name, "c");
});

Deno.test("findPersona() takes a relative path from the folder it is given", async () => {
  const { persona } = await findPersona(
    "meadow-core#lev",
    SHIPPED,
    dirname(MEADOW),
    denoFiles(),
  );
  assertEquals(persona.name, "lev");
});

Deno.test("findPersona() finds an installed pack by its id, after the shipped ones, and lists it", async () => {
  await using folder = await tempFolder();
  for (const id of ["guide", "com.example.x", ".new-1"]) {
    await Deno.mkdir(`${folder.path}/${id}`);
    await Deno.writeTextFile(
      `${folder.path}/${id}/plugin.json`,
      JSON.stringify({ $schema: PLUGIN_SCHEMA, name: "x" }),
    );
  }
  const among = async (wanted: string) =>
    (await findPersona(wanted, SHIPPED, "/", denoFiles(), undefined, folder.path)).persona;
  assertEquals((await among("com.example.x")).pack, `${folder.path}/com.example.x`);
  assertEquals((await among("guide")).pack, fromRepo("personas/guide"));
  const error = await assertRejects(() => among("com.example.y"), SkepError);
  assertEquals(
    error.message.split("shipped ones are ")[1],
    'builder, guide, ops, reviewer, the installed ones com.example.x, guide. Did you mean "com.example.x"?',
  );
  await assertRejects(() => among(".new-1"), SkepError);
});
