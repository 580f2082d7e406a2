import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { pathToFileURL } from "node:url";
import { tempFolder } from "../../tests/harness.ts";
import { SkepError } from "../errors.ts";
import { denoFiles } from "../host/files.ts";
import { programRoot } from "./program_root.ts";
import { unpack } from "./unpack.ts";

const DIGEST = "ab".repeat(32);
const WORLD = { files: denoFiles() };

/** What a compiled program would carry. */
async function embedded(
  folder: string,
  manifest = JSON.stringify({ digest: DIGEST }),
): Promise<string> {
  const root = join(folder, "embedded");
  for (const name of ["personas/guide", "tools/launch", "servers"]) {
    await Deno.mkdir(join(root, name), { recursive: true });
  }
  await Deno.writeTextFile(join(root, "personas/guide/guide.persona.md"), "a persona\n");
  await Deno.writeTextFile(join(root, "tools/launch/main.js"), "// the launcher\n");
  await Deno.writeTextFile(join(root, "servers/dev.js"), "// the dev server\n");
  await Deno.writeFile(join(root, "servers/photon.wasm"), new Uint8Array([0, 0x61, 0xff, 0xfe]));
  await Deno.writeTextFile(join(root, "manifest.json"), manifest);
  return root;
}

Deno.test("unpack() copies what the program carries to a folder named by its content", async () => {
  await using home = await tempFolder();
  const cache = join(home.path, "cache");
  const target = await unpack(await embedded(home.path), cache, WORLD);
  assertEquals(target, join(cache, "program", DIGEST));
  assertEquals(await Deno.readTextFile(join(target, "servers/dev.js")), "// the dev server\n");
  assertEquals(await Deno.readTextFile(join(target, "tools/launch/main.js")), "// the launcher\n");
  const wasm = await Deno.readFile(join(target, "servers/photon.wasm"));
  assertEquals([...wasm], [0, 0x61, 0xff, 0xfe]);
  const { mode } = await Deno.stat(target);
  assertEquals(mode === null ? 0 : mode & 0o077, 0);
});

Deno.test("unpack() copies once: a second start finds what is there", async () => {
  await using home = await tempFolder();
  const root = await embedded(home.path);
  const target = await unpack(root, home.path, WORLD);
  await Deno.writeTextFile(join(root, "servers/dev.js"), "// changed\n");
  assertEquals(await unpack(root, home.path, WORLD), target);
  assertEquals(await Deno.readTextFile(join(target, "servers/dev.js")), "// the dev server\n");
});

Deno.test("unpack() leaves one whole folder when many start at once", async () => {
  await using home = await tempFolder();
  const root = await embedded(home.path);
  const targets = await Promise.all(
    Array.from({ length: 8 }, () => unpack(root, home.path, WORLD)),
  );
  assertEquals(new Set(targets).size, 1);
  const left = await Array.fromAsync(Deno.readDir(join(home.path, "program")), ({ name }) => name);
  assertEquals(left, [DIGEST]);
});

Deno.test("unpack() does not trust a digest that could be a path", async () => {
  await using home = await tempFolder();
  const root = await embedded(home.path, JSON.stringify({ digest: "../../x" }));
  await assertRejects(() => unpack(root, home.path, WORLD), SkepError, "it has no digest");
});

Deno.test("programRoot() of a compiled program is where it unpacks to, else the folder with personas", async () => {
  await using home = await tempFolder();
  const root = await embedded(home.path);
  const module = pathToFileURL(join(root, "chunk.js")).href;
  const host = {
    files: denoFiles(),
    env: (name: string) => name === "HOME" ? home.path : undefined,
    platform: { os: "linux", arch: "x86_64" } as const,
  };
  assertEquals(await programRoot({ ...host, isStandalone: false }, module), root);
  assertEquals(
    await programRoot({ ...host, isStandalone: true }, module),
    join(home.path, ".cache/skep/program", DIGEST),
  );
});
