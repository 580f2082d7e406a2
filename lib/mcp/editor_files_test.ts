import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { SkepError } from "../errors.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS, type Limits } from "../limits.ts";
import { testGrant } from "../sandbox/test_grant.ts";
import { testContext } from "../sandbox/test_world.ts";
import { type Editor, EditorFiles } from "./editor_files.ts";

const signal = new AbortController().signal;
const WRITABLE = { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"] };

/**
 * A workspace on the disk, and an editor with some text that is not saved. Unless it is real, the time that
 * folders take to rest passes at once.
 */
async function start(
  files: Readonly<Record<string, string>>,
  unsaved: Readonly<Record<string, string>>,
  { editor = {}, isReal = false, limits = {}, permissions = WRITABLE }: {
    readonly isReal?: boolean;
    readonly editor?: Partial<Editor>;
    readonly limits?: Partial<Limits>;
    readonly permissions?: typeof WRITABLE | { readonly read: string[] };
  } = {},
) {
  const disk = denoFiles();
  const workspace = await disk.makeTempFolder("skep-editor-test-");
  for (const [name, text] of Object.entries(files)) {
    await disk.makeFolder(join(workspace, name, ".."));
    await Deno.writeTextFile(join(workspace, name), text);
  }
  const asked: string[] = [];
  const written: string[] = [];
  const { grant } = await testGrant(
    { permissions },
    testContext({ files: { [workspace]: "/" } }, { workspace }),
  );
  let passedMs = 0;
  const lent = new EditorFiles(
    {
      canWrite: true,
      read: async (path) => {
        asked.push(path);
        return { text: unsaved[path] ?? await Deno.readTextFile(join(workspace, path)) };
      },
      write: (path, text) => Promise.resolve(void written.push(`${path}: ${text}`)),
      ...editor,
    },
    { grant: { ...grant, workspace } },
    {
      limits: { ...DEFAULT_LIMITS, ...limits },
      world: {
        files: disk,
        nowMs: () => Date.now() + passedMs,
        sleep: (ms, signal) => {
          if (ms === DEFAULT_LIMITS.editorSettleMs) {
            if (isReal) return new Promise((wake) => setTimeout(wake, ms));
            return Promise.resolve(void (passedMs += ms));
          }
          if (ms < 10) return Promise.resolve();
          return new Promise((_, reject) =>
            signal?.addEventListener("abort", () => reject(signal.reason))
          );
        },
      },
    },
  );
  return {
    workspace,
    asked,
    written,
    read: (path: string) => lent.read({ path: join(workspace, path) }, signal),
    write: (path: string, before: string, text: string) =>
      lent.write({ path: join(workspace, path), before, text }, signal),
    lent,
    [Symbol.asyncDispose]: () => disk.remove(workspace),
  };
}

Deno.test("EditorFiles give the text that is not saved, once the folders of its file have rested", async () => {
  await using it = await start({ "sub/a": "old", b: "same" }, { "sub/a": "new" });
  assertEquals(await it.read("sub/a"), { text: "new" });
  assertEquals(await it.read("b"), {});
});

Deno.test("EditorFiles take an editor's line ends for those of the file", async () => {
  await using it = await start({ a: "1\r\n2\r\n", b: "1\r\n" }, { a: "1\n2\n", b: "1\n2\n" });
  assertEquals(await it.read("a"), {});
  assertEquals(await it.read("b"), { text: "1\r\n2\r\n" });
});

Deno.test("EditorFiles ask about no file that the server does not reach itself", async () => {
  await using outside = await start({ secret: "s" }, {});
  await using it = await start({ a: "x", ".envrc": "x" }, { a: "y", ".envrc": "y" });
  await Deno.symlink(outside.workspace, join(it.workspace, "link"));
  await Deno.symlink("a", join(it.workspace, "other"));
  const problem = "is not asked about files out of this server's reach";
  for (const path of ["link/secret", "other", "none", "", "../a", "/etc/passwd"]) {
    assertEquals(await it.read(path), { problem }, path);
    assertEquals(await it.write(path, "y", "z"), { problem }, path);
  }
  for (
    const path of [
      "/etc/passwd",
      "a",
      "",
      `${it.workspace}/./a`,
      `${it.workspace}/../a`,
      7,
      undefined,
    ]
  ) {
    assertEquals(await it.lent.read({ path }, signal), { problem }, String(path));
  }
  assertEquals(await it.lent.read(undefined, signal), { problem });
  assertEquals(await it.write(".envrc", "y", "z"), { problem });
  assertEquals([it.asked, it.written], [[], []]);
});

Deno.test("EditorFiles give nothing of another file that stood in a folder's place for a moment", async () => {
  await using outside = await start({ secret: "s" }, {});
  let reads = 0;
  await using it = await start({ "sub/secret": "x" }, {}, {
    isReal: true, // the system's times of change are what tells
    editor: {
      read: async (path) => {
        const [folder, aside] = [join(it.workspace, "sub"), join(it.workspace, "aside")];
        await Deno.rename(folder, aside);
        if (++reads === 1) { // whether it had rested or not, it rests before the next one
          await Deno.rename(aside, folder);
          return { text: "y" };
        }
        await Deno.symlink(outside.workspace, folder);
        const text = await Deno.readTextFile(join(it.workspace, path));
        await Deno.remove(folder);
        await Deno.rename(aside, folder);
        return { text };
      },
    },
  });
  assertEquals(await it.read("sub/secret"), {
    problem: "was asked while the folders of the file changed",
  });
  assertEquals(reads, 3);
});

Deno.test("EditorFiles write in an editor what is not saved, and only over the text that was seen", async () => {
  await using it = await start({ a: "old", b: "saved" }, { a: "typed" });
  assertEquals(await it.write("a", "typed", "done"), undefined);
  const problem = "has another text of it by now";
  assertEquals(await it.write("a", "older", "done"), { problem });
  assertEquals(await it.write("b", "saved", "done"), { problem });
  assertEquals(it.written, ["a: done"]);
});

Deno.test("EditorFiles do not write where the server may not, nor in an editor that takes nothing", async () => {
  await using held = await start({ a: "old" }, { a: "new" }, {
    permissions: { read: ["${WORKSPACE}"] },
  });
  assertEquals(await held.write("a", "new", "x"), {
    problem: "is not asked about files out of this server's reach",
  });
  await using closed = await start({ a: "old" }, { a: "new" }, { editor: { canWrite: false } });
  assertEquals(await closed.write("a", "new", "x"), { problem: "can only be read" });
  assertEquals([held.written, closed.written], [[], []]);
});

Deno.test("EditorFiles tell when a folder was changed while the editor wrote", async () => {
  await using it = await start({ "sub/a": "old" }, { "sub/a": "new" }, {
    editor: {
      write: async () => {
        await Deno.rename(join(it.workspace, "sub"), join(it.workspace, "aside"));
        await Deno.mkdir(join(it.workspace, "sub"));
        return undefined;
      },
    },
  });
  assertEquals(await it.write("sub/a", "new", "x"), {
    problem: "was asked while the folders of the file changed",
  });
});

Deno.test("EditorFiles give up an editor that does not answer, and hand on what it says", async () => {
  const silent = (_path: string, signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const leave = () => reject(new SkepError("CANCELLED", "late", {}));
      if (signal.aborted) leave();
      signal.addEventListener("abort", leave);
    });
  await using slow = await start({ a: "old" }, {}, {
    editor: { read: silent },
    limits: { editorFileS: 0.005 },
  });
  assertEquals(await slow.read("a"), { problem: "did not answer within 0.005 s" });
  await using broken = await start({ a: "old" }, {}, {
    editor: { read: () => Promise.resolve({ problem: "answered with an error: no" }) },
  });
  assertEquals(await broken.read("a"), { problem: "answered with an error: no" });
  await using it = await start({ a: "old" }, {}, { editor: { read: silent } });
  const caller = new AbortController();
  const reading = it.lent.read({ path: join(it.workspace, "a") }, caller.signal);
  caller.abort();
  await assertRejects(() => reading, SkepError, "late");
});

Deno.test("EditorFiles take a text exactly at its limit, and no byte more", async () => {
  const [fits, over] = ["x".repeat(1022), "x".repeat(1023)]; // in JSON two quotes more
  const limits = { maxEditorFileBytes: 1024 };
  await using it = await start({ a: "old", b: "old" }, { a: fits, b: over }, { limits });
  const problem = "is asked about files of at most 1024 bytes";
  assertEquals(await it.read("a"), { text: fits });
  assertEquals(await it.read("b"), { problem });
  assertEquals([await it.write("a", fits, over), it.written], [{ problem }, []]);
});

Deno.test("EditorFiles ask about nothing that is no plain text in UTF-8", async () => {
  await using it = await start({ a: "\ufeffold", b: "\0" }, { a: "new", b: "new" });
  await Deno.writeFile(join(it.workspace, "c"), new Uint8Array([0x61, 0xff]));
  for (const path of ["a", "b", "c"]) assertEquals(await it.read(path), {});
  assertEquals(it.asked, []);
});
