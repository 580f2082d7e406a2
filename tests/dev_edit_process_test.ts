// The dev server's edits as a host sees them: on real files, under exact flags, beside the real diff and git.
import { assertEquals, assertMatch } from "@std/assert";
import { DevServer } from "./dev_server.ts";
import { runChild, tempFolder } from "./harness.ts";

const HAS_GIT = await new Deno.Command("git", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test("str_replace edits a file, gives the difference, and leaves nothing else behind", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a.ts`;
  await Deno.writeTextFile(file, "one\ntwo\nthree\n");
  await Deno.chmod(file, 0o640);
  await using server = new DevServer(folder.path);
  const result = await server.call("str_replace", { path: "a.ts", old_str: "two", new_str: "2" });
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
  assertEquals(result, {
    content: [{
      type: "text",
      text: `Edited "a.ts": replaced 1 occurrence at line 2\n\n${diff}`,
    }],
    isError: false,
    structuredContent: { path: file, diff, added: 1, removed: 1, isDiffCut: false },
    _meta: { "skep/text-is-complete": true },
  });
  assertEquals(await Deno.readTextFile(file), "one\n2\nthree\n");
  assertEquals((await Deno.stat(file)).mode! & 0o7777, 0o640);
  const left = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
  assertEquals(left, ["a.ts"]);
});

Deno.test("str_replace makes several edits or none, and inserts", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a`;
  await Deno.writeTextFile(file, "a\nb\n");
  await using server = new DevServer(folder.path);
  const edit = (args: object) => server.text("str_replace", { path: "a", ...args });
  const bad = await edit({
    edits: [{ old_str: "a", new_str: "x" }, { old_str: "nope", new_str: "y" }],
  });
  assertMatch(bad, /^Cannot edit "a": edits\[1\]: old_str is not found.*\. No edit was made$/s);
  assertEquals(await Deno.readTextFile(file), "a\nb\n");
  await edit({ edits: [{ old_str: "a", new_str: "x" }, { old_str: "b", new_str: "y" }] });
  await edit({ insert_line: "1", new_str: "between" });
  assertEquals(await Deno.readTextFile(file), "x\nbetween\ny\n");
  assertEquals(
    await edit({ old_str: "x", new_str: "x" }),
    'Unchanged: "a" is the same after the edit as before',
  );
});

Deno.test("str_replace says what it cannot do", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/a`, "a\n");
  await Deno.writeTextFile(`${path}/locked`, "a\n");
  await Deno.chmod(`${path}/locked`, 0o444);
  await Deno.writeTextFile(`${path}/long`, "x".repeat(10 * 1024 * 1024 + 1));
  await new Deno.Command("mkfifo", { args: [`${path}/fifo`] }).output();
  await using server = new DevServer(path);
  const edit = async (args: object) => {
    const { isError, content } = await server.call("str_replace", { path: "a", ...args });
    assertEquals(isError, true);
    return content[0]!.text;
  };
  const one = { old_str: "a", new_str: "b" };
  assertEquals(await edit({}), "Give one of old_str, insert_line and edits: none was given");
  assertEquals(
    await edit({ ...one, insert_line: 1 }),
    "Give one of old_str, insert_line and edits: more than one was given",
  );
  assertEquals(await edit({ old_str: "a" }), 'new_str is missing; "" is no text');
  assertEquals(await edit({ edits: [] }), "edits is empty: give at least one");
  const changesNothing = { path: "a", edits: Array(100).fill({ old_str: "a", new_str: "a" }) };
  assertMatch(await server.text("str_replace", changesNothing), /^Unchanged: "a"/);
  assertEquals(
    await edit({ edits: Array(101).fill(one) }),
    "Cannot make 101 edits in one call: the limit is 100",
  );
  assertMatch(await edit({ ...one, new_str: "\ud800" }), /half of a surrogate pair$/);
  assertMatch(await edit({ ...one, path: "b" }), /no such file or folder/);
  assertMatch(await edit({ ...one, path: "." }), /it is a folder, not a regular file$/);
  assertMatch(await edit({ ...one, path: "fifo" }), /it is a FIFO, not a regular file$/);
  assertMatch(await edit({ ...one, path: "locked" }), /its mode is read-only$/);
  assertMatch(await edit({ ...one, path: "long" }), /has 10485761 bytes, the limit is 10485760;/);
});

Deno.test("str_replace and write_file notice a change since the file was last seen", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a`;
  await Deno.writeTextFile(file, "one\ntwo\n");
  await using server = new DevServer(folder.path);
  await server.text("read_file", { path: "a" });
  await Deno.writeTextFile(file, "zero\none\ntwo\n");
  assertEquals(
    await server.text("write_file", { path: "a", content: "mine\n" }),
    'Cannot write "a": it has changed since you saw it; read it again, so that nobody\'s work is lost',
  );
  assertEquals(
    await server.text("str_replace", { path: "a", insert_line: 1, new_str: "x" }),
    'Cannot insert in "a": it has changed since you saw it, lines may have moved; read it again',
  );
  assertMatch(
    await server.text("str_replace", { path: "a", old_str: "two", new_str: "2" }),
    /^Edited "a": replaced 1 occurrence at line 3; the file has changed since you last saw it\n/,
  );
  assertMatch(
    await server.text("str_replace", { path: "a", old_str: "one", new_str: "1" }),
    /^Edited "a": replaced 1 occurrence at line 2\n/,
  );
  assertMatch(await server.text("write_file", { path: "a", content: "mine\n" }), /^Replaced "a"/);
});

