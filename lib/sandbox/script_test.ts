import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { protectedPaths } from "./never_granted.ts";
import { findScript, scriptFiles, scriptNotices } from "./script.ts";
import { testSpec } from "./test_grant.ts";
import { testContext } from "./test_world.ts";

const PACK = { kind: "pack", where: "x" } as const;

Deno.test("findScript() looks in the workspace, and in the pack for a server of a pack", async () => {
  const context = testContext({
    files: {
      "/work/ws/a.ts": "x",
      "/skep/personas/guide/a.ts": "x",
      "/data/link.ts": "->/work/ws/a.ts",
    },
  });
  const find = (path: string, origin = testSpec().origin) =>
    findScript(path, testSpec({ origin }), context);
  assertEquals(await find("a.ts"), "/work/ws/a.ts");
  assertEquals(await find("./a.ts", PACK), "/skep/personas/guide/a.ts");
  assertEquals(await find("${WORKSPACE}/a.ts", PACK), "/work/ws/a.ts");
  assertEquals(await find("file:///data/link.ts"), "/work/ws/a.ts");
});

Deno.test("findScript() names the file that is not there, and a variable that it does not know", async () => {
  const context = testContext();
  const error = await assertRejects(
    () => findScript("b.ts", testSpec(), context),
    SkepError,
    "/work/ws/b.ts",
  );
  assertEquals(error.code, "SERVER_SPAWN_FAILED");
  await assertRejects(() => findScript("${TMP}/b.ts", testSpec(), context), SkepError, "${TMP}");
});

Deno.test("scriptFiles() is the script's folder, or the file alone where that holds more", async () => {
  const context = testContext();
  const guarded = await protectedPaths(context, { denoDir: "/dd", temporary: "/tmp" });
  const own = (script: string) => scriptFiles(script, testSpec(), context, guarded);
  assertEquals(own("/opt/server/main.ts"), ["/opt/server"]);
  assertEquals(own("/work/ws/main.ts"), ["/work/ws"]);
  for (const script of ["/home/u/main.ts", "/main.ts", "/tmp/main.ts", "/work/main.ts"]) {
    assertEquals(own(script), [script]);
  }
  const error = assertThrows(() => own("/home/u/.ssh/main.ts"), SkepError, "never granted");
  assertEquals(error.code, "SERVER_SPAWN_FAILED");
});

Deno.test("scriptNotices() tells of a script that starts as a main module alone, which does nothing here", async () => {
  const context = testContext({
    files: { "/work/ws/a.ts": "if (import.meta.main) serve();", "/work/ws/b.ts": "serve();" },
  });
  assertEquals(await scriptNotices("/work/ws/a.ts", { name: "mine" }, context), [
    'Server "mine" has import.meta.main in a.ts, which is false there: ' +
    "skep imports the script; have it start without asking that",
  ]);
  assertEquals(await scriptNotices("/work/ws/b.ts", { name: "mine" }, context), []);
});
