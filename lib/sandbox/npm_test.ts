import { assertEquals, assertRejects } from "@std/assert";
import type { SpawnCommand } from "../host/process.ts";
import { SkepError } from "../errors.ts";
import { readCommand } from "./command.ts";
import type { LaunchContext } from "./context.ts";
import { fetchPackage, forgetPackage, type NpmCommand } from "./npm.ts";
import { type PretendedChild, pretendSpawn } from "./test_process.ts";
import { testContext } from "./test_world.ts";

const PLACES = { deno: "/opt/deno", denoDir: "/dd" };
const SPEC = { name: "docs", command: "npx" };
const STATE = "/home/u/.local/state/skep/npm";

/** A registry that knows `@a/b` 1.0.0 to `newest`, with one dependency, and a Deno that caches into /dd. */
function world(more: Partial<LaunchContext> = {}) {
  const registry = { newest: "1.2.3", failure: undefined as string | undefined, scripts: false };
  const base = testContext();
  const { files } = base.host;
  const work = (command: SpawnCommand): PretendedChild => {
    if (registry.failure !== undefined) return { code: 1, stderr: `error: ${registry.failure}\n` };
    const specifier = command.args.at(-1)!;
    const [, asked = "*"] = /^npm:@a\/b(?:@(.*))?$/.exec(specifier) ?? [];
    const version = /^\d+\.\d+\.\d+$/.test(asked) ? asked : registry.newest;
    const lock = command.args.find((each) => each.startsWith("--lock="))!.slice("--lock=".length);
    files.writeText(
      lock,
      JSON.stringify({
        version: "5",
        specifiers: { [`npm:@a/b@${asked}`]: `${version}_c@2.0.0` },
        npm: {
          [`@a/b@${version}_c@2.0.0`]: {},
          "c@2.0.0": registry.scripts ? { scripts: true } : {},
        },
      }),
    );
    files.makeFolder(`/dd/npm/registry/@a/b/${version}`);
    files.makeFolder("/dd/npm/registry/c/2.0.0");
    files.makeFolder("/dd/npm/registry/c/2.0.0_1");
    files.makeFolder("/dd/npm/registry/c/1.0.0");
    return { code: 0 };
  };
  const { spawn, commands } = pretendSpawn(work);
  const sleep: LaunchContext["host"]["sleep"] = (_ms, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const context = { ...base, host: { ...base.host, spawn, sleep }, ...more };
  const fetch = (name: string, changes: Partial<LaunchContext> = {}) => {
    const command = readCommand({ ...SPEC, args: ["-y", name] }) as NpmCommand;
    return fetchPackage(command, SPEC, { ...context, ...changes }, PLACES);
  };
  return { registry, files, commands, context, fetch };
}

Deno.test("fetchPackage() resolves once, then fetches the exact version with a lock file", async () => {
  const { fetch, commands, files } = world();
  assertEquals(await fetch("@a/b"), {
    specifier: "npm:@a/b@1.2.3",
    lock: `${STATE}/@a+b@1.2.3.lock`,
    folders: [
      "/dd/npm/registry/@a/b/1.2.3",
      "/dd/npm/registry/c/2.0.0",
      "/dd/npm/registry/c/2.0.0_1",
    ],
    notices: [],
  });
  assertEquals(commands.map(({ args }) => args.filter((each) => !each.startsWith("--lock="))), [
    ["cache", "--no-config", "--reload=npm:@a/b", "npm:@a/b"],
    ["cache", "--no-config", "npm:@a/b@1.2.3"],
  ]);
  assertEquals(await files.list(STATE), ["@a+b@1.2.3.lock", "@a+b@latest.json"]);
  assertEquals((await files.list("/tmp")).length, 0);
});

Deno.test("fetchPackage() asks nothing the second time, and keeps its version", async () => {
  const { fetch, commands, registry } = world();
  const first = await fetch("@a/b@^1");
  registry.newest = "1.9.0";
  registry.failure = "the network is gone";
  assertEquals(await fetch("@a/b@^1", { isOffline: true }), first);
  assertEquals(commands.length, 2);
});

Deno.test("fetchPackage() of an exact version resolves nothing", async () => {
  const { fetch, commands } = world();
  assertEquals((await fetch("@a/b@1.0.0")).specifier, "npm:@a/b@1.0.0");
  assertEquals(commands.length, 1);
});

Deno.test("fetchPackage() fetches the same tree again when Deno's cache was emptied", async () => {
  const { fetch, commands, files, registry } = world();
  const first = await fetch("@a/b");
  await files.remove("/dd/npm");
  registry.newest = "1.9.0";
  assertEquals(await fetch("@a/b"), first);
  assertEquals(commands[2]?.args.slice(-2), ["--frozen", "npm:@a/b@1.2.3"]);
});

Deno.test("fetchPackage() names package and server when there is no such package or version", async () => {
  for (
    const failure of [
      "Could not find npm package '@a/b' matching '9.9.9'.",
      "npm package '@a/b' does not exist.",
      "Could not find dist-tag 'nope' for npm package '@a/b'.",
    ]
  ) {
    const { fetch, registry, files } = world();
    registry.failure = failure;
    const error = await assertRejects(
      () => fetch("@a/b@9.9.9"),
      SkepError,
      'Cannot start server "docs": the npm registry has no @a/b@9.9.9',
    );
    assertEquals(error.code, "PACKAGE_NOT_FOUND");
    assertEquals(error.details, { server: "docs", package: "npm:@a/b@9.9.9" });
    assertEquals(await files.stat(STATE), undefined);
  }
});

Deno.test("fetchPackage() says why a fetch failed", async () => {
  const { fetch, registry } = world();
  registry.failure = "error sending request";
  const error = await assertRejects(() => fetch("@a/b"), SkepError, "error sending request");
  assertEquals(error.code, "PACKAGE_FETCH_FAILED");
});

Deno.test("fetchPackage() fetches nothing offline", async () => {
  const { fetch, commands } = world({ isOffline: true });
  const error = await assertRejects(() => fetch("@a/b"), SkepError, "nothing is fetched offline");
  assertEquals([error.code, commands.length], ["PACKAGE_FETCH_FAILED", 0]);
});

Deno.test("fetchPackage() tells of build scripts that are not run", async () => {
  const { fetch, registry } = world();
  registry.scripts = true;
  assertEquals((await fetch("@a/b")).notices, [
    'Server "docs": build scripts of its packages are not run: c',
  ]);
});

Deno.test("fetchPackage() names the record that it cannot read", async () => {
  const { fetch, files } = world();
  const path = `${STATE}/@a+b@latest.json`;
  for (const text of ["{", '{"version":"^1"}', "null"]) {
    await files.writeText(path, text);
    const error = await assertRejects(() => fetch("@a/b"), SkepError, path);
    assertEquals(error.code, "CONFIG_INVALID");
  }
});

Deno.test("forgetPackage() makes the next start resolve anew", async () => {
  const { fetch, context, registry } = world();
  const command = readCommand({ ...SPEC, args: ["@a/b"] }) as NpmCommand;
  assertEquals(await forgetPackage(command, context), false);
  await fetch("@a/b");
  registry.newest = "1.9.0";
  assertEquals(await forgetPackage(command, context), true);
  assertEquals((await fetch("@a/b")).specifier, "npm:@a/b@1.9.0");
});
