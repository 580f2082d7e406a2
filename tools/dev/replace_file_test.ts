import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { replaceFile } from "./replace_file.ts";
import type { FileFacts, World } from "./world.ts";

const never = new AbortController().signal;

/** The system, as it is where a file's owner can be given to no other file. */
function ownerless(foreign: string): World {
  const stat = async (path: string): Promise<FileFacts> => {
    const facts = await Deno.stat(path);
    return path === foreign ? { ...facts, uid: 65534, gid: 65534 } : facts;
  };
  const chown = () => Promise.reject(new Error("Invalid argument (os error 22)"));
  const Command = function (): never {
    throw new Error("no grant to run");
  };
  return { ...Deno, stat, chown, Command } as unknown as World;
}

async function replaced(
  change: (world: World, target: string) => Partial<World>,
): Promise<{ notes: string[]; text: string; isSameFile: boolean; mode: number; left: number }> {
  const folder = await Deno.makeTempDir({ prefix: "skep-test-" });
  try {
    const target = join(folder, "a");
    await Deno.writeTextFile(target, "old");
    await Deno.chmod(target, 0o664);
    const plain = ownerless(target);
    const world = { ...plain, ...change(plain, target) };
    const before = await world.stat(target);
    const bytes = new TextEncoder().encode("new!");
    const notes = await replaceFile(target, before, bytes, world, never);
    const after = await Deno.stat(target);
    return {
      notes,
      text: await Deno.readTextFile(target),
      isSameFile: after.ino === before.ino,
      mode: after.mode! & 0o7777,
      left: (await Array.fromAsync(Deno.readDir(folder))).length,
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("replaceFile() writes a file in place whose owner the namespace of users does not have", async () => {
  assertEquals(await replaced(() => ({})), {
    notes: ["written in place, not atomically: a new file cannot have its owner and group"],
    text: "new!",
    isSameFile: true,
    mode: 0o664,
    left: 1,
  });
});

Deno.test("a file of another owner, whose mode lets nobody else write it, was replaced by one of our own", async () => {
  const refused = replaced(({ open }, target) => ({
    open: (path: string | URL, options?: Deno.OpenOptions) =>
      path === target && options?.write === true
        ? Promise.reject(new Deno.errors.PermissionDenied("EACCES"))
        : open(path, options),
  }));
  const why = "it is 65534:65534's, and its mode lets nobody else write it";
  await assertRejects(() => refused, Error, why);
});

Deno.test("replaceFile() keeps what it can of a mode whose set-user bit the system refuses", async () => {
  const { notes, mode } = await replaced(({ stat }) => ({
    stat: async (path: string | URL) => {
      const { uid, gid } = await Deno.stat(path);
      const facts = await stat(path);
      return { ...facts, uid, gid, mode: (facts.mode ?? 0) | 0o4000 };
    },
    chmod: async (path: string | URL, mode: number) => {
      if ((mode & 0o4000) !== 0) throw new Deno.errors.PermissionDenied("EPERM");
      await Deno.chmod(path, mode);
    },
  }));
  assertEquals([notes, mode], [["its mode was 4664 and is 664"], 0o664]);
});

Deno.test("replaceFile() writes a file in place whose folder takes no new file", async () => {
  const { notes, text, isSameFile } = await replaced(({ open }) => ({
    open: (path: string | URL, options?: Deno.OpenOptions) =>
      options?.createNew === true
        ? Promise.reject(new Deno.errors.PermissionDenied("EACCES"))
        : open(path, options),
  }));
  assertEquals([notes, text, isSameFile], [
    ["written in place, not atomically: its folder takes no new file"],
    "new!",
    true,
  ]);
});
