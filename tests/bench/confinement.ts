import type { Launch } from "../../lib/sandbox/launch.ts";
import { BACKENDS, Ground, runLaunch } from "../confined.ts";
import { type Measurement, medians } from "./measurement.ts";

const RUNS = 11;

/** What the operating system's confinement adds to a server's life from start to end: its calls are what they were. */
export async function confinement(): Promise<Measurement[]> {
  await using ground = await Ground.make();
  const spec = {
    name: "dev",
    command: "skep",
    args: ["mcp", "dev"],
    permissions: { read: ["${WORKSPACE}"], write: ["${TMP}"], sandbox: "prefer" as const },
  };
  const launches = await Promise.all(BACKENDS.map((backend) => ground.launch(backend, spec)));
  try {
    const [first] = launches;
    if (first?.confined === undefined) return [];
    const bare = { ...first, command: first.confined.inner };
    const [alone = NaN, ...held] = await medians(
      [bare, ...launches].map((launch) => () => life(launch)),
      RUNS,
    );
    return BACKENDS.map((backend, index): Measurement => ({
      what: `a server's start and end under ${backend}`,
      value: held[index] ?? NaN,
      unit: "ms",
      base: { what: "under flags alone", value: alone },
    }));
  } finally {
    for (const launch of launches) await launch[Symbol.asyncDispose]();
  }
}

/** Starts a server whose input is at its end, and waits until it is gone. */
async function life(launch: Launch): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await runLaunch(launch);
  if (code !== 0) throw new Error(`The server ended with code ${code}: ${stderr}`);
  return performance.now() - start;
}
