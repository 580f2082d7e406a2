import type { Launch } from "../../lib/sandbox/launch.ts";
import { BACKENDS, Ground, runLaunch } from "../confined.ts";
import { descendants, runChild } from "../harness.ts";
import { Child } from "./child.ts";
import { type Measurement, median, timesOf } from "./measurement.ts";

const RUNS = 11;
const CALLS = 200;
/** A call is one over the same pipes: what differs is the machine's other work. */
const CALL_RATIO = 1.25;

/** What the operating system's confinement adds: to a server's life from start to end, to its calls, to its memory. */
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
    const [alone = [], ...held] = await timesOf(
      [bare, ...launches].map((launch) => () => life(launch)),
      RUNS,
    );
    const [free, ...bound] = await used([bare, ...launches]);
    return BACKENDS.flatMap((backend, index): Measurement[] => {
      const row = (what: string, unit: "ms" | "MB", value = NaN, least = NaN): Measurement => (
        { what: `${what} under ${backend}`, value, unit, base: { what: FLAGS_ALONE, value: least } }
      );
      return [
        row("a server's start and end", "ms", median(held[index] ?? []), median(alone)),
        {
          // Of the fastest runs, which met the least of the machine's other work.
          what: `added to that by ${backend}, at its fastest`,
          value: Math.min(...held[index] ?? []) - Math.min(...alone),
          unit: "ms",
          reach: backend === "bwrap" ? 15 : 60,
        },
        {
          ...row("a call of a server", "ms", bound[index]?.callMs, free?.callMs),
          reach: CALL_RATIO,
        },
        row(
          "memory of a server and what holds it",
          "MB",
          bound[index]?.residentMb,
          free?.residentMb,
        ),
      ];
    });
  } finally {
    for (const launch of launches) await launch[Symbol.asyncDispose]();
  }
}

const FLAGS_ALONE = "under flags alone";

/** What a call takes of servers that all run, each called in its turn, and what each holds in memory then. */
async function used(
  launches: readonly Launch[],
): Promise<{ readonly callMs: number; readonly residentMb: number }[]> {
  await using stack = new AsyncDisposableStack();
  const servers = launches.map(({ command: { program, args, cwd, env } }) =>
    stack.use(new Child(program, args, cwd, { ...env }))
  );
  for (const server of servers) {
    await server.request(0, "initialize", { protocolVersion: "2025-06-18" });
  }
  const times = servers.map((): number[] => []);
  for (let call = 1; call <= CALLS; call++) {
    for (const [index, server] of servers.entries()) {
      const start = performance.now();
      await server.request(call, "tools/call", { name: "todo", arguments: {} });
      times[index]!.push(performance.now() - start);
    }
  }
  return await Promise.all(
    servers.map(async ({ pid }, index) => (
      { callMs: median(times[index]!), residentMb: await residentMb(pid) }
    )),
  );
}

/** Of a process and all below it. */
async function residentMb(pid: number): Promise<number> {
  const pids = [pid, ...await descendants(pid)];
  const { stdout } = await runChild("/bin/ps", ["-o", "rss=", "-p", pids.join(",")], {});
  return stdout.trim().split("\n").reduce((sum, kib) => sum + Number(kib), 0) / 1024;
}

/** Starts a server whose input is at its end, and waits until it is gone. */
async function life(launch: Launch): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await runLaunch(launch);
  if (code !== 0) throw new Error(`The server ended with code ${code}: ${stderr}`);
  return performance.now() - start;
}
