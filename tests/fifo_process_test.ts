// A FIFO where a file is read: its open would wait for a writer, in a thread that nothing ends.
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { denoFiles } from "../lib/host/files.ts";
import { readPlain } from "../lib/host/read_plain.ts";
import { Ground, NAMESPACE_BACKENDS } from "./confined.ts";
import { runChild } from "./harness.ts";

const NO_FILE = "it is not a regular file";
const ENV = { PATH: "/usr/bin:/bin" };

Deno.test("a FIFO or a device is refused where a file is read, and never waited for", async () => {
  await using ground = await Ground.make();
  const fifo = join(ground.root, "fifo");
  await runChild("mkfifo", [fifo], { env: ENV });
  assertThrows(() => readPlain(fifo, 9), TypeError, NO_FILE); // put there after a look
  await assertRejects(() => denoFiles().readText(fifo, 9), TypeError, NO_FILE);
  await assertRejects(() => denoFiles().readText("/dev/zero", 9), TypeError, NO_FILE);
  assertThrows(() => readPlain(join(ground.root, "none"), 9), Deno.errors.NotFound);
});

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test(`${backend}: a FIFO in a repository that a server made keeps no session from its end`, async () => {
    await using ground = await Ground.make();
    const lines: string[] = [];
    ground.progress = (line) => void lines.push(line);
    const script = `mkdir r && mkfifo r/.git
      for name in config config.worktree commondir rebase-merge/git-rebase-todo; do
        git init -q s && mkdir -p s/.git/rebase-merge && rm -f s/.git/$name && mkfifo s/.git/$name || exit 1
        mv s s-\${name##*/}
      done`;
    const { code, stderr } = await ground.run(backend, script);
    assertEquals([code, stderr], [0, ""]);
    const aside = (name: string) => {
      const path = join(ground.workspace, name);
      const first = `Server "confined" left ${path}, which can run programs ` +
        "(it cannot be read as git reads it). ";
      return first +
        (name.endsWith("todo")
          ? "Look at it before you use it"
          : `It is set aside as ${path}.set-aside: look at it before you put it back`);
    };
    assertEquals(
      lines.filter((line) => line.startsWith("Server")).sort(),
      [
        "s-commondir/.git/commondir",
        "s-config.worktree/.git/config.worktree",
        "s-config/.git/config",
        "s-git-rebase-todo/.git/rebase-merge/git-rebase-todo",
      ].map(aside).sort(),
    );
    // The next session finds what is left.
    assertEquals((await ground.run(backend, "echo done")).stdout, "done\n");
  });
}
