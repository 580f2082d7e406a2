import { assertEquals, assertRejects } from "@std/assert";
import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { checkFolders, folderProblem } from "./folder_problem.ts";

/** A machine with the folder `/home` and the file `/home/file`; nobody may look into `/shut`, nor Deno into `/sys`. */
const files = {
  stat: (path: string) => {
    if (path.startsWith("/shut/")) return Promise.reject(new Error("Permission denied"));
    if (path.startsWith("/sys/")) {
      return Promise.reject(Object.assign(new Error("--allow-all"), { name: "NotCapable" }));
    }
    const facts = { isSymlink: false, bytes: 1, mode: 0o700 };
    if (["/", "/home"].includes(path)) {
      return Promise.resolve({ ...facts, isFile: false, isDirectory: true });
    }
    return Promise.resolve(
      path === "/home/file" ? { ...facts, isFile: true, isDirectory: false } : undefined,
    );
  },
} as Host["files"];

Deno.test("folderProblem() takes what is a folder, or can be one, and says what is in the way", async () => {
  const cases: [path: string, problem: string | undefined][] = [
    ["/home", undefined],
    ["/home/a/b", undefined],
    ["/home/file", "is not a folder"],
    ["/home/file/a/b", "cannot be made: /home/file is not a folder"],
    ["/shut/a", "cannot be looked at: Permission denied"],
    ["/sys/a", "lies where the system keeps its own"],
  ];
  for (const [path, problem] of cases) assertEquals(await folderProblem(path, { files }), problem);
});

Deno.test("checkFolders() names the folder, its path and the variable that sets another", async () => {
  const good = { config: "/home/c", state: "/home/s", cache: "/home/k" };
  await checkFolders(good, { files });
  const error = await assertRejects(
    () => checkFolders({ ...good, state: "/home/file" }, { files }),
    SkepError,
  );
  assertEquals(
    error.message,
    "Cannot keep the state folder at /home/file: it is not a folder; SKEP_STATE_DIR sets another place",
  );
  assertEquals([error.code, error.details], ["CONFIG_INVALID", { source: "SKEP_STATE_DIR" }]);
});
