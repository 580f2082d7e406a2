import { assertEquals } from "@std/assert";
import type { Process } from "../../host/process.ts";
import type { LaunchContext } from "../context.ts";
import type { Launch } from "../launch.ts";
import { testContext } from "../test_world.ts";
import { ENTRIES, type Entry } from "./entry.ts";
import { runEntry } from "./run_entry.ts";

const JS = ENTRIES[0]!;
const STATIC = ENTRIES.find(({ isAttempt }) => isAttempt)!;
const ATTEMPT = { probe: "p", expected: "denied", outcome: "denied", detail: "d" } as const;

async function results(entry: Entry, stdout: string, stderr = "") {
  const child: Process = {
    pid: 1,
    stdin: new WritableStream(),
    stdout: new Blob([stdout]).stream(),
    stderr: new Blob([stderr]).stream(),
    exited: Promise.resolve({ code: 0, signal: undefined }),
    signalGroup: () => true,
    endStarted: () => Promise.resolve(0),
  };
  const base = testContext();
  const sleep: LaunchContext["host"]["sleep"] = (_, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const limits = { ...base.limits, probeTimeoutS: 60 };
  const context = { ...base, limits, host: { ...base.host, spawn: () => child, sleep } };
  return await Array.fromAsync(runEntry(entry, {} as Launch, context));
}

Deno.test("runEntry() gives each attempt, and that it came to the end", async () => {
  const lines = `noise\n${JSON.stringify(ATTEMPT)}\n{"done":true}\n`;
  assertEquals(await results(JS, lines), [
    ATTEMPT,
    { probe: "js-to-the-end", expected: "allowed", outcome: "allowed", detail: "" },
  ]);
});

Deno.test("runEntry() tells one that was cut short, with its last words", async () => {
  const [, last] = await results(JS, `${JSON.stringify(ATTEMPT)}\n`, "Segmentation fault\n");
  assertEquals(last, {
    probe: "js-to-the-end",
    expected: "allowed",
    outcome: "denied",
    detail: "Segmentation fault",
  });
});

Deno.test("runEntry() takes a program that does not run inside for no broken grant, and says what it said", async () => {
  const skipped = { ...ATTEMPT, probe: "js", outcome: "skipped", detail: "none runs" } as const;
  const given = await results(JS, `${JSON.stringify(skipped)}\n`, "pyenv: No such file\n");
  assertEquals(given, [{ ...skipped, detail: "none runs: pyenv: No such file" }]);
});

Deno.test("runEntry() takes a static import that does not start for denied", async () => {
  const probe = STATIC.name;
  assertEquals(await results(STATIC, "", "Requires read access"), [
    { probe, expected: "denied", outcome: "denied", detail: "Requires read access" },
  ]);
  const through = { ...ATTEMPT, probe, outcome: "allowed" } as const;
  assertEquals(await results(STATIC, `${JSON.stringify(through)}\n`), [through]);
});
