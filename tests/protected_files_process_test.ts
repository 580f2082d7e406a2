// What stays as it is in a workspace that may be written, and what is hidden in one that holds it: in every
// disguise, against the real backends that can hold a file below a folder.
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { isSkepError } from "../lib/errors.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { BACKENDS, Ground, NAMESPACE_BACKENDS, runLaunch } from "./confined.ts";
import { runChild } from "./harness.ts";

const REPOSITORY = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\tbare = false\n",
  ".git/hooks/pre-commit": "#!/bin/sh\n",
  ".git/objects/x": "",
  ".git/refs/x": "",
};

async function makeRepository(ground: Ground, folder = "ws"): Promise<void> {
  for (const [name, text] of Object.entries(REPOSITORY)) {
    await ground.write(join(folder, name), text);
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function namesBelow(folder: string): Promise<string[]> {
  const { stdout } = await runChild("find", ["."], { env: { PATH: "/usr/bin:/bin" }, cwd: folder });
  return stdout.split("\n").sort();
}

for (const backend of NAMESPACE_BACKENDS) {
  for (const name of [".envrc", ".vscode", ".git/hooks"]) {
    Deno.test(`${backend}: a protected ${name} that is a link refuses the start, since it could be replaced`, async () => {
      await using ground = await Ground.make();
      if (name !== ".git/hooks") await makeRepository(ground);
      else await ground.write("ws/.git/HEAD", "ref: refs/heads/main\n");
      await Deno.symlink(ground.home, join(ground.workspace, name));
      const error = await assertRejects(() => ground.run(backend, "true"));
      assertEquals(isSkepError(error, "GRANT_REFUSED"), true);
      assertStringIncludes(
        (error as Error).message,
        `${join(ground.workspace, name)} is a link there`,
      );
    });
  }

  Deno.test(`${backend}: a module's repository that is a link shows nothing of where it leads`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    const head = await ground.write("outside/HEAD", "secret");
    await Deno.mkdir(join(ground.workspace, ".git/modules"));
    await Deno.symlink(join(ground.root, "outside"), join(ground.workspace, ".git/modules/evil"));
    const { stdout } = await ground.run(
      backend,
      "cat .git/modules/evil/HEAD; echo x >.git/modules/evil/planted; echo done",
    );
    assertEquals(stdout, "done\n");
    assertEquals(await Deno.readTextFile(head), "secret");
    assertEquals(await exists(join(ground.root, "outside/planted")), false);
  });

  Deno.test(`${backend}: a grant that names a protected file, or what holds it, does not open it`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    const write = [".git", ".git/hooks", ".git/hooks/pre-commit"]
      .map((name) => `\${WORKSPACE}/${name}`);
    for (const each of write) {
      const { stdout } = await ground.run(backend, {
        script:
          "for f in .git/config .git/hooks/pre-commit .git/hooks/new; do echo x >>$f; done 2>/dev/null; echo done",
        permissions: { read: ["${WORKSPACE}"], write: [each], sandbox: "prefer" },
      });
      assertEquals(stdout, "done\n");
    }
    const config = await Deno.readTextFile(join(ground.workspace, ".git/config"));
    const hook = await Deno.readTextFile(join(ground.workspace, ".git/hooks/pre-commit"));
    assertEquals([config, hook], [REPOSITORY[".git/config"], REPOSITORY[".git/hooks/pre-commit"]]);
    assertEquals(await exists(join(ground.workspace, ".git/hooks/new")), false);
  });

  Deno.test(`${backend}: a workspace below a writable folder keeps its protected files`, async () => {
    await using ground = await Ground.make("projects/ws");
    await makeRepository(ground, "projects/ws");
    const { stdout } = await ground.run(backend, {
      script: `cd ..; echo x >>ws/.git/config; mkdir ws/.vscode ws/.vscode/x; mv ws other
        echo x >beside && ls`,
      permissions: { write: [join(ground.root, "projects")], sandbox: "prefer" },
    });
    assertEquals(stdout, "beside\nws\n");
    const config = await Deno.readTextFile(join(ground.workspace, ".git/config"));
    assertEquals(config, REPOSITORY[".git/config"]);
  });

  Deno.test(`${backend}: a nested repository keeps its hooks and configuration, and is used all the same`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground, "ws/vendor/lib");
    const { stdout } = await ground.run(
      backend,
      `cd vendor/lib; for f in .git/config .git/commondir .git/hooks/pre-commit .git/hooks/new; do
        echo x >>$f && echo "wrote $f"; done 2>/dev/null
      { mv .git other; cd ..; mv lib other; cd ..; mv vendor other; } 2>/dev/null
      cd "$OLDPWD/.."; echo x >vendor/lib/.git/objects/new && echo x >vendor/lib/source && echo done`,
    );
    assertEquals(stdout, "done\n");
    for (const name of [".git/config", ".git/hooks/pre-commit"] as const) {
      const text = await Deno.readTextFile(join(ground.workspace, "vendor/lib", name));
      assertEquals(text, REPOSITORY[name]);
    }
    for (const name of [".git/commondir", ".git/config.worktree", ".git/hooks/new"]) {
      assertEquals(await exists(join(ground.workspace, "vendor/lib", name)), false);
    }
  });

  Deno.test(`${backend}: the end of one server leaves the places of another one held`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    const script = `until [ -e go ]; do sleep 0.02; done
      for f in .vscode/x .husky/x .git/commondir; do echo x >$f && echo "wrote $f"; done 2>/dev/null
      mkdir .vscode .idea 2>/dev/null && echo made; echo done`;
    const first = await ground.launch(backend, { script });
    {
      await using second = await ground.launch(backend, { script });
      const running = runLaunch(second);
      await first[Symbol.asyncDispose]();
      await ground.write("ws/go", "");
      assertEquals((await running).stdout, "done\n");
      assertEquals(await exists(join(ground.workspace, ".vscode")), true);
    }
    for (const name of [".vscode", ".husky", ".envrc", ".git/commondir", ".git/config.worktree"]) {
      assertEquals([name, await exists(join(ground.workspace, name))], [name, false]);
    }
  });

  Deno.test(`${backend}: what a killed runtime left in a workspace is taken over, and goes`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    await Deno.mkdir(join(ground.workspace, ".vscode"), { mode: 0o700 });
    await Deno.writeTextFile(join(ground.workspace, ".git/commondir"), ".\n", { mode: 0o600 });
    const { stdout } = await ground.run(
      backend,
      "mkdir .vscode/x; ls -A . .git; cat .git/commondir",
    );
    assertMatch(stdout, /\.vscode/);
    assertMatch(stdout, /^\.$/m);
    assertEquals(await exists(join(ground.workspace, ".vscode")), false);
    assertEquals(await exists(join(ground.workspace, ".git/commondir")), false);
  });

  Deno.test(`${backend}: a server does not change the script that it is started from (T68)`, async () => {
    await using ground = await Ground.make();
    const script = await ground.write(
      "ws/server.js",
      `const { writeTextFile, rename } = Deno;
      for (const change of [() => writeTextFile("server.js", "evil"), () => rename("server.js", "x")]) {
        await change().then(() => console.log("changed"), () => {});
      }
      await writeTextFile("beside.js", "x").then(() => console.log("done"));`,
    );
    const text = await Deno.readTextFile(script);
    const { stdout, stderr } = await ground.run(backend, {
      command: script,
      permissions: { write: ["${WORKSPACE}"] },
    });
    assertEquals([stdout, await Deno.readTextFile(script)], ["done\n", text], stderr);
  });

  Deno.test(`${backend}: an end leaves nothing in the workspace, and starts side by side do not disturb each other`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    const before = await namesBelow(ground.workspace);
    const script = "mkdir .vscode/x .envrc/x 2>/dev/null && echo made; echo done";
    const ends = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        for (let round = 0; round < index; round++) {
          await (await ground.launch(backend, { script }))[Symbol.asyncDispose]();
        }
        return await ground.run(backend, script);
      }),
    );
    assertEquals(ends.map(({ stdout }) => stdout), Array(6).fill("done\n"));
    assertEquals(await namesBelow(ground.workspace), before);
    await denoHost().sleep(1000); // the cleaners find their places gone
    assertEquals(await namesBelow(ground.workspace), before);
  });

  Deno.test({
    name: `${backend}: a workspace that its user may not write starts`,
    ignore: Deno.uid() === 0, // who may write everything
    fn: async () => {
      await using ground = await Ground.make();
      await Deno.chmod(ground.workspace, 0o555);
      const { stdout } = await ground.run(backend, "mkdir .vscode 2>/dev/null; echo done");
      assertEquals(stdout, "done\n");
    },
  });

  Deno.test(`${backend}: what is hidden below a workspace can be neither read, written nor moved (T56)`, async () => {
    await using ground = await Ground.make("home");
    await ground.write("home/.ssh/id", "secret");
    await ground.write("home/.config/gh/hosts.yml", "secret");
    const script = `cat .ssh/id .config/gh/hosts.yml
      echo x >.ssh/new && echo wrote; mkdir .aws 2>/dev/null && echo x >.aws/credentials && echo wrote
      mv .config other && echo moved; mv .ssh other && echo moved; rm -r .ssh && echo removed
      echo x >ordinary; ls`;
    const { stdout } = await ground.run(backend, script);
    assertEquals(stdout, "ordinary\n");
    assertEquals(await Deno.readTextFile(join(ground.home, ".ssh/id")), "secret");
    assertEquals(await exists(join(ground.home, ".ssh/new")), false);
    assertEquals(await exists(join(ground.home, ".aws/credentials")), false);
  });

  Deno.test(`${backend}: the private folders of other servers are hidden in a workspace that holds them`, async () => {
    await using ground = await Ground.make("home");
    ground.temporary = join(ground.home, "tmp");
    await ground.write("home/tmp/skep-other/tmp/secret", "secret");
    const { stdout } = await ground.run(
      backend,
      'cat tmp/skep-other/tmp/secret; ls tmp | wc -l; echo x >"$TMPDIR/own" && cat "$TMPDIR/own"',
    );
    assertEquals(stdout, "1\nx\n");
  });
}

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test(`${backend}: what the settings of a repository name is held, and repositories beside the workspace`, async () => {
    await using ground = await Ground.make();
    await makeRepository(ground);
    const config = "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../more.inc\n";
    await ground.write("ws/.git/config", config);
    await ground.write("ws/.githooks/pre-commit", "");
    await ground.write("ws/.npmrc", "");
    await makeRepository(ground, "beside");
    const beside = join(ground.root, "beside");
    const { stdout } = await ground.run(backend, {
      script: `for f in .githooks/pre-commit .githooks/new more.inc .npmrc ../beside/.git/config \
        ../beside/.git/hooks/new ../beside/.envrc; do echo x >>$f && echo "wrote $f"; done 2>/dev/null
        echo x >ordinary; echo x >../beside/ordinary; ls ordinary ../beside/ordinary`,
      permissions: { write: ["${WORKSPACE}", beside], sandbox: "prefer" },
    });
    assertEquals(stdout, "../beside/ordinary\nordinary\n");
    assertEquals(await exists(join(ground.workspace, "more.inc")), false);
    assertEquals(await exists(join(beside, ".vscode")), false);
  });
}

