import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { DEFAULT_LIMITS, readLimits } from "../limits.ts";
import type { BackendName } from "./backend.ts";
import { parsePolicy } from "./policy.ts";
import type { ResourceLimits, ServerSpec } from "./spec.ts";
import { testGrant } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const DEFAULTS = { memory_mb: 2048, processes: 512, open_files: 4096, file_mb: 4096 };

async function limitsOf(
  limits: ResourceLimits | undefined,
  backend: BackendName | undefined = "bwrap",
  { policy = "{}", origin }: { policy?: string; origin?: ServerSpec["origin"] } = {},
) {
  const context = testContext({}, { policy: parsePolicy(policy, "/p.yaml", "linux") });
  const { grant } = await testGrant(
    {
      ...(limits === undefined ? {} : { permissions: { limits } }),
      ...(origin === undefined ? {} : { origin }),
    },
    context,
    {},
    backend,
  );
  const { limits: values, limitOrigins: origins, cut } = grant;
  return { values, origins, cut: cut.map(({ list, value, reason }) => [list, value, reason]) };
}

Deno.test("grantLimits() gives every confined server the defaults of limits.ts (T66)", async () => {
  assertEquals(await limitsOf(undefined), {
    values: DEFAULTS,
    origins: {
      memory_mb: "default",
      processes: "default",
      open_files: "default",
      file_mb: "default",
    },
    cut: [],
  });
  const { serverMemoryMb, serverProcesses, serverOpenFiles, serverFileMb } = DEFAULT_LIMITS;
  assertEquals(Object.values(DEFAULTS), [
    serverMemoryMb,
    serverProcesses,
    serverOpenFiles,
    serverFileMb,
  ]);
  assertEquals((await limitsOf(undefined, "seatbelt")).values.processes, undefined);
  assertEquals((await limitsOf(undefined, "landlock")).values.processes, 512);
});

Deno.test("grantLimits() gives one that nothing confines what it asks for, and no more", async () => {
  const context = testContext();
  assertEquals((await testGrant({}, context)).grant.limits, {});
  const { grant } = await testGrant({ permissions: { limits: { cpu_seconds: 5 } } }, context);
  assertEquals([grant.limits, grant.limitOrigins], [{ cpu_seconds: 5 }, { cpu_seconds: "--mcp" }]);
});

Deno.test("grantLimits() takes a server's own word, for less and for more", async () => {
  const { values, origins } = await limitsOf({ memory_mb: 8192, processes: 8, cpu_seconds: 60 });
  assertEquals(values, { ...DEFAULTS, memory_mb: 8192, processes: 8, cpu_seconds: 60 });
  assertEquals([origins.memory_mb, origins.open_files], ["--mcp", "default"]);
});

Deno.test("grantLimits() lets the smaller of it and each ceiling win", async () => {
  const policy = "permissions: { limits: { memory_mb: 4096, processes: 100, cpu_seconds: 60 } }\n" +
    "servers: { s: { permissions: { limits: { memory_mb: 1024 } } } }";
  const { values, origins, cut } = await limitsOf({ memory_mb: 8192, processes: 100 }, "bwrap", {
    policy,
  });
  assertEquals(values, { ...DEFAULTS, memory_mb: 1024, processes: 100, cpu_seconds: 60 });
  assertEquals([origins.memory_mb, origins.processes, origins.cpu_seconds], [
    "policy /p.yaml",
    "--mcp",
    "policy /p.yaml",
  ]);
  assertEquals(cut, [
    ["limits", "memory_mb 8192", "policy /p.yaml allows 4096"],
    ["limits", "memory_mb 8192", "policy /p.yaml allows 1024"],
  ]);
});

Deno.test("the defaults are set by variables, down to what programs need to start", () => {
  const least = {
    SKEP_SERVER_MEMORY_MB: 512,
    SKEP_SERVER_PROCESSES: 32,
    SKEP_SERVER_OPEN_FILES: 64,
    SKEP_SERVER_FILE_MB: 1,
  };
  const read = (name: string, value: number) =>
    readLimits((each) => each === name ? `${value}` : undefined);
  for (const [name, value] of Object.entries(least)) {
    const { serverMemoryMb, serverProcesses, serverOpenFiles, serverFileMb } = read(name, value);
    const values = [serverMemoryMb, serverProcesses, serverOpenFiles, serverFileMb];
    assertEquals(values.includes(value), true, name);
    assertThrows(() => read(name, value - 1), SkepError, name);
  }
});

Deno.test("grantLimits() gives a client's server the defaults at most", async () => {
  const origin = { kind: "client", where: "session/new" } as const;
  const { values, cut } = await limitsOf({ memory_mb: 2049, open_files: 4096 }, "bwrap", {
    origin,
  });
  assertEquals(values, DEFAULTS);
  assertEquals(cut.map(([list, value]) => `${list} ${value}`), ["limits memory_mb 2049"]);
});
