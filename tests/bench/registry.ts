import { startFakes } from "../fake_servers.ts";
import { type Measurement, median } from "./measurement.ts";

const CALLS = 500;
const STARTS = 7;
const LISTS = 2000;

/**
 * The registry by itself, over real servers that do nothing, without grants: calls, 16 servers started at
 * once against one, and the list that each round makes.
 */
export async function registry(): Promise<Measurement[]> {
  const one = await started(1);
  const sixteen = await started(16);
  return [
    ...await calls(),
    {
      what: "16 servers started at once",
      value: sixteen,
      unit: "ms",
      base: { what: "one", value: one },
    },
    await list(),
  ];
}

/** One call at a time, and 32 side by side: the time for each. */
async function calls(): Promise<Measurement[]> {
  await using session = await startFakes([{ name: "a" }]);
  const call = () => session.call("a__echo", { text: "x" });
  for (let index = 0; index < 50; index++) await call();
  const times: number[] = [];
  for (let index = 0; index < CALLS; index++) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  const before = performance.now();
  const side = Array.from({ length: 32 }, async () => {
    for (let index = 0; index < CALLS / 10; index++) await call();
  });
  await Promise.all(side);
  const each = (performance.now() - before) / (32 * CALLS / 10);
  return [
    {
      what: perSecond("calls to a no-op server, one at a time", median(times)),
      value: median(times),
      unit: "ms",
    },
    {
      what: perSecond("calls to a no-op server, 32 side by side", each),
      value: each,
      unit: "ms",
    },
  ];
}

function perSecond(what: string, ms: number): string {
  return `${what} (${Math.round(1000 / ms)} a second)`;
}

/** From nothing to all of them healthy, their tools listed. */
async function started(count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));
  const times: number[] = [];
  for (let run = 0; run <= STARTS; run++) {
    const before = performance.now();
    // More than eagerServers: without known lists each is started all the same.
    await using session = await startFakes(names);
    const ms = performance.now() - before;
    const states = session.registry.servers().map(({ state }) => state);
    if (states.some((state) => state !== "healthy")) throw new Error(`They are ${states}`);
    if (run > 0) times.push(ms); // the first one loads the client
  }
  return median(times);
}

/** What each round makes anew: the list of 128 tools with long descriptions. */
async function list(): Promise<Measurement> {
  const knobs = ["--tool-count=128", "--desc-size=1000"];
  await using session = await startFakes([{ name: "a", knobs }], { maxToolsBytes: 1024 * 1024 });
  if (session.registry.tools().length !== 128) throw new Error("They are not 128 tools");
  const times: number[] = [];
  for (let round = 0; round < LISTS; round++) {
    const before = performance.now();
    session.registry.tools();
    times.push(performance.now() - before);
  }
  return { what: "a list of 128 tools, once a round", value: median(times), unit: "ms" };
}
