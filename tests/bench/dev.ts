import { existsSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import { DevServer } from "../dev_server.ts";
import { fromRepo, runChild, tempFolder } from "../harness.ts";
import { bareDeno, benchEnv, Child, WORK } from "./child.ts";
import { type Measurement, medians } from "./measurement.ts";

const RUNS = 25;
const SEARCHED_FILES = 2000;

/** The dev server's tools against what cannot be faster: bare bash, ripgrep, `cat`. */
export async function dev(): Promise<Measurement[]> {
  return [...await start(), ...await tools()];
}

/** From the start of the server to its answer to `tools/list`. */
async function start(): Promise<Measurement[]> {
  const always = ["run", "--no-prompt", "--no-remote", "--cached-only", "--ignore-env"];
  const source = [`--config=${fromRepo("deno.json")}`, `--lock=${fromRepo("deno.lock")}`];
  const lines = [[
    ...always,
    ...source,
    "--frozen",
    "--allow-read=.",
    fromRepo("tools/dev/main.ts"),
  ]];
  const bundle = fromRepo("dist/servers/dev.js");
  if (existsSync(bundle)) {
    lines.push([...always, "--no-config", "--no-lock", "--no-npm", "--allow-read=.", bundle]);
  }
  const listed = (args: readonly string[]) => async () => {
    await using server = new Child(Deno.execPath(), args, WORK, benchEnv());
    await server.request(1, "tools/list", {});
    return performance.now() - server.startMs;
  };
  const [bare = NaN, ...times] = await medians([bareDeno, ...lines.map(listed)]);
  return times.map((value, index): Measurement => ({
    what: `dev server to tools/list${index === 0 ? "" : ", bundle"}`,
    value,
    unit: "ms",
    base: { what: "deno run of nothing", value: bare },
    ...(index === 0 ? {} : { reach: 4 }),
  }));
}

async function tools(): Promise<Measurement[]> {
  await using folder = await tempFolder();
  const { path } = folder;
  await fill(path);
  await using server = DevServer.withShell(path);
  const call = (name: string, args: unknown) => () => timed(() => server.call(name, args));
  const program = (name: string, ...args: string[]) => () =>
    timed(() => runChild(name, args, { cwd: path, env: benchEnv() }));
  const search = ["--sort=path", "-n", "needle 777", "./"];
  const [bash, shell, cat, read, rg, tool, image] = await medians([
    program("bash", "-c", "true"),
    call("shell", { command: "true" }),
    program("cat", "long.txt"),
    call("read_file", { path: "long.txt", offset: 100_000, limit: 10 }),
    program("rg", ...search),
    call("rg", { pattern: "needle 777" }),
    call("view_image", { source: "large.png", max_dim: 512 }),
  ], RUNS) as [number, number, number, number, number, number, number];
  const row = (what: string, value: number, base?: Measurement["base"]): Measurement => ({
    what,
    value,
    unit: "ms",
    ...(base === undefined ? {} : { base }),
  });
  return [
    { ...row("shell of nothing, beyond bash -c", shell - bash), reach: 3 },
    row("read_file of 10 MB", read, { what: "cat", value: cat }),
    row(`rg in ${SEARCHED_FILES} files`, tool, { what: "ripgrep", value: rg }),
    row("view_image of 2000×2000, made smaller", image),
  ];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await run();
  return performance.now() - startMs;
}

async function fill(path: string): Promise<void> {
  const line = "some text that goes on for a while, as lines in files do\n";
  await Deno.writeTextFile(`${path}/long.txt`, line.repeat(10_000_000 / line.length));
  for (let file = 0; file < SEARCHED_FILES; file++) {
    const folder = `${path}/src/${file % 40}`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/${file}.ts`, `${line.repeat(100)}needle ${file}\n`);
  }
  await Deno.writeFile(`${path}/large.png`, png(2000));
}

/** A grey square, which is quick to make and as slow to make smaller as any. */
function png(edge: number): Uint8Array {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, edge);
  header.setUint32(4, edge);
  header.setUint8(8, 8);
  const rows = new Uint8Array(deflateSync(new Uint8Array((edge + 1) * edge).fill(0)));
  const chunks = [chunk("IHDR", new Uint8Array(header.buffer)), chunk("IDAT", rows)];
  return new Uint8Array([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunks.flatMap((bytes) => [...bytes]),
    ...chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(data.length + 12));
  const bytes = new Uint8Array(view.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}
