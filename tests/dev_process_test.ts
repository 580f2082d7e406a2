// The dev server as a host sees it: a child under exact flags, spoken to over MCP.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { DevServer, pidIn } from "./dev_server.ts";
import { SOON_MS, tempFolder, waitForEnd } from "./harness.ts";

async function write(path: string, text: string | Uint8Array): Promise<void> {
  await Deno.writeFile(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
}

Deno.test("dev server introduces itself and lists its tools", async () => {
  await using folder = await tempFolder();
  await write(`${folder.path}/deno.json`, "{}");
  await using server = new DevServer(folder.path);
  const { result } = await server.request("initialize", { protocolVersion: "2025-06-18" });
  assertEquals(result.protocolVersion, "2025-06-18");
  assertEquals(result.serverInfo, { name: "skep-dev", version: "0.1.0" });
  assertEquals(
    result.instructions,
    `Working directory: ${folder.path}\nDetected stack: deno\n` +
      "Paths are relative to it. Pass `workdir` per call rather than `cd`.",
  );
  const { result: listed } = await server.request("tools/list");
  const names = listed.tools.map((tool: { name: string }) => tool.name);
  assertEquals(names, ["read_file", "write_file", "str_replace", "view_image", "todo"]);
  await server.end();
  assertEquals(await server.stderr, "");
});

Deno.test("dev server offers the newest version to a host that asks for an unknown one", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  const { result } = await server.request("initialize", { protocolVersion: "1999-01-01" });
  assertEquals(result.protocolVersion, "2025-11-25");
});

Deno.test("dev server works with the MCP SDK's client", async () => {
  await using folder = await tempFolder();
  await write(`${folder.path}/a.txt`, "one\n");
  await using server = new DevServer(folder.path);
  const client = new Client({ name: "test", version: "1" });
  await client.connect({
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async send(message) {
      if (!("id" in message) || !("method" in message)) {
        return await server.sendLine(JSON.stringify(message));
      }
      const { id, method, params } = message;
      const answer = await server.request(method, params);
      // deno-lint-ignore no-explicit-any -- the SDK checks the message itself
      this.onmessage?.({ ...answer, id } as any);
    },
  });
  assertEquals(client.getServerVersion()?.name, "skep-dev");
  assertEquals((await client.listTools()).tools.length, 5);
  const { content } = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
  assertEquals(content, [{ type: "text", text: "a.txt (lines 1-1 of 1)\n1:one\n" }]);
  await client.close();
});

Deno.test("dev server lists the shell only when it is told to, with a warning", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const { result } = await server.request("tools/list");
  const names = result.tools.map((tool: { name: string }) => tool.name);
  const plain = ["read_file", "write_file", "str_replace", "view_image", "todo"];
  assertEquals(names, [...plain, "shell", "shell_job", "rg", "tree"]);
  await server.end();
  assertMatch(await server.stderr, /^skep dev server: shell commands run unconfined.*\n$/);
});

Deno.test("dev server refuses an argument that it does not know", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path, [], ["--unconfind"]);
  assertEquals((await server.ended).code, 1);
  assertMatch(
    await server.stderr,
    /^skep dev server: there is no argument "--unconfind", only .*\n$/,
  );
});

Deno.test("dev server answers what is no request and goes on", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  await server.sendLine("{bad");
  await server.sendLine(new Uint8Array([0xff, 0x0a]));
  await server.sendLine('[{"jsonrpc":"2.0","id":1,"method":"ping"}]');
  await server.sendLine(`"${"x".repeat(5 * 1024 * 1024)}"`);
  await server.sendLine('{"jsonrpc":"2.0","id":"x","result":{}}');
  await server.notify("notifications/initialized");
  await server.notify("notifications/cancelled", { requestId: 99 });
  assertEquals((await server.request("ping")).result, {});
  assertEquals((await server.request("resources/list")).error.code, -32601);
  assertEquals((await server.request("tools/call", { arguments: {} })).error.code, -32602);
  assertEquals(
    server.received.slice(0, 4).map(({ id, error }) => [id, error?.code]),
    [[null, -32700], [null, -32700], [null, -32600], [null, -32600]],
  );
});