Deno.test("edits of one file at once all take effect", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a`;
  const names = Array.from({ length: 20 }, (_, at) => `<${at}>`);
  await Deno.writeTextFile(file, names.join("\n"));
  await using server = new DevServer(folder.path);
  const results = await Promise.all(
    names.map((name) =>
      server.call("str_replace", { path: "a", old_str: name, new_str: name.toLowerCase() + "!" })
    ),
  );
  assertEquals(results.filter(({ isError }) => isError), []);
  assertEquals(await Deno.readTextFile(file), names.map((name) => `${name}!`).join("\n"));
});

Deno.test("str_replace keeps line ends, byte order mark and encoding", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await Deno.writeTextFile(`${path}/crlf`, "\ufeffa\r\nb\r\n");
  await Deno.writeFile(`${path}/utf16`, new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0a, 0]));
  await Deno.writeFile(`${path}/latin`, new Uint8Array([0xe4, 0x0a]));
  await using server = new DevServer(path);
  assertMatch(
    await server.text("str_replace", { path: "crlf", old_str: "a\nb", new_str: "x\ny" }),
    /^Edited "crlf": replaced 1 occurrence at line 1; line ends written as CRLF, as the file has them\n/,
  );
  assertEquals(
    await Deno.readFile(`${path}/crlf`),
    new TextEncoder().encode("\ufeffx\r\ny\r\n"),
  );
  assertEquals(
    await server.text("read_file", { path: "utf16" }),
    "utf16 (lines 1-1 of 1; UTF-16LE)\n1:a\n",
  );
  await server.text("str_replace", { path: "utf16", old_str: "a", new_str: "ü" });
  assertEquals(
    await Deno.readFile(`${path}/utf16`),
    new Uint8Array([0xff, 0xfe, 0xfc, 0, 0x0a, 0]),
  );
  const latin = { path: "latin", encoding: "latin-1" };
  assertMatch(await server.text("read_file", latin), /^latin \(lines 1-1 of 1; LATIN-1\)\n1:ä\n$/);
  await server.text("str_replace", { ...latin, old_str: "ä", new_str: "ö" });
  assertEquals(await Deno.readFile(`${path}/latin`), new Uint8Array([0xf6, 0x0a]));
  assertMatch(
    await server.text("str_replace", { ...latin, old_str: "ö", new_str: "€" }),
    /the new text has characters that latin-1 cannot write$/,
  );
});

Deno.test("~ in a path is the private home folder", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  assertMatch(
    await server.text("write_file", { path: "~/x/a", content: "a\n" }),
    /^Created "~\/x\/a"/,
  );
  assertEquals(await Deno.readTextFile(`${server.tmp}/home/x/a`), "a\n");
  assertEquals(
    await server.text("read_file", { path: "~/x/a" }),
    "~/x/a (lines 1-1 of 1)\n1:a\n",
  );
});

Deno.test("read_file points to view_image for an image", async () => {
  await using folder = await tempFolder();
  await Deno.writeFile(
    `${folder.path}/a.txt`,
    new Uint8Array([0x47, 0x49, 0x46, 0x38, 0x39, 0x61]),
  );
  await using server = new DevServer(folder.path);
  assertEquals(
    await server.text("read_file", { path: "a.txt" }),
    'Cannot read "a.txt": it is an image (image/gif); view_image shows it',
  );
});

Deno.test({
  name: "a difference is one that git applies, and says what diff says",
  ignore: !HAS_GIT, // nothing to apply it with
  fn: async () => {
    await using folder = await tempFolder();
    const { path } = folder;
    const env = { PATH: Deno.env.get("PATH") ?? "", HOME: path };
    await using server = new DevServer(path);
    const cases: [string, string][] = [
      ["a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nb\nX\nd\ne\nf\ng\nY\ni\n"],
      ["a", "b"],
      ["a\nb", "a\nb\n"],
      ["x\n".repeat(30), `${"x\n".repeat(10)}new\n${"x\n".repeat(20)}`],
      ["tab\there\r\nü\n", "tab\there\r\nö\n"],
    ];
    for (const [before, after] of cases) {
      await Deno.writeTextFile(`${path}/old`, before);
      await Deno.writeTextFile(`${path}/f`, before);
      await server.text("read_file", { path: "f" });
      const { structuredContent } = await server.call("write_file", { path: "f", content: after });
      const real = await runChild("diff", ["-u", "old", "f"], { cwd: path, env });
      const body = (diff: string) => diff.split("\n").slice(2);
      assertEquals(body(structuredContent.diff), body(real.stdout));
      await Deno.writeTextFile(`${path}/f`, before);
      const applied = await runChild("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: path,
        env,
        stdin: structuredContent.diff,
      });
      assertEquals([applied.stderr, await Deno.readTextFile(`${path}/f`)], ["", after]);
      await server.text("read_file", { path: "f" });
    }
  },
});

/** Sets and shows what Deno cannot: an extended attribute, and an access list that names user 12345. */
const SET_ATTRIBUTES = `
import os, struct, sys
os.setxattr(sys.argv[1], "user.note", b"keep")
entry = lambda tag, perm, who=0xffffffff: struct.pack("<HHI", tag, perm, who)
acl = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 12345) + entry(4, 0) + entry(16, 4) + entry(32, 0)
os.setxattr(sys.argv[1], "system.posix_acl_access", acl)`;
const SHOW_ATTRIBUTES = `
import os, sys
print(*(f"{name}={os.getxattr(sys.argv[1], name).hex()}" for name in sorted(os.listxattr(sys.argv[1]))))`;

async function attributes(script: string, path: string): Promise<string | undefined> {
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  const { code, stdout } = await runChild("python3", ["-c", script, path], { env });
  return code === 0 ? stdout : undefined;
}

async function canSetAttributes(): Promise<boolean> {
  await using folder = await tempFolder();
  const path = `${folder.path}/a`;
  await Deno.writeTextFile(path, "");
  return await attributes(SET_ATTRIBUTES, path).then((set) => set !== undefined, () => false);
}

Deno.test({
  name: "an edit keeps the access list and extended attributes",
  ignore: !await canSetAttributes(), // no python3, or a file system without them
  fn: async () => {
    await using folder = await tempFolder();
    const path = `${folder.path}/a`;
    await Deno.writeTextFile(path, "one\n");
    await attributes(SET_ATTRIBUTES, path);
    const before = await attributes(SHOW_ATTRIBUTES, path);
    assertMatch(before!, /^system.posix_acl_access=02\w+ user.note=6b656570\n$/);
    const { ino } = await Deno.stat(path);
    await using server = DevServer.withShell(folder.path);
    const edit = { path: "a", old_str: "one", new_str: "two" };
    assertMatch(
      await server.text("str_replace", edit),
      /^Edited "a": replaced 1 occ\S+ at line 1\n/,
    );
    assertEquals(await Deno.readTextFile(path), "two\n");
    assertEquals((await Deno.stat(path)).ino === ino, false);
    assertEquals(await attributes(SHOW_ATTRIBUTES, path), before);
  },
});

Deno.test("todo outlives the server that kept it", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  await server.text("todo", { todos: [{ text: "a", status: "in_progress" }] });
  await server.end();
  await server.ended;
  await using heir = DevServer.after(server, folder.path, ["--hooks"]);
  assertEquals(await heir.text("todo", {}), "[~] 1. a  ← next\n");
  assertMatch(await heir.text("_Stop", {}), /^You have open todo items/);
});
