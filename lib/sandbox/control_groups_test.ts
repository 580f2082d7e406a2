import { assertEquals } from "@std/assert";
import { tryControlGroups } from "./control_groups.ts";
import { pretendSpawn } from "./test_process.ts";

Deno.test("tryControlGroups() reads what the trial came to", async () => {
  const answers = [[64, true, true], [65, false, true], [66, true, false], [67, false, false]];
  for (const [code, memory, processes] of answers) {
    const { spawn } = pretendSpawn(() => ({ code: Number(code) }));
    assertEquals(await tryControlGroups({ spawn }), { memory, processes } as never);
  }
});

Deno.test("tryControlGroups() takes a trial that could not run for none", async () => {
  for (const code of [0, 1, 127]) {
    const { spawn, commands } = pretendSpawn(() => ({ code }));
    assertEquals(await tryControlGroups({ spawn }), { memory: false, processes: false });
    assertEquals(commands[0]?.program, "/bin/sh");
  }
});
