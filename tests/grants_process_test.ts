// Grants as servers meet them: real children behind every backend that makes namespaces here.
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";

import { SkepError } from "../lib/errors.ts";
import { auditOf } from "../lib/sandbox/audit.ts";
import { renderAudit } from "../lib/sandbox/render_audit.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { grantPlace, NAMESPACES, runLaunch, workingBackends } from "./grant_place.ts";
import { fakeServer, serverFile, skep, tempFolder } from "./harness.ts";

const BACKENDS = await workingBackends(NAMESPACES);
const WRITES = { permissions: { write: ["${WORKSPACE}"] } };

Deno.test("this machine makes namespaces, or these tests hold nothing", () => {
  assertEquals(BACKENDS.length > 0, true);
});

for (const backend of BACKENDS) {
  Deno.test(`${backend}: a home folder as workspace has an empty .ssh that cannot be written, made or moved`, async () => {
    await using place = await grantPlace({ backend, workspace: "home" });
    await place.write("home/.ssh/id", "the key");
    await place.write("home/.config/gh/hosts.yml", "token");
    await place.write("home/.bashrc", "# mine");
    await place.write("home/notes.txt", "notes");
    const { stdout } = await place.bash(
      `ls -A .ssh .config/gh; cat .ssh/id notes.txt
      (echo x >.ssh/id; echo x >>.bashrc; mkdir .aws/x; echo x >.npmrc; mv .config .c; rmdir .ssh) 2>/dev/null
      echo ok >new; ls -A "$HOME"`,
      WRITES,
    );
    assertEquals(stdout, ".config/gh:\n\n.ssh:\nnotes");
    const read = (name: string) => Deno.readTextFile(join(place.home, name));
    assertEquals(await Promise.all([".ssh/id", ".bashrc", "new"].map(read)), [
      "the key",
      "# mine",
      "ok\n",
    ]);
    const left = await Array.fromAsync(Deno.readDir(place.home), ({ name }) => name);
    assertEquals(left.sort(), [".bashrc", ".config", ".ssh", "new", "notes.txt"]);
  });

  Deno.test(`${backend}: a home folder without .config gets no settings of skep's from a server`, async () => {
    await using place = await grantPlace({ backend, workspace: "home" });
    const folders = {
      config: join(place.home, ".config/skep"),
      state: join(place.home, ".local/state/skep"),
      cache: join(place.home, ".cache/skep"),
    };
    const args = [
      "-c",
      `for folder in .config .local/state .cache; do
        (mkdir -p $folder/skep; echo x >$folder/skep/policy.yaml
        mv .config .c; rmdir $folder/skep; mv $folder/skep $folder/x; rm -rf $folder) 2>/dev/null
      done
      ls -A .config/skep; echo ok >new`,
    ];
    const [first, second] = [
      await place.prepare({ ...WRITES, args }, { folders }),
      await place.prepare({ ...WRITES, args }, { folders }),
    ];
    assertEquals((await runLaunch(first)).stdout, "");
    // What the first one held stays for the second.
    assertEquals((await Deno.stat(folders.config)).isDirectory, true);
    assertEquals((await runLaunch(second)).stdout, "");
    const left = await Array.fromAsync(Deno.readDir(place.home), ({ name }) => name);
    assertEquals(left, ["new"]);
  });

  Deno.test(`${backend}: .config as workspace keeps the settings in it that run by themselves`, async () => {
    await using place = await grantPlace({ backend, workspace: "home/.config" });
    const names = ["fish/config.fish", "autostart/a.desktop", "git/config"];
    for (const name of names) await place.write(`home/.config/${name}`, "mine");
    await place.bash(
      `for file in ${
        names.join(" ")
      }; do echo x >>$file; rm -f $file; mv \${file%/*} gone; done 2>/dev/null
      echo ok >new`,
      WRITES,
    );
    const read = (name: string) => Deno.readTextFile(join(place.workspace, name));
    assertEquals(await Promise.all([...names, "new"].map(read)), ["mine", "mine", "mine", "ok\n"]);
  });

  Deno.test(`${backend}: what is never granted is hidden in a folder that may only be read`, async () => {
    await using place = await grantPlace({ backend });
    await place.write("home/.ssh/id", "the key");
    await place.write("home/notes.txt", "notes");
    const { stdout } = await place.bash(`cat ${place.home}/notes.txt; ls -A ${place.home}/.ssh`, {
      permissions: { read: [place.home] },
    });
    assertEquals(stdout, "notes");
  });

  Deno.test(`${backend}: a server connects to the unix socket of its grant, and to no other beside it`, async () => {
    await using place = await grantPlace({ backend });
    const [own, other] = ["own.sock", "other.sock"].map((name) => join(place.root, name));
    using _own = Deno.listen({ transport: "unix", path: own! });
    using _other = Deno.listen({ transport: "unix", path: other! });
    const script = await place.write(
      "server/connect.ts",
      `for (const path of Deno.args) {
        const connection = await Deno.connect({ transport: "unix", path }).catch(() => undefined);
        console.log(connection === undefined ? "refused" : "connected");
        connection?.close();
      }`,
    );
    const run = async (permissions: ServerSpec["permissions"]) => {
      const args = ["run", script, own!, other!];
      const launch = await place.prepare({ command: "deno", args, permissions: permissions! });
      return (await runLaunch(launch)).stdout;
    };
    assertEquals(await run({ net: [`unix:${own}`] }), "connected\nrefused\n");
    assertEquals(await run({}), "refused\nrefused\n");
  });

  Deno.test(`${backend}: protected files stay as they are, and places for missing ones only while a server runs`, async () => {
    await using place = await grantPlace({ backend });
    await place.write("ws/.git/config", "[core]\n");
    await place.write("ws/.git/hooks/pre-commit", "# mine");
    const { stdout } = await place.bash(
      `try() { "$@" 2>/dev/null && echo "$*"; }
      try cp /dev/null .git/config; try touch .git/hooks/x; try touch .vscode/x; try rmdir .vscode
      try mv .git .g; try mkdir -p .husky/x; try touch .envrc/x
      ls -d .vscode; touch free`,
      WRITES,
    );
    assertEquals(stdout, ".vscode\n");
    assertEquals(await Deno.readTextFile(join(place.workspace, ".git/config")), "[core]\n");
    const left = await Array.fromAsync(Deno.readDir(place.workspace), ({ name }) => name);
    assertEquals(left.sort(), [".git", "free"]);
  });

  Deno.test(`${backend}: a policy lifts the protection it does not list, which is told as a danger`, async () => {
    await using place = await grantPlace({
      backend,
      workspace: ".",
      policy: 'protect: [.git/hooks, "${POLICY}"]\n',
    });
    await place.write(".git/config", "[core]\n");
    await place.write(".git/hooks/x", "");
    const launch = await place.prepare({
      ...WRITES,
      args: [
        "-c",
        "echo a >.envrc; echo b >>.git/config; touch .git/hooks/y; echo c >>policy.yaml",
      ],
    });
    assertMatch(launch.notices.join("\n"), /^Server "s" may write \.git\/config, .*, \.envrc, /m);
    assertMatch(
      renderAudit(auditOf(launch)),
      /^s: code of others, the program [^\n]*\n {2}DANGER\n {4}it may write \.git\/config, /,
    );
    await runLaunch(launch);
    const read = (name: string) => Deno.readTextFile(join(place.root, name));
    assertEquals(await read(".envrc"), "a\n");
    assertEquals(await read(".git/config"), "[core]\nb\n");
    assertEquals(await read("policy.yaml"), 'protect: [.git/hooks, "${POLICY}"]\n');
    await assertRejects(() => read(".git/hooks/y"), Deno.errors.NotFound);
  });

  Deno.test(`${backend}: the policy and the configuration in use stay as they are`, async () => {
    await using place = await grantPlace({ backend, workspace: ".", policy: "{}" });
    const file = await place.write("mcp.json", "{}");
    const launch = await place.prepare({
      ...WRITES,
      args: ["-c", "echo x >policy.yaml; echo x >mcp.json; mv policy.yaml p; echo x >free"],
    }, { configuration: [file] });
    await runLaunch(launch);
    const read = (name: string) => Deno.readTextFile(join(place.root, name));
    assertEquals(await Promise.all(["policy.yaml", "mcp.json", "free"].map(read)), [
      "{}",
      "{}",
      "x\n",
    ]);
  });

  Deno.test(`${backend}: a policy cuts what a server gets, for its descendants too`, async () => {
    await using place = await grantPlace({
      backend,
      policy: 'permissions: { read: ["${WORKSPACE}/open"], write: [], env: [] }\n',
    });
    await place.write("ws/open/a", "open");
    await place.write("ws/shut/b", "shut");
    const { stdout } = await place.bash(
      `bash -c 'cat open/a shut/b; echo x >open/new; echo "$FOO."' 2>/dev/null`,
      { permissions: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}"] }, env: { FOO: "1" } },
    );
    assertEquals(stdout, "open.\n");
    await assertRejects(() => Deno.stat(join(place.workspace, "open/new")), Deno.errors.NotFound);
  });

  Deno.test(`${backend}: git, a compiler, Node and Deno run under the limits that every server has`, async () => {
    await using place = await grantPlace({ backend });
    const { status, stdout, stderr } = await place.bash(
      `set -e
      git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
      git log --format=%s
      echo 'int main(void) { return 0; }' >a.c
      if command -v cc >/dev/null; then cc -O2 a.c -o a && ./a; fi
      if command -v node >/dev/null; then node -e 'new Array(1e6).fill(1)'; fi
      "$DENO" eval 'console.log(new Uint8Array(2 ** 29).length)'`,
      { ...WRITES, env: { DENO: await denoIn(place.workspace) } },
    );
    assertEquals([status.code, stdout, stderr], [0, "x\n536870912\n", ""]);
  });

  Deno.test(`${backend}: a server that takes 4 GB is refused it, and one that forks without end is held (T66)`, async () => {
    await using place = await grantPlace({ backend });
    const env = { DENO: await denoIn(place.workspace) };
    const take = (bytes: number) =>
      `"$DENO" eval 'try { console.log(new Uint8Array(${bytes}).fill(1).length); }
      catch (error) { console.log(error.name); }'`;
    const { stdout } = await place.bash(`${take(2 ** 28)}; ${take(4 * 2 ** 30)}`, { env });
    assertEquals(stdout, "268435456\nRangeError\n");
    const forks = `i=0; while [ $i -lt 60 ]; do sleep 10 & i=$((i + 1)); done; echo all`;
    const many = await place.bash(`sh -c '${forks}' 2>&1`, {
      permissions: { limits: { processes: 32 } },
    });
    assertEquals([many.status.code === 0, many.stdout.includes("all")], [false, false]);
    assertEquals((await place.bash("echo well")).stdout, "well\n");
  });

  Deno.test(`${backend}: a file over its limit is not written, one exactly at it is`, async () => {
    await using place = await grantPlace({ backend });
    const write = (bytes: number) =>
      place.bash(`head -c ${bytes} /dev/zero >f && stat -c %s f`, {
        permissions: { write: ["${WORKSPACE}"], limits: { file_mb: 1 } },
      });
    assertEquals((await write(2 ** 20)).stdout, "1048576\n");
    assertEquals((await write(2 ** 20 + 1)).stdout, "");
  });

  Deno.test(`${backend}: no secret is in what a launch says of itself, any command line, or a file (T86, T90)`, async () => {
    await using place = await grantPlace({ backend, env: { GH_TOKEN: "ghp_0123456789abcdef" } });
    const launch = await place.prepare({
      args: ["-c", 'echo "$TOKEN"; tr "\\0" " " </proc/self/cmdline; cat /proc/1/cmdline'],
      permissions: { secrets: { TOKEN: "env:GH_TOKEN" } },
    });
    const { confined, command: { args }, notices } = launch;
    const told = JSON.stringify([args, notices, auditOf(launch), confined?.confinement]);
    assertEquals(told.includes("ghp_0123456789"), false);
    // What a killed runtime leaves behind holds no secret (T90).
    for await (const path of filesIn(dirname(launch.grant.tmp))) {
      assertEquals((await Deno.readTextFile(path)).includes("ghp_0123456789"), false, path);
    }
    assertEquals(launch.redact("key ghp_0123456789abcdef"), "key [secret TOKEN]");
    const { stdout } = await runLaunch(launch);
    assertEquals(stdout.split("ghp_0123456789abcdef").length, 2);
  });
}

