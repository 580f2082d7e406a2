// Folders that their owner is kept from looking into, as an ordinary user: root looks into all.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { childEnv, runChild, skepCommand } from "./harness.ts";
import { CAN_BE_ANOTHER, ordinaryUser, thisUser } from "./other_user.ts";

const CONFIG = String.raw`'[core]\nbare=true\nfsmonitor="touch x; false"\n'`;

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test({
    name: `${backend}: chmod 311 on a folder hid a repository whose settings run programs`,
    ignore: Deno.uid() === 0 && !CAN_BE_ANOTHER,
    fn: async () => {
      await using user = await (CAN_BE_ANOTHER ? ordinaryUser : thisUser)(denoDir(denoHost()));
      const [first = "/usr/bin/env", ...before] = [...user.before, "/usr/bin/env"];
      const env = childEnv(user.folder, {
        DENO_DIR: user.denoDir,
        PATH: "/usr/bin:/bin",
        TMPDIR: "/tmp",
      });
      const as = (words: readonly string[]) =>
        runChild(first, [...before, ...words], { env, cwd: "/" });
      const work = join(user.folder, "work");
      assertEquals((await as(["mkdir", work])).code, 0);
      const command = "for r in n/r shut; do mkdir -p $r/objects $r/refs && " +
        `echo 'ref: refs/heads/m' > $r/HEAD && printf ${CONFIG} > $r/config; done; ` +
        "chmod 311 n shut; chmod 555 n/r";
      const [program, args] = skepCommand([
        ...["call", "--sandbox", backend, "--cwd", work],
        ...["dev__shell", JSON.stringify({ command })],
      ]);
      const { code, stderr } = await as([program, ...args]);
      assertEquals(code, 0, stderr);
      for (const folder of ["n", "shut"]) {
        const path = join(work, folder);
        assertStringIncludes(stderr, `left ${path} closed to you: it can be looked into again`);
      }
      for (const repository of ["n/r", "shut"]) {
        const config = join(work, repository, "config");
        assertStringIncludes(stderr, `It is set aside as ${config}.set-aside`);
        assertEquals((await as(["cat", config])).code, 1);
      }
    },
  });
}
