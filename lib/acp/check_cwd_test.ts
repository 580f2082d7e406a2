import { assertEquals, assertRejects } from "@std/assert";
import { isSkepError } from "../errors.ts";
import { memoryFiles } from "../sandbox/test_world.ts";
import { checkCwd } from "./check_cwd.ts";

Deno.test("checkCwd() refuses a folder that does not exist, and a file, as parameters and no defect", async () => {
  const files = memoryFiles({ "/w": "/", "/file": "x" });
  const refused = async (cwd: string, text: string) => {
    const error = await assertRejects(() => checkCwd(cwd, { files }), Error, text);
    assertEquals(isSkepError(error, "INVALID_PARAMS"), true);
  };
  await checkCwd("/w", { files });
  await refused("/nonexist", 'session/new: cwd "/nonexist" does not exist');
  await refused("/file", 'session/new: cwd "/file" is no folder');
});
