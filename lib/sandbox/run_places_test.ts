import { assertEquals } from "@std/assert";
import type { LaunchContext } from "./context.ts";
import { runPlaces } from "./run_places.ts";
import { testContext, type TestWorld } from "./test_world.ts";

const places = async (world: TestWorld, more: Partial<LaunchContext> = {}) =>
  (await runPlaces(testContext(world, more))).map(({ path }) => path).sort();

Deno.test("runPlaces() are Deno's cache and program, the start script and skep's folder, where they are", async () => {
  const files = {
    "/home/u/.cache/deno/x": "",
    "/home/u/.local/bin/skep": "#!/bin/sh",
    "/opt/deno": "program",
    "/opt/bin/deno": "another",
  };
  assertEquals(await places({ files, env: { PATH: "/usr/bin:/opt/bin" } }), [
    "/home/u/.cache/deno",
    "/home/u/.local/bin/skep",
    "/opt/bin/deno",
    "/opt/deno",
    "/skep",
  ]);
});

Deno.test("runPlaces() know each link on the way, and the package of npm's that a program comes from", async () => {
  const files = {
    "/data/deno/x": "",
    "/home/u/.cache": "->/data",
    "/n/bin/deno": "->../lib/node_modules/deno/bin.cjs",
    "/n/lib/node_modules/deno/bin.cjs": "",
    "/n/bin/node": "",
  };
  assertEquals(await places({ files, env: { PATH: "/n/bin" } }), [
    "/data/deno",
    "/home/u/.cache",
    "/n/bin/deno",
    "/n/bin/node",
    "/n/lib/node_modules/deno",
    "/n/lib/node_modules/deno/bin.cjs",
    "/skep",
  ]);
});

Deno.test("runPlaces() are of skep's folder what runs, where the workspace lies in it, and a policy lifts that", async () => {
  const files = { "/skep/lib/x.ts": "", "/skep/deno.json": "" };
  const more = { workspace: "/skep" };
  assertEquals(await places({ files }, more), ["/skep/deno.json", "/skep/lib", "/skep/personas"]);
  const policy = { file: "/p.yaml", protect: [] } as unknown as LaunchContext["policy"];
  assertEquals(await places({ files }, { ...more, ...(policy && { policy }) }), []);
});