Deno.test("dev server names an unknown tool's neighbour, and a bad argument, in a result", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  const unknown = await server.call("readfile", {});
  assertEquals(unknown.isError, true);
  assertStringIncludes(unknown.content[0]!.text, 'did you mean "read_file"?');
  for (const args of [null, [], { path: 5 }, { path: "a", offset: 0 }, { file: "a" }, {}]) {
    assertEquals((await server.call("read_file", args)).isError, true);
  }
});

Deno.test("read_file numbers lines from 1 and goes on where it ended", async () => {
  await using folder = await tempFolder();
  const lines = Array.from({ length: 2001 }, (_, index) => `line ${index + 1}`);
  await write(`${folder.path}/long.txt`, lines.join("\n"));
  await using server = new DevServer(folder.path);
  const first = (await server.text("read_file", { path: "long.txt" })).split("\n");
  assertEquals(first.slice(0, 2), ["long.txt (lines 1-2000 of 2001)", "1:line 1"]);
  assertEquals(first.slice(-3), [
    "2000:line 2000",
    "[lines 1-2000 of 2001 shown; use offset=2001 to go on]",
    "",
  ]);
  assertEquals(
    await server.text("read_file", { path: "long.txt", offset: "2001", limit: null }),
    "long.txt (lines 2001-2001 of 2001)\n2001:line 2001\n",
  );
});

Deno.test("read_file says what it cannot read, and why", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await write(`${path}/empty`, "");
  await write(`${path}/latin1.txt`, new Uint8Array([0x61, 0x0a, 0xe4, 0x0a]));
  await write(`${path}/nul`, new Uint8Array([0x61, 0x00]));
  await Deno.mkdir(`${path}/src`);
  await write(`${path}/src/main.ts`, "");
  await Deno.symlink("loop", `${path}/loop`);
  await Deno.symlink("nowhere", `${path}/dangling`);
  await new Deno.Command("mkfifo", { args: [`${path}/fifo`] }).output();
  await using server = new DevServer(path);
  const read = (file: string) => server.text("read_file", { path: file });
  assertEquals(await read("empty"), "empty is empty (0 lines)");
  assertEquals(await read("fifo"), 'Cannot read "fifo": it is a FIFO, not a regular file');
  assertMatch(
    await read("latin1.txt"),
    /"latin1.txt": line 2 is not UTF-8; pass encoding="latin-1"/,
  );
  assertMatch(await read("nul"), /looks like a binary file of 2 bytes \(NUL at byte 1\)$/);
  assertEquals(
    await read("src/mian.ts"),
    'Cannot read "src/mian.ts": no such file or folder. Did you mean "src/main.ts"?',
  );
  assertEquals(
    await read("source/x/main.ts"),
    'Cannot read "source/x/main.ts": no such file or folder: "." has no "source"',
  );
  assertEquals(await read("loop"), 'Cannot read "loop": its links form a loop');
  assertMatch(await read("dangling"), /^Cannot read "dangling": no such file or folder/);
  assertMatch(await read("empty/x"), /a part of the path is a file, not a folder$/);
  assertEquals(await read("a\0b"), 'Cannot use the path "a\\u0000b": it holds a NUL character');
  assertEquals(await read(""), "The path is empty: give a file's path");
  assertMatch(
    await read("x".repeat(300)),
    /^Cannot read "x+": File name too long \(os error 36\)$/,
  );
});

Deno.test("read_file opens no device", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path, ["--allow-read=/dev"]);
  assertEquals(
    await server.text("read_file", { path: "/dev/zero" }),
    'Cannot read "/dev/zero": it is a device, not a regular file',
  );
});

Deno.test("read_file refuses a file past its bound, and reads one just at it", async () => {
  await using folder = await tempFolder();
  const limit = 10 * 1024 * 1024;
  await write(`${folder.path}/at`, "x".repeat(limit));
  await write(`${folder.path}/past`, "x".repeat(limit + 1));
  await using server = new DevServer(folder.path);
  assertEquals(
    await server.text("read_file", { path: "at" }),
    `at (lines 1-1 of 1)\n1:${"x".repeat(2000)}[… 10483760 more characters]\n`,
  );
  assertEquals(
    await server.text("read_file", { path: "past" }),
    'Cannot read "past": it has 10485761 bytes, the limit is 10485760; ' +
      "read a part with the shell, such as head -c",
  );
});

