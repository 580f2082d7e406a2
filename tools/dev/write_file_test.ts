import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../../lib/errors.ts";
import { testContext } from "./test_context.ts";
import { writeFile } from "./write_file.ts";
import type { World } from "./world.ts";

/** Writes over a folder, to which `chmod` says what it says. */
async function refusal(chmod: () => Promise<void>): Promise<SkepError> {
  const world = {
    permissions: { query: () => Promise.resolve({ state: "granted" }) },
    realPath: (path: string) => Promise.resolve(path),
    stat: () => Promise.resolve({ isDirectory: true, isFile: false, mode: 0o40700 }),
    chmod,
  } as unknown as Partial<World>;
  const context = await testContext("write_file", world);
  const args = { path: ".envrc", content: "x" };
  return await assertRejects(
    async () => await writeFile.run(args, context, new AbortController().signal),
    SkepError,
  );
}

Deno.test("write_file says that a protected file is protected, and not that its placeholder is a folder", async () => {
  const held = await refusal(() =>
    Promise.reject(Object.assign(new Error("Read-only file system"), { code: "EROFS" }))
  );
  assertEquals([held.code, held.details], ["ACCESS_DENIED", {
    server: "dev",
    access: "write",
    value: "/w/.envrc",
  }]);
  assertEquals(
    (await refusal(() => Promise.resolve())).message,
    'Cannot write ".envrc": it is a folder',
  );
  assertEquals(
    (await refusal(() => Promise.reject(new Deno.errors.PermissionDenied("EPERM")))).message,
    'Cannot write ".envrc": it is a folder',
  );
});
