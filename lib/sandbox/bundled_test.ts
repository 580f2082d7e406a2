import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import { warmBundled } from "./bundled.ts";
import type { LaunchContext } from "./context.ts";
import { type PretendedChild, pretendSpawn } from "./test_process.ts";
import { testContext } from "./test_world.ts";

const PLACES = { deno: "/opt/deno", denoDir: "/dd" };

function world(child: PretendedChild = { code: 0 }) {
  const { spawn, commands } = pretendSpawn(() => child);
  const base = testContext({ files: { "/skep/deno.lock": "lock 1" } });
  const sleep: LaunchContext["host"]["sleep"] = (_ms, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const context = { ...base, host: { ...base.host, spawn, sleep } };
  const warm = (more: Partial<LaunchContext> = {}) =>
    warmBundled("dev", "tools", { ...context, ...more }, PLACES);
  return { context, commands, warm };
}

Deno.test("warmBundled() fetches once for each content of the lock file", async () => {
  const { context, commands, warm } = world();
  await warm();
  await warm();
  assertEquals(commands.map(({ args, cwd }) => [args, cwd]), [[
    [
      "cache",
      "--quiet",
      "--config=/skep/deno.json",
      "--lock=/skep/deno.lock",
      "--frozen",
      "/skep/tools/dev/main.ts",
    ],
    "/skep",
  ]]);
  await context.host.files.writeText("/skep/deno.lock", "lock 2");
  await warm();
  assertEquals(commands.length, 2);
});

Deno.test("warmBundled() only looks when offline, and does nothing for a bundle", async () => {
  const { commands, warm } = world();
  await warm({ bundles: "/skep/dist/tools" });
  assertEquals(commands.length, 0);
  await warm({ isOffline: true });
  assertEquals(commands[0]?.args.includes("--cached-only"), true);
});

Deno.test("warmBundled() names the server when its imports cannot be fetched, and tries again", async () => {
  const { commands, warm } = world({ code: 1, stderr: "error: no route\n" });
  const error = await assertRejects(() => warm(), SkepError, 'server "tools" imports: no route');
  assertEquals(error.code, "PACKAGE_FETCH_FAILED");
  await assertRejects(() => warm({ isOffline: true }), SkepError, "nothing is fetched offline");
  assertEquals(commands.length, 2);
});

Deno.test("warmBundled() fetches what it believes to be there when a server did not find it", async () => {
  const { commands, warm } = world();
  await warm();
  await warm({ isRefetching: true });
  await warm();
  assertEquals(commands.length, 2);
});
