import { join } from "@std/path";
import { BACKENDS, Ground, runLaunch } from "../confined.ts";
import { runChild, tempFolder } from "../harness.ts";
import { type Measurement, medians } from "./measurement.ts";

const RUNS = 11;

/** The program that each of them starts: one that ends at once. */
const PROGRAM = ["bash", "-c", "true"];

/** Others that confine one command, by their names on PATH and the arguments before that command. */
const PEERS: readonly {
  readonly program: string;
  readonly args: readonly string[];
  readonly npm: string;
}[] = [
  { program: "srt", args: [], npm: "@anthropic-ai/sandbox-runtime" },
  { program: "codex", args: ["sandbox", "--"], npm: "@openai/codex" },
];

/**
 * A program's life from start to end behind each of our backends, and behind what others confine with, where
 * PATH has those: each says with a run of its own whether it works here.
 */
export async function peers(): Promise<Measurement[]> {
  await using ground = await Ground.make();
  await using home = await tempFolder(await homeForPeers());
  const launches = await Promise.all(
    BACKENDS.map((backend) => ground.launch(backend, { script: "true" })),
  );
  const env = { HOME: home.path, PATH: Deno.env.get("PATH") ?? "" };
  const run = (words: readonly string[]) =>
    runChild("/usr/bin/env", words, { cwd: ground.workspace, env });
  const works = await Promise.all(
    PEERS.map(async ({ program, args }) => (await run([program, ...args, ...PROGRAM])).code === 0),
  );
  const there = PEERS.filter((_, index) => works[index]);
  const missing = PEERS.filter((peer) => !there.includes(peer));
  if (missing.length > 0) {
    const names = missing.map(({ program, npm }) => `${program} (npm install --global ${npm})`);
    await Deno.stderr.write(
      new TextEncoder().encode(`not compared, since it does not work here: ${names.join(", ")}\n`),
    );
  }
  try {
    const [alone = NaN, ...lives] = await medians([
      () => timed(() => run(PROGRAM)),
      ...launches.map((launch) => () => timed(() => runLaunch(launch))),
      ...there.map(({ program, args }) => () => timed(() => run([program, ...args, ...PROGRAM]))),
    ], RUNS);
    return [...BACKENDS, ...there.map(({ program }) => program)].map((name, index) => ({
      what: `a shell's start and end under ${name}`,
      value: lives[index] ?? NaN,
      unit: "ms",
      base: { what: "alone", value: alone },
    }));
  } finally {
    for (const launch of launches) await launch[Symbol.asyncDispose]();
  }
}

/** Not below the temporary folder, where one of them refuses to have its home; undefined where there is none. */
async function homeForPeers(): Promise<string | undefined> {
  const cache = join(Deno.env.get("HOME") ?? "", ".cache");
  return await Deno.stat(cache).then(() => cache, () => undefined);
}

async function timed(life: () => Promise<{ readonly code: number }>): Promise<number> {
  const start = performance.now();
  const { code } = await life();
  if (code !== 0) throw new Error(`It ended with code ${code}`);
  return performance.now() - start;
}
