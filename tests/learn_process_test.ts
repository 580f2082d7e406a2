// `skep learn`: what it proposes lets the same calls pass as a grant, and nothing else.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { NAMESPACE_BACKENDS } from "./confined.ts";
import { fakeServer, fromRepo, serverFile, skep, tempFolder } from "./harness.ts";
import { folderWith } from "./packs.ts";

const ignore = NAMESPACE_BACKENDS.length === 0;

Deno.test({
  name: "learn proposes a grant that lets the same calls pass, and nothing else",
  ignore,
  fn: async () => {
    await using data = await folderWith({ "a.txt": "this one", "b.txt": "not this one" });
    await using place = await tempFolder();
    await using work = await tempFolder();
    const knobs = ["--call-received=calls.jsonl"];
    const file = await serverFile(place.path, { fake: { ...fakeServer(knobs), permissions: {} } });
    const [a, b] = ["a", "b"].map((name) => JSON.stringify({ path: `${data.path}/${name}.txt` }));
    const learnt = await skep(
      ["learn", "fake", "--mcp", file, "--cwd", work.path, "--call", "read", a!],
    );
    assertEquals([learnt.code, learnt.stdout], [
      0,
      `permissions:\n  read: ["${data.path}/a.txt"]\n  write: ["\${WORKSPACE}"]\n`,
    ], learnt.stderr);
    assertStringIncludes(learnt.stderr, "Not seen: what these tools need, which were not called");
    assertStringIncludes(learnt.stderr, "since there was no network: --net HOST allows one");
    assertEquals(await Array.fromAsync(Deno.readDir(work.path)), []); // the person's own is not touched

    const { permissions } = parse(learnt.stdout, { schema: "core" }) as {
      permissions: Record<string, unknown>;
    };
    const granted = await serverFile(place.path, { fake: { ...fakeServer(knobs), permissions } });
    const call = (args: string) =>
      skep(["call", "fake__read", args, "--mcp", granted, "--cwd", work.path]);
    const [same, other] = [await call(a!), await call(b!)];
    assertEquals([same.code, same.stdout.trim()], [0, "this one"]);
    assertEquals([other.code, other.stdout], [3, ""]);
    assertEquals((await Deno.stat(`${work.path}/calls.jsonl`)).isFile, true);
  },
});

Deno.test({
  name:
    "learn did not see what a program writes that the server starts, and its grant then refused that",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    await using work = await tempFolder();
    const own = fakeServer(["--reaching"]);
    const learnt = async (command: string) => {
      const file = await serverFile(place.path, {
        own: { ...own, permissions: { run: ["bash"] } },
      });
      const call = ["--call", "bash", JSON.stringify({ command })];
      const ended = await skep([
        "learn",
        "own",
        "--mcp",
        file,
        "--cwd",
        work.path,
        "--json",
        ...call,
      ]);
      assertEquals(ended.code, 0, ended.stderr);
      return { ...ended, write: JSON.parse(ended.stdout).permissions.write as string[] };
    };
    const command = "mkdir sub && echo x > sub/made.txt";
    const { write, stderr } = await learnt(command);
    assertEquals(write.includes("${WORKSPACE}"), true, `${write}`);
    assertStringIncludes(stderr, "Not seen: what bash read, and wrote elsewhere");
    assertEquals((await learnt("true")).write?.includes("${WORKSPACE}") ?? false, false);
    const granted = await serverFile(place.path, {
      own: { ...own, permissions: { run: ["bash"], write } },
    });
    const args = ["own__bash", JSON.stringify({ command }), "--mcp", granted, "--cwd", work.path];
    const { code, stderr: said } = await skep(["call", ...args]);
    assertEquals([code, (await Deno.stat(`${work.path}/sub/made.txt`)).isFile], [0, true], said);
  },
});

