import { fromRepo } from "../harness.ts";
import { bareDeno, benchEnv, Child, startSkep, WORK } from "./child.ts";
import { type Measurement, medians } from "./measurement.ts";

/** From the start of `skep acp` to its answer to `initialize`, directly and through its task. */
export async function initialize(): Promise<Measurement[]> {
  const task = ["task", "-q", "--config", fromRepo("deno.json"), "acp"];
  const [bare = NaN, direct = NaN, throughTask = NaN] = await medians([
    bareDeno,
    () => answered(startSkep(["acp"])),
    () => answered(new Child(Deno.execPath(), task, WORK, benchEnv())),
  ]);
  const base = { what: "deno run of nothing", value: bare };
  return [
    { what: "initialize, by deno run", value: direct, unit: "ms", base, reach: 2 },
    { what: "initialize, by deno task", value: throughTask, unit: "ms", base, reach: 3 },
  ];
}

async function answered(child: Child): Promise<number> {
  await using agent = child;
  await agent.request(1, "initialize", { protocolVersion: 1 });
  return performance.now() - agent.startMs;
}
