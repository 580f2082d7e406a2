// What a confinement holds beyond the probe's attempts: what it shows, what the runtime itself runs, networks
// and environments; each against the real backends of this machine.
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { denoHost } from "../lib/host/deno_host.ts";
import { prepareLaunch } from "../lib/sandbox/launch.ts";
import { BACKENDS, Ground, NAMESPACE_BACKENDS } from "./confined.ts";
import { serverFile, skep } from "./harness.ts";

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test(`${backend}: a folder may be written inside one that may be read`, async () => {
    await using ground = await Ground.make();
    await ground.write("ws/out/old", "");
    const { stdout } = await ground.run(backend, {
      script:
        "echo x >out/new && cat out/new; echo x >beside || echo refused; mv out other || echo held",
      permissions: { read: ["${WORKSPACE}"], write: ["${WORKSPACE}/out"], sandbox: "prefer" },
    });
    assertEquals(stdout, "x\nrefused\nheld\n");
  });

  Deno.test(`${backend}: a server starts in a workspace that it is not granted, and sees nothing of it`, async () => {
    await using ground = await Ground.make();
    await ground.write("ws/secret", "secret");
    const { stdout } = await ground.run(backend, {
      script: "pwd; ls -A; echo x >new || echo refused; cd .. && mv ws other || echo held",
      permissions: { sandbox: "prefer" },
    });
    assertEquals(stdout, `${ground.workspace}\nrefused\nheld\n`);
  });

  Deno.test(`${backend}: a program is started by its path in a folder that is a link`, async () => {
    await using ground = await Ground.make();
    const { stdout } = await ground.run(backend, { command: "/bin/echo", args: ["started"] });
    assertEquals(stdout, "started\n");
  });

  Deno.test(`${backend}: a Deno that lies in the home folder shows nothing that lies beside it`, async () => {
    await using elsewhere = await Ground.make("ws");
    await elsewhere.write("home/secret", "secret");
    const real = join(elsewhere.home, "real-deno");
    try {
      await Deno.link(Deno.execPath(), real);
    } catch {
      await Deno.copyFile(Deno.execPath(), real); // on another file system
    }
    await using ground = await Ground.make("ws", { SKEP_DENO: real });
    const command = await ground.write(
      "server/a.ts",
      `const { stdout } = await new Deno.Command("bash", { args: ["-c", ${
        JSON.stringify(`ls ${elsewhere.home}; cat ${elsewhere.home}/secret; echo done`)
      }] }).output();
      await Deno.stdout.write(stdout);`,
    );
    const { stdout, stderr } = await ground.run(backend, {
      command,
      args: [],
      permissions: { run: ["bash"], sandbox: "prefer" },
    });
    assertEquals(stdout, "real-deno\ndone\n", stderr);
  });

  Deno.test(`${backend}: what a server left closed to its owner goes with its folder`, async () => {
    await using ground = await Ground.make();
    const temporary = ground.temporary = join(ground.root, "tmp");
    await Deno.mkdir(temporary);
    await ground.run(
      backend,
      'mkdir -p "$TMPDIR/a/b" && touch "$TMPDIR/a/b/c" && chmod -R 0 "$TMPDIR/a"',
    );
    assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
  });

  Deno.test(`${backend}: nothing that lies in the workspace is run to confine it`, async () => {
    await using ground = await Ground.make();
    const planted = ["bwrap", "unshare", "mkfifo", "mount", "mkdir", "rm", "flock", "setsid", "sh"];
    for (const name of planted) {
      const path = await ground.write(
        `ws/bin/${name}`,
        `#!/bin/sh\necho ${name} >>"${ground.root}/ran"\n`,
      );
      await Deno.chmod(path, 0o755);
    }
    const { stdout, stderr } = await skep(
      ["call", "--sandbox", backend, "dev__shell", '{"command": "cat /proc/self/status"}'],
      {
        cwd: ground.workspace,
        env: { PATH: `bin:${ground.workspace}/bin:${Deno.env.get("PATH")}` },
      },
    );
    assertMatch(stdout, /^Seccomp:\s*2$/m, stderr);
    assertEquals(await exists(join(ground.root, "ran")), false);
  });
}