Deno.test({
  name:
    "learn proposed loopback:PORT for a connection that it did not allow, and did not say whose that is",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    const file = await serverFile(place.path, {
      fake: { ...fakeServer(["--reaching"]), permissions: {} },
    });
    const call = ["--call", "connect", '{"port":4}'];
    const { stderr } = await skep(["learn", "fake", "--mcp", file, ...call]);
    assertStringIncludes(
      stderr,
      "Not seen: who is meant by loopback:4, which is the server's own; for a service of this machine, " +
        "such as a database, try --net 127.0.0.1:4",
    );
  },
});

Deno.test({
  name: "learn gives a server the program that it was refused, and says what it cannot see of it",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    const file = await serverFile(place.path, {
      fake: { ...fakeServer(["--spawn-grandchild"]), permissions: {} },
    });
    const { code, stdout, stderr } = await skep(["learn", "fake", "--mcp", file]);
    assertEquals([code, stdout], [0, 'permissions:\n  run: ["sleep"]\n']);
    assertStringIncludes(
      stderr,
      "Not seen: what sleep read, and wrote elsewhere; a program records nothing",
    );
  },
});

Deno.test({
  name: "learn keeps what the entry lets programs write, and says that it keeps them unseen",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    const permissions = { run: ["sleep"], write: ["${WORKSPACE}"] };
    const file = await serverFile(place.path, { fake: { ...fakeServer(), permissions } });
    const { code, stdout, stderr } = await skep(["learn", "fake", "--mcp", file]);
    assertEquals(
      [code, stdout],
      [0, 'permissions:\n  run: ["sleep"]\n  write: ["${WORKSPACE}"]\n'],
      stderr,
    );
    assertStringIncludes(stderr, "Kept from the entry: run sleep, and what it may write");
  },
});

Deno.test({
  name: "learn goes on with a server that does not start without a folder outside of the workspace",
  ignore,
  fn: async () => {
    await using data = await folderWith({ "a.txt": "this one" });
    await using place = await tempFolder();
    const knobs = [`--needs=${data.path}`];
    const file = await serverFile(place.path, { fake: { ...fakeServer(knobs), permissions: {} } });
    const given = ["learn", "fake", "--mcp", file];
    const [learnt, closed] = await Promise.all([
      skep(given),
      skep([...given, "--net", "api.example.com:443"]),
    ]);
    assertEquals(
      [learnt.code, learnt.stdout],
      [0, `permissions:\n  read: ["${data.path}"]\n`],
      learnt.stderr,
    );
    assertEquals([closed.code, closed.stdout], [2, ""]);
    assertStringIncludes(
      closed.stderr,
      `It looks for ${data.path}, which it is not shown where there is a network: leave out --net`,
    );
  },
});

Deno.test({
  name:
    "learn lets a server rename over a file outside of the workspace, in a copy, and grants the folder",
  ignore,
  fn: async () => {
    await using data = await folderWith({ "graph.json": "old", "keep.txt": "kept" });
    await using place = await tempFolder();
    const fake = fakeServer(["--replacing"]);
    const file = await serverFile(place.path, { fake: { ...fake, permissions: {} } });
    const path = `${data.path}/graph.json`;
    const replace = JSON.stringify({ path, text: "new" });
    const given = ["--call", "replace", replace, "--call", "read", JSON.stringify({ path })];
    const learnt = await skep(["learn", "fake", "--mcp", file, ...given]);
    assertEquals(
      [learnt.code, learnt.stdout],
      [0, `permissions:\n  write: ["${data.path}"]\n`],
      learnt.stderr,
    );
    assertEquals(await Deno.readTextFile(path), "old"); // the person's own is not touched
    assertEquals((await Array.fromAsync(Deno.readDir(data.path))).length, 2);

    const { permissions } = parse(learnt.stdout, { schema: "core" }) as { permissions: object };
    const granted = await serverFile(place.path, { fake: { ...fake, permissions } });
    const { code, stderr } = await skep(["call", "fake__replace", replace, "--mcp", granted]);
    assertEquals([code, await Deno.readTextFile(path)], [0, "new"], stderr);
  },
});

