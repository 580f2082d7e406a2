import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import { shell } from "./shell.ts";
import { testContext } from "./test_context.ts";
import type { World } from "./world.ts";

/** A context whose bash cannot be started: whatever gets that far says so. */
const CONTEXT = await testContext("shell", {
  Command: class {
    spawn(): never {
      throw new Error("no bash");
    }
  } as unknown as World["Command"],
}, { maxCommandBytes: 4 });

async function refusal(command: string): Promise<string> {
  const run = () => shell.run({ command }, CONTEXT, new AbortController().signal);
  return (await assertRejects(run, SkepError)).message;
}

Deno.test("shell takes a command exactly at its limit, and refuses one byte more", async () => {
  assertEquals(await refusal("üü"), "Cannot run bash: no bash");
  assertEquals(
    await refusal("üü!"),
    "Cannot run a command of 5 bytes: the limit is 4; write a script to a file and run that",
  );
});

Deno.test("shell refuses a command with a NUL character", async () => {
  assertEquals(await refusal("a\0b"), "Cannot run a command with a NUL character");
});

Deno.test("shell started a job in the background though shell_job is switched off", async () => {
  const context = { ...await testContext("shell"), isWithoutJobs: true };
  const world = {
    realPath: () => Promise.resolve("/w"),
    stat: () => Promise.resolve({ isDirectory: true }),
  };
  const run = () =>
    shell.run(
      { command: "true", background: true },
      { ...context, world: world as unknown as World },
      new AbortController().signal,
    );
  const { message } = await assertRejects(run, SkepError);
  assertEquals(message.startsWith("Cannot run a command in the background: shell_job"), true);
});
