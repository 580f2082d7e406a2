import { assertEquals, assertRejects } from "@std/assert";
import { holdPlaceholders } from "./placeholders.ts";
import { memoryFiles } from "./test_world.ts";

const FOLDER = { path: "/ws/.vscode" };
const FILE = { path: "/ws/.git/commondir", text: ".\n" };

Deno.test("holdPlaceholders() makes what is missing, and removes it as the last one", async () => {
  const files = memoryFiles({ "/ws/.git/HEAD": "" });
  const { paths, release } = await holdPlaceholders([FOLDER, FILE], files);
  assertEquals(paths, [FOLDER.path, FILE.path]);
  assertEquals((await files.lstat(FOLDER.path))?.isDirectory, true);
  assertEquals(await files.readText(FILE.path, 9), ".\n");
  await release();
  assertEquals([await files.lstat(FOLDER.path), await files.lstat(FILE.path)], [
    undefined,
    undefined,
  ]);
});

Deno.test("holdPlaceholders() leaves what others hold, and what got content", async () => {
  const files = memoryFiles({ "/ws/.git/HEAD": "" });
  const others = { ...files, hold: () => Promise.resolve({ release: () => Promise.resolve() }) };
  await (await holdPlaceholders([FOLDER, FILE], others)).release();
  assertEquals((await files.lstat(FOLDER.path))?.isDirectory, true);
  const mine = await holdPlaceholders([FILE], files);
  await files.writeText(FILE.path, "elsewhere\n");
  await mine.release();
  assertEquals(await files.readText(FILE.path, 99), "elsewhere\n");
});

Deno.test("holdPlaceholders() needs none where this user may make none", async () => {
  for (const error of [{ name: "PermissionDenied" }, { name: "Error", code: "EROFS" }]) {
    const files = { ...memoryFiles({}), makeFolder: () => Promise.reject(error) };
    assertEquals((await holdPlaceholders([FOLDER], files)).paths, []);
  }
});

Deno.test("holdPlaceholders() takes one that another program made at the same moment", async () => {
  const files = memoryFiles({ "/ws/.git/commondir": ".\n" });
  const late = {
    ...files,
    lstat: () => Promise.resolve(undefined), // looked before the other one made it
    writeBytes: () => Promise.reject(Object.assign(new Error("exists"), { name: "AlreadyExists" })),
  };
  assertEquals((await holdPlaceholders([FILE], late)).paths, [FILE.path]);
});

Deno.test("holdPlaceholders() makes one again that was removed before it was held", async () => {
  const files = memoryFiles({});
  let tries = 0;
  const racing = {
    ...files,
    hold: async (path: string) => {
      if (++tries > 1) return { release: (last: () => Promise<void>) => last() };
      await files.remove(path);
      return undefined;
    },
  };
  const { paths } = await holdPlaceholders([FOLDER], racing);
  assertEquals([tries, paths], [2, [FOLDER.path]]);
  assertEquals((await files.lstat(FOLDER.path))?.isDirectory, true);
});

Deno.test("holdPlaceholders() lets go of all when one fails", async () => {
  const files = memoryFiles({});
  const failing = { ...files, writeBytes: () => Promise.reject(new Error("no space left")) };
  await assertRejects(() => holdPlaceholders([FOLDER, FILE], failing), Error, "no space left");
  assertEquals(await files.lstat(FOLDER.path), undefined);
});