Deno.test({
  name: "learn says which folder to make, where a server writes in one that is not there",
  ignore,
  fn: async () => {
    await using data = await tempFolder();
    await using place = await tempFolder();
    const fake = fakeServer(["--replacing"]);
    const file = await serverFile(place.path, { fake: { ...fake, permissions: {} } });
    const replace = JSON.stringify({ path: `${data.path}/new/a.json`, text: "x" });
    const learnt = await skep(["learn", "fake", "--mcp", file, "--call", "replace", replace]);
    assertEquals(
      [learnt.code, learnt.stdout],
      [0, `permissions:\n  write: ["${data.path}/new"]\n`],
      learnt.stderr,
    );
    assertStringIncludes(learnt.stderr, `Make ${data.path}/new before you use this`);
    assertEquals(await Array.fromAsync(Deno.readDir(data.path)), []);
  },
});

Deno.test({
  name: "learn means its copy where arguments, variables and calls name the workspace by its path",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    await using work = await folderWith({ "own.txt": "the person's own" });
    const entry = {
      ...fakeServer(["--replacing", `--call-received=${work.path}/calls.jsonl`]),
      permissions: { read: [work.path] },
    };
    const file = await serverFile(place.path, { fake: entry });
    const replace = JSON.stringify({ path: `${work.path}/a.txt`, text: "x" });
    const own = JSON.stringify({ path: `${work.path}/own.txt` });
    const given = ["--call", "replace", replace, "--call", "read", own];
    const { code, stdout, stderr } = await skep(
      ["learn", "fake", "--mcp", file, "--cwd", work.path, ...given],
    );
    assertEquals(stdout, 'permissions:\n  write: ["${WORKSPACE}"]\n', stderr);
    assertEquals(code, 2); // the copy is empty
    assertStringIncludes(stderr, `read failed: `);
    assertStringIncludes(stderr, `${work.path}/own.txt`);
    assertEquals((await Array.fromAsync(Deno.readDir(work.path))).length, 1);
  },
});

Deno.test({
  name: "learn finds a script of the workspace, and the folders there that its arguments name",
  ignore,
  fn: async () => {
    await using place = await tempFolder();
    await using work = await folderWith({
      "server/fake.ts": await Deno.readTextFile(fromRepo("tests/fixtures/fake_mcp.ts")),
      "notes/own.txt": "the person's own",
    });
    const knobs = [`--needs=${work.path}/notes`];
    const entry = (script: string) => ({ command: "deno", args: ["run", script, ...knobs] });
    const file = await serverFile(place.path, {
      relative: entry("server/fake.ts"),
      absolute: entry(`${work.path}/server/fake.ts`),
      variable: entry("${WORKSPACE}/server/fake.ts"),
    });
    for (const name of ["relative", "absolute", "variable"]) {
      const given = ["learn", name, "--mcp", file, "--cwd", work.path];
      const { code, stdout, stderr } = await skep(given);
      assertEquals([code, stdout], [0, 'permissions:\n  read: ["${WORKSPACE}/notes"]\n'], stderr);
    }
  },
});

Deno.test("learn records nothing of a native server, and of no server that is not there", async () => {
  await using place = await tempFolder();
  const file = await serverFile(place.path, {
    py: { command: "python3", args: ["x.py"] },
    remote: { url: "https://example.com/mcp" },
  });
  const [native, remote, missing, bad] = await Promise.all([
    skep(["learn", "py", "--mcp", file]),
    skep(["learn", "remote", "--mcp", file]),
    skep(["learn", "pi", "--mcp", file]),
    skep(["learn", "dev", "--call", "shell", "[1]"]),
  ]);
  assertEquals([native.code, remote.code, missing.code, bad.code], [1, 1, 1, 1]);
  assertStringIncludes(remote.stderr, "it has a url, and the bridge that reaches it is granted");
  assertStringIncludes(
    native.stderr,
    "python3 does not run in Deno, and nothing records what it does",
  );
  assertStringIncludes(native.stderr, "docs/grants.md");
  assertStringIncludes(missing.stderr, "did you mean py?");
  assertStringIncludes(bad.stderr, "they must be a JSON object");
});