for (const backend of BACKENDS) {
  Deno.test(`${backend}: an empty list of hosts is no network at all (T61)`, async () => {
    await using ground = await Ground.make();
    let connections = 0;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = (async () => {
      for await (const connection of listener) {
        connections++;
        connection.close();
      }
    })();
    const { stdout } = await ground.run(backend, {
      script: `exec 3<>/dev/tcp/127.0.0.1/${listener.addr.port} && echo connected; echo done`,
      permissions: { net: [], sandbox: "prefer" },
    });
    listener.close();
    await accepting;
    assertEquals([stdout, connections], ["done\n", 0]);
  });

  Deno.test(`${backend}: a server's variables arrive exactly, and no others (T88)`, async () => {
    await using ground = await Ground.make();
    const env = {
      FOO: " a'b\"c\n$HOME `id` \\ ü",
      EMPTY: "",
      PWD: "/declared",
      SHLVL: "7",
      _: "x",
      NO_COLOR: "0",
      BASH_ENV: "/nonexistent",
    };
    const { stdout } = await ground.run(backend, { command: "env", args: ["-0"], env });
    const seen = Object.fromEntries(
      stdout.split("\0").filter((each) => each !== "")
        .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
    );
    assertEquals({ ...seen, ...env }, seen);
    for (const name of ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "SKEP_SERVER_ENVIRONMENT", "OLDPWD"]) {
      assertEquals([name, seen[name]], [name, undefined]);
    }
  });

  Deno.test(`${backend}: a key of the runtime is in nothing that a shell finds, nor in what skep logs (T86)`, async () => {
    await using ground = await Ground.make();
    const key = `nsec1${"q".repeat(58)}`;
    // Put together there, so that the looking itself does not hold it.
    const command = `key=nsec1$(printf 'q%.0s' {1..58}); echo \${#key}
      all=$(env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ')
      [[ $all == *"$key"* ]] && echo found || echo absent`;
    const { stdout, stderr } = await skep(
      ["call", "--sandbox", backend, "dev__shell", JSON.stringify({ command })],
      {
        cwd: ground.workspace,
        env: { BUZZ_PRIVATE_KEY: key, ANTHROPIC_API_KEY: key, SKEP_LOG: "1" },
      },
    );
    assertStringIncludes(stdout, "63\nabsent\n");
    assertEquals((stdout + stderr).includes(key), false);
  });

  Deno.test(`${backend}: private keys beside the certificates are not shown`, async () => {
    await using ground = await Ground.make();
    const { stdout } = await ground.run(
      backend,
      "ls /etc/ssl/private /etc/pki/tls/private; ls /etc/ssl/certs | head -n 1; echo done",
    );
    assertMatch(stdout, /^(\S+\n)?done\n$/);
  });

  Deno.test(`${backend}: a secret whose source holds nothing keeps the server from starting (T93)`, async () => {
    await using ground = await Ground.make();
    const permissions = { secrets: { TOKEN: "env:SKEP_TEST_MISSING" }, sandbox: "prefer" as const };
    const error = await assertRejects(() => ground.run(backend, { script: "true", permissions }));
    assertStringIncludes((error as Error).message, "env:SKEP_TEST_MISSING");
  });
}

Deno.test("a program that the server could write is not one that it may run (T68)", async () => {
  await using ground = await Ground.make();
  const tool = await ground.write("ws/tool", "#!/bin/sh\n");
  await Deno.chmod(tool, 0o755);
  const permissions = { write: ["${WORKSPACE}"], run: [tool], sandbox: "prefer" as const };
  const error = await assertRejects(() =>
    ground.run(BACKENDS[0] ?? "landlock", { script: "true", permissions })
  );
  assertStringIncludes((error as Error).message, "and so the program itself");
});

