import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { BackendName } from "./backend.ts";
import { checkWorkspace } from "./check_workspace.ts";
import { testContext } from "./test_world.ts";

function check(workspace: string, backend?: BackendName, env = {}) {
  const confiner = () =>
    Promise.resolve(
      backend === undefined
        ? { problem: "this is a test" }
        : { backend: { name: backend, program: "" }, arch: "x86_64", lifeline: "/l" } as const,
    );
  return checkWorkspace(
    testContext({ env, files: { "/link": "->/home" } }, { workspace, confiner }),
  );
}

Deno.test("checkWorkspace() takes a folder that holds nothing protected, whatever confines", async () => {
  for (const backend of ["bwrap", "landlock", undefined] as const) await check("/work/ws", backend);
});

Deno.test("checkWorkspace() takes a home folder where what is never granted can be hidden", async () => {
  for (const backend of ["bwrap", "unshare", "seatbelt"] as const) {
    await check("/home/u", backend);
    await check("/link", backend);
  }
});

Deno.test("checkWorkspace() refuses a home folder otherwise, naming what lies in it and --cwd", async () => {
  for (
    const [backend, who] of [["landlock", "Landlock alone"], [
      undefined,
      "Deno's flags alone",
    ]] as const
  ) {
    for (const workspace of ["/home/u", "/home", "/link"]) {
      const error = await assertRejects(() => check(workspace, backend), SkepError, who);
      assertEquals([error.code, error.details], ["USAGE", { argument: "--cwd" }]);
      assertEquals(error.message.endsWith("Choose a smaller one with --cwd"), true);
    }
  }
});

Deno.test("checkWorkspace() refuses / always", async () => {
  for (const backend of ["bwrap", "landlock", undefined] as const) {
    await assertRejects(
      () => check("/", backend),
      SkepError,
      'Cannot use the workspace "/": it is the whole file system. Choose a smaller one with --cwd',
    );
  }
});
