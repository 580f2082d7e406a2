import { assertEquals, assertStringIncludes } from "@std/assert";
import { tryBackends } from "./detect_backend.ts";
import type { PretendedChild } from "./test_process.ts";
import { pretendSpawn } from "./test_process.ts";
import { testContext } from "./test_world.ts";

function world(
  os: "linux" | "darwin" | "windows",
  behave: (program: string) => PretendedChild,
  isRoot = false,
) {
  const files = { "/usr/bin/bwrap": "#!", "/usr/bin/unshare": "#!" };
  const { host } = testContext({ os, files });
  const { spawn, commands } = pretendSpawn(({ program }) => behave(program));
  return { world: { ...host, spawn, isRoot: () => isRoot }, commands };
}

const WORKS = () => ({ code: 0 });
const noLandlock = () => Promise.resolve("the kernel has no Landlock");

Deno.test("tryBackends() takes the strongest that works, and tries no more", async () => {
  const { world: host, commands } = world("linux", WORKS);
  assertEquals(await tryBackends("auto", host, noLandlock), [
    { name: "bwrap", backend: { name: "bwrap", program: "/usr/bin/bwrap" } },
  ]);
  assertEquals(commands.length, 1);
});

Deno.test("an agent that a desktop started in / found no bwrap", async () => {
  const { world: host } = world("linux", WORKS);
  const problems = async (cwd: string) =>
    (await tryBackends("bwrap", { ...host, cwd: () => cwd }, noLandlock)).map((each) =>
      each.problem
    );
  assertEquals(await problems("/"), [undefined]);
  assertEquals(await problems("/usr"), ["there is no bwrap on PATH: install bubblewrap"]); // a planted one
});

Deno.test("tryBackends() goes on to the next, and says why each does not work", async () => {
  const { world: host } = world(
    "linux",
    (program) => program.endsWith("bwrap") ? { code: 1, stderr: "No permissions\n" } : { code: 0 },
  );
  const [bwrap, unshare] = await tryBackends("auto", host, noLandlock);
  assertEquals(
    bwrap?.problem,
    "/usr/bin/bwrap failed (No permissions): are user namespaces allowed here?",
  );
  assertEquals(unshare?.backend?.name, "unshare");
  const none = await tryBackends("all", world("linux", () => ({ code: 1 })).world, noLandlock);
  assertEquals(none.map(({ name, backend }) => [name, backend]), [
    ["bwrap", undefined],
    ["unshare", undefined],
    ["landlock", undefined],
  ]);
});

Deno.test("tryBackends() tries the one that is asked for, and knows where there is none (T60)", async () => {
  const linux = world("linux", WORKS).world;
  assertEquals((await tryBackends("landlock", linux, () => Promise.resolve(undefined))).length, 1);
  assertEquals(await tryBackends("seatbelt", linux, noLandlock), [
    { name: "seatbelt", problem: "there is no seatbelt on linux" },
  ]);
  const windows = world("windows", WORKS).world;
  assertEquals(
    (await tryBackends("auto", windows, noLandlock))[0]?.problem,
    "there is no backend for windows yet",
  );
});

Deno.test("tryBackends() runs a program under the rules themselves on macOS", async () => {
  const { world: host, commands } = world("darwin", WORKS);
  assertEquals(await tryBackends("auto", host, noLandlock), [
    { name: "seatbelt", backend: { name: "seatbelt", program: "/usr/bin/sandbox-exec" } },
  ]);
  const [flag, profile = "", program] = commands[0]?.args ?? [];
  assertEquals([flag, program], ["-p", "/usr/bin/true"]);
  assertStringIncludes(profile, "(deny default)");
  const refused = world("darwin", () => ({ code: 71, stderr: "sandbox_apply: denied\n" })).world;
  assertEquals(
    (await tryBackends("auto", refused, noLandlock))[0]?.problem,
    "/usr/bin/sandbox-exec failed (sandbox_apply: denied)",
  );
});