Deno.test("a workspace that cannot be held is one error that names --cwd, whatever the command", async () => {
  await using home = await tempFolder();
  const env = { HOME: home.path, SKEP_STATE_DIR: join(home.path, "s") };
  const commands = [["tools"], ["call", "dev__read_file", "{}"], ["chat", "-p", "hi"]];
  for (const args of commands) {
    const { code, stdout, stderr } = await skep([...args, "--cwd", "/"]);
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr,
      'skep: Cannot use the workspace "/": it is the whole file system. Choose a smaller one with --cwd\n',
    );
  }
  const { code, stderr } = await skep(["tools", "--cwd", home.path, "--sandbox", "off"], { env });
  assertEquals([code, stderr.split("\n").length], [1, 2]);
  assertMatch(
    stderr,
    /which is never granted: it holds .*, and Deno's flags alone cannot leave it out/,
  );
});

Deno.test({
  name: "a folder that is granted and not there is told at the start, and by the audit",
  ignore: BACKENDS.length === 0,
  fn: async () => {
    await using place = await tempFolder();
    const none = join(place.path, "none");
    const fake = fakeServer([], { permissions: { write: [none] } });
    const file = await serverFile(place.path, { fake });
    const [call, audit] = await Promise.all([
      skep(["call", "fake__echo", '{"text":"x"}', "--mcp", file]),
      skep(["audit", "fake", "--mcp", file]),
    ]);
    const what = `cannot write ${none}, which is not there: make it before the server starts\n`;
    assertEquals([call.code, audit.code], [0, 0]);
    assertStringIncludes(call.stderr, `Server "fake" ${what}`);
    assertStringIncludes(audit.stdout, `  think about\n    it ${what}`);
  },
});

