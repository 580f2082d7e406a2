import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { LaunchContext } from "./context.ts";
import { runDeno } from "./run_deno.ts";
import { type PretendedChild, pretendSpawn } from "./test_process.ts";
import { testContext } from "./test_world.ts";

const PLACES = { deno: "/opt/deno", denoDir: "/dd" };

function world(
  child: PretendedChild,
  more: Partial<LaunchContext> = {},
  sleep?: LaunchContext["host"]["sleep"],
) {
  const { spawn, commands } = pretendSpawn(() => child);
  const lines: string[] = [];
  const context = testContext({
    env: { ANTHROPIC_API_KEY: "sk-12345678", https_proxy: "http://p" },
  });
  // The steps of stopping a child pass at once, the fetch's own bound never.
  const patient: LaunchContext["host"]["sleep"] = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (ms === context.limits.stopServerMs) return resolve();
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  const host = { ...context.host, spawn, sleep: sleep ?? patient };
  return {
    context: { ...context, host, progress: (line: string) => void lines.push(line), ...more },
    commands,
    lines,
  };
}

Deno.test("runDeno() gives the code and the lines that matter, and tells of downloads", async () => {
  const stderr = "Download x\nDownload y\r\nerror: it broke\n\nStack backtrace:\n   0: <unknown>\n";
  const { context, commands, lines } = world({ stderr, code: 1 });
  assertEquals(await runDeno(["cache", "x"], "/cwd", context, PLACES), {
    code: 1,
    stderr: "it broke",
  });
  assertEquals(lines, ["Download x", "Download y"]);
  assertEquals(commands, [{
    program: "/opt/deno",
    args: ["cache", "x"],
    cwd: "/cwd",
    env: {
      PATH: "/usr/bin",
      HOME: "/home/u",
      LANG: "C.UTF-8",
      https_proxy: "http://p",
      DENO_DIR: "/dd",
      DENO_NO_PACKAGE_JSON: "1",
      DENO_NO_UPDATE_CHECK: "1",
      DENO_TLS_CA_STORE: "system,mozilla",
      NO_COLOR: "1",
    },
  }]);
});

Deno.test("runDeno() keeps the last five lines of a long error", async () => {
  const stderr = [1, 2, 3, 4, 5, 6, 7].map((each) => `line ${each}\n`).join("");
  const { context } = world({ stderr, code: 1 });
  const { stderr: kept } = await runDeno([], "/", context, PLACES);
  assertEquals(kept, "line 3 line 4 line 5 line 6 line 7");
});

Deno.test("runDeno() stops a run that takes too long", async () => {
  const waits: number[] = [];
  const { context } = world({}, {}, (ms) => {
    waits.push(ms);
    return Promise.resolve();
  });
  assertEquals(await runDeno([], "/", context, PLACES), {
    code: 124,
    stderr: "it took longer than 300 s",
  });
  assertEquals(waits[0], 300_000);
});

Deno.test("runDeno() gives up when the signal is aborted, before and during the run", async () => {
  const before = world({ code: 0 }, { signal: AbortSignal.abort() });
  const early = await assertRejects(() => runDeno([], "/", before.context, PLACES), SkepError);
  assertEquals([early.code, before.commands.length], ["CANCELLED", 0]);
  const abort = new AbortController();
  const during = world({}, { signal: abort.signal });
  const run = runDeno([], "/", during.context, PLACES);
  while (during.commands.length === 0) await new Promise((resolve) => setTimeout(resolve));
  abort.abort();
  assertEquals((await assertRejects(() => run, SkepError)).code, "CANCELLED");
});