Deno.test("a wildcard host is the name itself and what lies below, and nothing else (T63)", async () => {
  await using ground = await Ground.make();
  const script = await ground.write(
    "server/net.ts",
    `for (const host of ["example.com", "a.example.com", "evilexample.com"]) {
      console.log(host, Deno.permissions.querySync({ name: "net", host }).state);
    }`,
  );
  const { stdout } = await ground.run(BACKENDS[0] ?? "landlock", {
    command: script,
    args: [],
    permissions: { net: ["*.example.com"], sandbox: "prefer" },
  });
  assertEquals(
    stdout,
    "example.com granted\na.example.com granted\nevilexample.com prompt\n",
  );
});

Deno.test("without the backend that was asked for nothing runs unconfined, and it is said what to install (T60)", async () => {
  await using ground = await Ground.make();
  const file = await serverFile(ground.root, {
    native: { command: "bash", args: ["-c", "echo started >started"], permissions: {} },
  });
  const { code, stderr } = await skep(
    ["call", "--mcp", file, "dev__shell", '{"command": "true"}'],
    { cwd: ground.workspace, env: { SKEP_SANDBOX: "bwrap", PATH: "/nonexistent" } },
  );
  assertEquals(code, 1); // the dev server has no shell then
  assertStringIncludes(stderr, "there is no bwrap on PATH: install bubblewrap");
  assertStringIncludes(stderr, 'Server "dev" runs under Deno\'s flags alone');
  assertStringIncludes(stderr, 'There is no tool "dev__shell"');
  assertEquals(await exists(join(ground.workspace, "started")), false);
});

Deno.test("a backend that fails here is named with what it said, and nothing runs unconfined (T59)", async () => {
  await using ground = await Ground.make();
  const said = "unshare: unshare failed: Operation not permitted";
  const fake = await ground.write("bin/unshare", `#!/bin/sh\necho "${said}" >&2\nexit 1\n`);
  await Deno.chmod(fake, 0o755);
  const file = await serverFile(ground.root, {
    native: { command: "bash", args: ["-c", "echo started >started"], permissions: {} },
  });
  const { stderr } = await skep(
    ["tools", "--mcp", file],
    { cwd: ground.workspace, env: { SKEP_SANDBOX: "unshare", PATH: join(ground.root, "bin") } },
  );
  assertStringIncludes(stderr, `${fake} failed (${said}): are user namespaces allowed here?`);
  assertEquals(await exists(join(ground.workspace, "started")), false);
});

Deno.test("a backend that the server may write does not confine it", async () => {
  await using ground = await Ground.make();
  const host = denoHost();
  const program = await ground.write("ws/bwrap", "#!/bin/sh\n");
  const confiner = { backend: { name: "bwrap", program }, arch: "x86_64", lifeline: "/x" } as const;
  const context = ground.context(() => Promise.resolve(confiner));
  const error = await assertRejects(() =>
    prepareLaunch({
      name: "s",
      command: "bash",
      args: [],
      env: {},
      permissions: { write: ["${WORKSPACE}"] },
      origin: { kind: "flag", where: "--mcp" },
    }, { ...context, host })
  );
  assertStringIncludes((error as Error).message, `it may write ${program}, which is to confine it`);
});

Deno.test({
  name:
    "landlock: a bound on processes is on those beyond what there is, so that a server still starts some",
  ignore: !BACKENDS.includes("landlock"),
  fn: async () => {
    await using ground = await Ground.make();
    const script = "for each in 1 2 3; do sleep 0 & done; wait; echo started; ulimit -u";
    const most = async (limits: { processes?: number }) => {
      const permissions = { read: ["${WORKSPACE}"], limits, sandbox: "prefer" } as const;
      const { stdout, stderr } = await ground.run("landlock", { script, permissions });
      const [started, bound = ""] = stdout.split("\n");
      assertEquals([started, stderr], ["started", ""]);
      return Number(bound);
    };
    // More than that run on any machine, and a bound there is by default too.
    assertEquals([await most({ processes: 400 }) > 400, await most({}) > 512], [true, true]);
  },
});