Deno.test("a start that fails leaves nothing in the temporary folder", async () => {
  await using folder = await tempFolder();
  const temporary = join(folder.path, "tmp");
  await Deno.mkdir(temporary);
  const unset = await serverFile(folder.path, {
    x: { command: "bash", args: ["${SKEP_TEST_NOWHERE}"] },
  });
  for (const args of [["--mcp", "/nope.json"], ["--cwd", "/nope"], ["--mcp", unset]]) {
    const { code } = await skep(["tools", ...args], { env: { TMPDIR: temporary } });
    assertEquals(code === 0, false, args.join(" "));
    const left = await Array.fromAsync(Deno.readDir(temporary), ({ name }) => name);
    assertEquals(left, [], args.join(" "));
  }
});

Deno.test("--policy names a file that must be there; that of the configuration folder may be missing", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "p.yaml");
  const missing = await skep(["audit", "--policy", file]);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, `skep: Cannot use the policy ${file}: `);
  const named = await skep(["audit"], { env: { SKEP_POLICY: file } });
  assertEquals([named.code, named.stderr], [1, missing.stderr]);

  await Deno.writeTextFile(file, "permissions: { wirte: [] }\n");
  const wrong = await skep(["audit", "--policy", file]);
  assertEquals(wrong.code, 1);
  assertStringIncludes(
    wrong.stderr,
    'permissions "wirte": there is no such key; did you mean "write"?',
  );

  await Deno.writeTextFile(file, "permissions: { write: [], limits: { memory_mb: 1024 } }\n");
  for (const more of [{ SKEP_POLICY: file }, { SKEP_CONFIG_DIR: await configured(folder.path) }]) {
    const { code, stdout } = await skep(["audit", "--json"], { env: more });
    const { permissions, limitOrigins, cut } = JSON.parse(stdout);
    assertEquals([code, permissions.write.length, permissions.limits.memory_mb], [0, 2, 1024]);
    assertMatch(limitOrigins.memory_mb, /^policy .*\.yaml$/);
    assertMatch(cut[0].reason, /^policy .*\.yaml does not allow it$/);
  }
});

