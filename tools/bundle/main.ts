// Makes `dist`: the program and its servers as one bundle each, and what skep brings along as files.
// `deno task bundle`, or with another folder to write to as the one argument.
import { basename, dirname, join, relative } from "@std/path";
import { fileURLToPath } from "node:url";
import { BUNDLED_SERVERS } from "../../lib/sandbox/command.ts";
import { VERSION } from "../../lib/version.ts";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Folders that are copied as they are: packs, and programs that are files of plain code. */
const COPIED = ["personas", "tools/launch", "tools/forward", "tools/entry"];

/** Files of packages that a bundled server reads beside itself: a bundle holds no wasm. */
const ASSETS = [
  "@silvia-odwyer/photon-node/photon_rs.js",
  "@silvia-odwyer/photon-node/photon_rs_bg.wasm",
];

/** Makes the bundle in `out`, from nothing. */
async function main(out: string): Promise<void> {
  await Deno.remove(out, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await fetchAll(["cli.ts", ...BUNDLED_SERVERS.map((name) => `tools/${name}/main.ts`)]);
  await bundle("cli.ts", ["--code-splitting", "--outdir", out]);
  for (const name of BUNDLED_SERVERS) {
    await bundle(`tools/${name}/main.ts`, ["--output", join(out, "servers", `${name}.js`)]);
  }
  for (const asset of ASSETS) {
    const from = fileURLToPath(import.meta.resolve(asset));
    await Deno.copyFile(from, join(out, "servers", basename(from)));
  }
  for (const folder of COPIED) await copy(join(ROOT, folder), join(out, folder));
  const digest = await digestOf(out);
  await Deno.writeTextFile(
    join(out, "manifest.json"),
    JSON.stringify({ version: VERSION, digest }),
  );
}

/**
 * Fetches every package that the programs import, those of dynamic imports too: what `deno.json` says
 * of fetching late holds for starts, and `deno bundle` then finds nothing.
 */
async function fetchAll(entries: readonly string[]): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "cache",
      "--quiet",
      "--no-config",
      "--import-map=import_map.json",
      "--lock=deno.lock",
      "--frozen",
      "--unstable-raw-imports",
      ...entries,
    ],
    cwd: ROOT,
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (code !== 0) throw new Error(`Cannot fetch the packages: deno cache ended with code ${code}`);
}

async function bundle(entry: string, flags: readonly string[]): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", "--lock=deno.lock", ...flags, entry],
    cwd: ROOT,
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (code !== 0) throw new Error(`Cannot bundle ${entry}: deno bundle ended with code ${code}`);
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name.endsWith("_test.ts")) continue;
    if (isDirectory) await copy(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** One digest of every file, by which a compiled program names the folder it unpacks to. */
async function digestOf(out: string): Promise<string> {
  const paths = (await Array.fromAsync(files(out))).sort();
  const parts: string[] = [];
  for (const path of paths) {
    const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
    parts.push(`${relative(out, path)} ${new Uint8Array(hash).toHex()}`);
  }
  const all = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(parts.join("\n")));
  return new Uint8Array(all).toHex();
}

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* files(join(folder, name));
    else yield join(folder, name);
  }
}

if (import.meta.main) await main(Deno.args[0] ?? join(ROOT, "dist"));