Deno.test("read_file lists a folder, names with control characters escaped", async () => {
  await using folder = await tempFolder();
  await write(`${folder.path}/b.txt`, "");
  await write(`${folder.path}/a\nb`, "");
  await write(`${folder.path}/ü $(id)`, "weird\n");
  await Deno.mkdir(`${folder.path}/dir`);
  await Deno.symlink("b.txt", `${folder.path}/link`);
  await using server = new DevServer(folder.path);
  assertEquals(
    await server.text("read_file", { path: "." }),
    '. is a folder (5 entries)\n"a\\nb"\nb.txt\ndir/\nlink@\nü $(id)',
  );
  assertEquals(
    await server.text("read_file", { path: ".", offset: 2, limit: 2 }),
    ". is a folder (5 entries)\nb.txt\ndir/\n[entries 2-3 of 5 shown; use offset=4 to go on]",
  );
  assertEquals(
    await server.text("read_file", { path: "ü $(id)" }),
    "ü $(id) (lines 1-1 of 1)\n1:weird\n",
  );
});

Deno.test("dev server denies what lies outside its grant, and marks it", async () => {
  await using folder = await tempFolder();
  await using outside = await tempFolder();
  await write(`${outside.path}/secret`, "secret\n");
  await using server = new DevServer(folder.path);
  const file = `${outside.path}/secret`;
  const read = await server.call("read_file", { path: file });
  assertEquals(read, {
    content: [{
      type: "text",
      text: `Access denied: this server's grant has no read access to "${file}"`,
    }],
    isError: true,
    _meta: { "skep/denied": { access: "read", value: file } },
  });
  const written = await server.call("write_file", { path: file, content: "x" });
  assertEquals(written._meta, { "skep/denied": { access: "write", value: file } });
  const up = await server.call("read_file", { path: "../../etc/passwd" });
  assertEquals(up._meta, { "skep/denied": { access: "read", value: "/etc/passwd" } });
  const workdir = await server.call("read_file", { path: "secret", workdir: outside.path });
  assertEquals(workdir._meta, { "skep/denied": { access: "read", value: outside.path } });
});

Deno.test("write_file where it may write but not read is denied for want of read", async () => {
  await using folder = await tempFolder();
  await using outside = await tempFolder();
  await using server = new DevServer(folder.path, [`--allow-write=${outside.path}`]);
  const path = `${outside.path}/new`;
  const { _meta } = await server.call("write_file", { path, content: "x" });
  assertEquals(_meta, { "skep/denied": { access: "read", value: path } });
});

Deno.test("a link that leads out of the grant is denied, whatever Deno's flags follow (T53)", async () => {
  await using folder = await tempFolder();
  await using outside = await tempFolder();
  const secret = `${outside.path}/secret`;
  await write(secret, "secret\n");
  await Deno.symlink(secret, `${folder.path}/file`);
  await Deno.symlink(outside.path, `${folder.path}/dir`);
  await Deno.symlink(`${outside.path}/new`, `${folder.path}/dangling`);
  await using server = new DevServer(folder.path);
  for (const path of ["file", "dir/secret", "dir/../dir/secret"]) {
    const read = await server.call("read_file", { path });
    assertEquals([path, read._meta], [path, {
      "skep/denied": { access: "read", value: secret, through: path },
    }]);
    const written = await server.call("write_file", { path, content: "x" });
    assertEquals([path, written._meta], [path, {
      "skep/denied": { access: "write", value: secret, through: path },
    }]);
  }
  for (const [path, through] of [["dangling", {}], ["dir/new", { through: "dir/new" }]] as const) {
    const written = await server.call("write_file", { path, content: "x" });
    assertEquals(written._meta, {
      "skep/denied": { access: "write", value: `${outside.path}/new`, ...through },
    });
  }
  assertStringIncludes(await server.text("read_file", { path: "file" }), ', where "file" leads');
  assertEquals(await Deno.readTextFile(secret), "secret\n");
  assertEquals((await Array.fromAsync(Deno.readDir(outside.path))).length, 1);
});

