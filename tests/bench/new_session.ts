import { existsSync } from "node:fs";
import { fromRepo, taskArgs } from "../harness.ts";
import { benchEnv, Child, startSkep, WORK } from "./child.ts";
import { type Measurement, medians } from "./measurement.ts";

const RUNS = 9;
/** How long an editor has been idle when its person opens a session: by then the agent has loaded. */
const IDLE_MS = 1000;

/**
 * `session/new` with the dev server against that server's own start to `tools/list`: from source, and from
 * the bundle when `deno task bundle` has made one.
 */
export async function newSession(): Promise<Measurement[]> {
  const source = await measured("", startSkep, 2);
  if (!existsSync(fromRepo("dist/cli.js"))) return source;
  const flags = taskArgs("skep").slice(1, -1).filter((word) => !/^--(lock|frozen)/.test(word));
  const line = ["run", "--no-config", "--no-lock", ...flags, fromRepo("dist/cli.js")];
  const start = (args: readonly string[]) =>
    new Child(Deno.execPath(), [...line, ...args], WORK, benchEnv());
  return [...source, ...await measured(", bundle", start, 1.5)];
}

async function measured(
  where: string,
  start: (args: readonly string[]) => Child,
  reach: number,
): Promise<Measurement[]> {
  const command = await devCommand(start);
  const session = (idleMs: number, sandbox: string) => async () => {
    await using agent = start(["acp", "--sandbox", sandbox]);
    await agent.request(1, "initialize", { protocolVersion: 1 });
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const before = performance.now();
    await agent.request(2, "session/new", { cwd: WORK, mcpServers: [] });
    return performance.now() - before;
  };
  const [bare = NaN, idle = NaN, atOnce = NaN, confined = NaN] = await medians([
    () => devServer(command),
    session(IDLE_MS, "off"),
    session(0, "off"),
    session(IDLE_MS, "auto"),
  ], RUNS);
  const base = { what: "the dev server alone", value: bare };
  const unit = "ms";
  return [
    { what: `session/new${where}`, value: idle, unit, base, reach },
    { what: `session/new${where}, right after initialize`, value: atOnce, unit, base },
    { what: `session/new${where}, server confined`, value: confined, unit, base },
  ];
}

/** The command line that skep itself starts the server with, without the programs that it may run. */
async function devCommand(start: (args: readonly string[]) => Child): Promise<string[]> {
  await using audit = start(["audit", "dev", "--json", "--sandbox", "off"]);
  const { command } = await audit.message(() => true);
  return (command as string[]).filter((word) =>
    word !== "--unconfined" && !word.startsWith("--allow-run")
  );
}

async function devServer([program = "", ...args]: readonly string[]): Promise<number> {
  await using server = new Child(program, args, WORK, benchEnv());
  await server.request(1, "initialize", { protocolVersion: "2025-06-18" });
  await server.request(2, "tools/list", {});
  return performance.now() - server.startMs;
}