Deno.test("a policy that requires confinement is not switched off by a flag or a variable", async () => {
  await using folder = await tempFolder();
  const file = join(folder.path, "p.yaml");
  await Deno.writeTextFile(file, "sandbox: { mode: require, backend: unshare }\n");
  const args = ["audit", "--policy", file];
  const [flag, variable, other] = await Promise.all([
    skep([...args, "--sandbox", "off"]),
    skep(args, { env: { SKEP_SANDBOX: "off" } }),
    skep([...args, "--sandbox", "bwrap"]),
  ]);
  assertEquals(
    flag.stderr,
    `skep: Cannot use --sandbox="off": the policy ${file} requires confinement\n`,
  );
  assertStringIncludes(variable.stderr, 'Cannot use SKEP_SANDBOX="off"');
  assertStringIncludes(
    other.stderr,
    `Cannot use --sandbox="bwrap": the policy ${file} wants unshare`,
  );
  assertEquals([flag.code, variable.code, other.code], [1, 1, 1]);
});

Deno.test("a client's server cannot ask for less confinement than there is for it", async () => {
  await using place = await grantPlace();
  const permissions = { sandbox: "prefer" } as const;
  const origin = { kind: "client", where: "session/new" } as const;
  await (await place.prepare({ permissions })).release();
  const error = await assertRejects(() => place.prepare({ permissions, origin }), SkepError);
  assertEquals(error.code, "GRANT_REFUSED");
});

Deno.test("a secret that does not resolve refuses its server alone, naming the reference (T93)", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, {
    x: { command: "bash", permissions: { secrets: { TOKEN: "env:SKEP_TEST_NOWHERE" } } },
  });
  const { code, stdout } = await skep(["audit", "x", "--mcp", file]);
  assertEquals(code, 3);
  assertStringIncludes(stdout, 'secrets.TOKEN "env:SKEP_TEST_NOWHERE"');
  assertStringIncludes(stdout, "there is nothing in it");
});

/** A folder with the same policy as `policy.yaml`. */
async function configured(root: string): Promise<string> {
  const folder = join(root, "config");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.copyFile(join(root, "p.yaml"), join(folder, "policy.yaml"));
  return folder;
}

/** The real `deno`, where a server that is shown the workspace alone finds it. */
async function denoIn(workspace: string): Promise<string> {
  const path = join(workspace, "deno-copy");
  await Deno.copyFile(Deno.execPath(), path);
  return path;
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(join(folder, name));
    else if (isFile) yield join(folder, name);
  }
}