Deno.test("write_file creates, replaces, and says when nothing changes", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await using server = new DevServer(path);
  const put = (file: string, content: string) => server.text("write_file", { path: file, content });
  assertEquals(await put("a/b/c.txt", "one\n"), 'Created "a/b/c.txt" (4 bytes)');
  assertEquals(
    await put("a/b/c.txt", "one\n"),
    'Unchanged: "a/b/c.txt" has exactly these 4 bytes already',
  );
  assertEquals(
    await put("a/b/c.txt", "three\n"),
    'Replaced "a/b/c.txt" (6 bytes, before 4)\n\n' +
      "--- a/a/b/c.txt\n+++ b/a/b/c.txt\n@@ -1 +1 @@\n-one\n+three\n",
  );
  assertEquals(await Deno.readTextFile(`${path}/a/b/c.txt`), "three\n");
  assertEquals(await put("a/b", "x"), 'Cannot write "a/b": it is a folder');
  assertMatch(await put("a/b/c.txt/d", "x"), /a part of the path is a file, not a folder$/);
  assertMatch(await put("x", "\ud800"), /half of a surrogate pair$/);
  const left = await Array.fromAsync(Deno.readDir(`${path}/a/b`), (entry) => entry.name);
  assertEquals(left, ["c.txt"]);
});

Deno.test("write_file keeps mode, links and hard links", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await write(`${path}/run.sh`, "old");
  await Deno.chmod(`${path}/run.sh`, 0o751);
  await Deno.symlink("run.sh", `${path}/link`);
  await write(`${path}/hard`, "old");
  await Deno.link(`${path}/hard`, `${path}/hard2`);
  await write(`${path}/locked`, "old");
  await Deno.chmod(`${path}/locked`, 0o444);
  await using server = new DevServer(path);
  const put = (file: string, content: string) => server.text("write_file", { path: file, content });
  assertEquals(
    await put("link", "new!\n"),
    `Replaced "link" (5 bytes, before 3); "link" leads to ${path}/run.sh\n\n` +
      "--- a/run.sh\n+++ b/run.sh\n" +
      "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new!\n",
  );
  assertEquals((await Deno.lstat(`${path}/link`)).isSymlink, true);
  assertEquals(await Deno.readTextFile(`${path}/run.sh`), "new!\n");
  assertEquals((await Deno.stat(`${path}/run.sh`)).mode! & 0o7777, 0o751);
  assertEquals(
    (await put("hard", "new")).split("\n")[0],
    'Replaced "hard" (3 bytes, before 3); written in place, not atomically: the file has 2 hard links',
  );
  assertEquals(await Deno.readTextFile(`${path}/hard2`), "new");
  assertMatch(await put("locked", "new"), /its mode is read-only$/);
});

Deno.test({
  name: "write_file keeps a file's owner",
  ignore: Deno.uid() !== 0, // nobody else may give a file away
  fn: async () => {
    await using folder = await tempFolder();
    await write(`${folder.path}/theirs`, "old");
    await Deno.chown(`${folder.path}/theirs`, 12345, 12346);
    await using server = new DevServer(folder.path);
    const text = await server.text("write_file", { path: "theirs", content: "new!" });
    assertEquals(text.split("\n")[0], 'Replaced "theirs" (4 bytes, before 3)');
    const { uid, gid } = await Deno.stat(`${folder.path}/theirs`);
    assertEquals([uid, gid], [12345, 12346]);
  },
});

Deno.test("dev server exits at the end of its input, at once (T05)", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  await server.request("ping");
  const startMs = performance.now();
  await server.end();
  assertEquals((await server.ended).code, 0);
  assert(performance.now() - startMs < SOON_MS, `it took ${performance.now() - startMs} ms`);
});

for (const how of ["the end of its input", "SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`dev server takes its running commands with it at ${how}`, async () => {
    await using folder = await tempFolder();
    await using server = DevServer.withShell(folder.path);
    server.start("tools/call", {
      name: "shell",
      arguments: { command: `trap "" TERM; echo $$ > pid; while :; do sleep 60; done` },
    });
    const pid = await pidIn(`${folder.path}/pid`);
    const startMs = performance.now();
    if (how === "the end of its input") await server.end();
    else server.signal(how);
    assertEquals((await server.ended).code, 0);
    assert(performance.now() - startMs < SOON_MS);
    assertEquals(await waitForEnd([pid]), []);
  });
}
