import { assertEquals, assertRejects } from "@std/assert";
import { isSkepError } from "../errors.ts";
import { memoryFiles } from "../sandbox/test_world.ts";
import { sessionFolder } from "./session_folder.ts";

Deno.test("sessionFolder() refuses a folder that does not exist, and a file, as parameters and no defect", async () => {
  const files = memoryFiles({ "/w": "/", "/file": "x" });
  const refused = async (cwd: string, text: string, world = files) => {
    const act = () => sessionFolder(cwd, "session/new", { files: world });
    const error = await assertRejects(act, Error, text);
    assertEquals(isSkepError(error, "INVALID_PARAMS"), true);
  };
  assertEquals(await sessionFolder("/w", "session/new", { files }), "/w");
  await refused("/nonexist", 'session/new: cwd "/nonexist" does not exist');
  await refused("/file", 'session/new: cwd "/file" is no folder');
  const locked = { ...files, stat: () => Promise.reject(new Error("permission denied")) };
  await refused("/w", 'session/new: cwd "/w" cannot be used: permission denied', locked);
});