for (const backend of BACKENDS) {
  Deno.test(`${backend}: a server that may write the program it is started from is refused (T68)`, async () => {
    await using ground = await Ground.make();
    const program = await ground.write("ws/server", "#!/bin/sh\necho ran\n");
    await Deno.chmod(program, 0o755);
    const spec = { command: program, args: [] };
    const error = await assertRejects(() => ground.run(backend, spec));
    assertEquals(
      (error as Error).message,
      `Cannot start server "confined": it may write ${ground.workspace}, and so the program ${program} that ` +
        "it is started from. Start it from elsewhere, or let it write less",
    );
    const permissions = { read: ["${WORKSPACE}"], sandbox: "prefer" as const };
    assertEquals((await ground.run(backend, { ...spec, permissions })).stdout, "ran\n");
  });

  Deno.test(`${backend}: a repository that a server made runs nothing of its with the person's next git status`, async () => {
    await using ground = await Ground.make();
    const lines: string[] = [];
    ground.progress = (line) => void lines.push(line);
    const flag = join(ground.root, "ran");
    const evil = `git init -q sub && git -C sub config core.fsmonitor 'touch ${flag}; false'
      git init -q --bare bare && git -C bare config core.fsmonitor 'touch ${flag}; false'
      git init -q fine`;
    const { code, stderr } = await ground.run(backend, evil);
    assertEquals([code, stderr], [0, ""]);
    for (const folder of ["sub", "bare", "fine"]) {
      const cwd = join(ground.workspace, folder);
      await runChild("git", ["status"], { env: { HOME: ground.home, PATH: "/usr/bin" }, cwd });
    }
    assertEquals(await exists(flag), false);
    const told = ["bare/config", "sub/.git/config"].map((name) => join(ground.workspace, name));
    assertEquals(
      lines.filter((line) => line.startsWith("Server")),
      told.map((path) =>
        `Server "confined" left ${path}, which can run programs (core.fsmonitor = touch ${flag}; false). ` +
        `It is set aside as ${path}.set-aside: look at it before you put it back`
      ),
    );
    assertEquals(await exists(join(ground.workspace, "fine/.git/config")), true);
  });
}
