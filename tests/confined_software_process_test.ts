// Real software behind the backends that make a world of its own: what people do in a workspace works,
// and so do the servers that everybody uses.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { confinerFinder } from "../lib/cli/find_confiner.ts";
import { isSkepError } from "../lib/errors.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import type { BackendName } from "../lib/sandbox/backend.ts";
import { prepareLaunch } from "../lib/sandbox/launch.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { Ground, NAMESPACE_BACKENDS } from "./confined.ts";
import { listed, type Started, startFakes, textOf } from "./fake_servers.ts";
import { fromRepo, runChild } from "./harness.ts";

const VERSION = "2026.8.31";

/** True when a program runs at all, outside. */
async function has(program: string): Promise<boolean> {
  const { code } = await runChild("/bin/sh", ["-c", `command -v ${program}`], {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  return code === 0;
}

const [HAS_GIT, HAS_GCC, HAS_NODE, HAS_PYTHON] = await Promise.all(
  ["git", "gcc", "node", "python3"].map(has),
);

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test({
    name: `${backend}: git makes a repository, commits, branches, and clones it`,
    ignore: !HAS_GIT,
    fn: async () => {
      await using ground = await Ground.make();
      const { code, stdout, stderr } = await ground.run(
        backend,
        `set -e
        export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
        git init -q -b main repo && cd repo && echo one >file && git add file && git commit -q -m first
        git switch -q -c topic && echo two >file && git commit -qam second
        cd .. && git clone -q repo copy && git -C copy log --format=%s`,
      );
      assertEquals([code, stdout], [0, "second\nfirst\n"], stderr);
    },
  });

  Deno.test({
    name:
      `${backend}: git commits and branches in a repository whose protected files it cannot change`,
    ignore: !HAS_GIT,
    fn: async () => {
      await using ground = await Ground.make();
      const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
      const git = (...args: string[]) =>
        runChild("/usr/bin/env", ["git", "-C", ground.workspace, ...identity, ...args], {
          env: { PATH: Deno.env.get("PATH") ?? "", HOME: ground.home },
        });
      await git("init", "-q", "-b", "main");
      await git("commit", "-q", "--allow-empty", "-m", "first");
      const { stdout, stderr } = await ground.run(
        backend,
        `export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
        git switch -q -c topic && echo x >x && git add x && git commit -q -m second && git gc -q
        git worktree add -q ../wt 2>/dev/null; git stash list; git status --short
        git config core.fsmonitor evil || echo refused; git log --format=%s`,
      );
      assertEquals(stdout, "refused\nsecond\nfirst\n", stderr);
      assertEquals((await git("log", "--format=%s", "topic")).stdout, "second\nfirst\n");
      assertEquals((await git("status", "--short")).stdout, "");
      assertEquals((await git("config", "core.fsmonitor")).stdout, "");
    },
  });

  Deno.test({
    name: `${backend}: a compiler compiles, and its program runs`,
    ignore: !HAS_GCC,
    fn: async () => {
      await using ground = await Ground.make();
      await ground.write("ws/a.c", '#include <stdio.h>\nint main(void) { puts("compiled"); }\n');
      const { stdout, stderr } = await ground.run(backend, "gcc -O1 -o a a.c && ./a");
      assertEquals(stdout, "compiled\n", stderr);
    },
  });

  Deno.test({
    name: `${backend}: node serves and asks itself over its own loopback`,
    ignore: !HAS_NODE,
    fn: async () => {
      await using ground = await Ground.make();
      await ground.write(
        "ws/a.mjs",
        `import { createServer } from "node:http";
        const server = createServer((_, response) => response.end("served")).listen(0, "127.0.0.1");
        await new Promise((resolve) => server.on("listening", resolve));
        const answer = await fetch("http://127.0.0.1:" + server.address().port);
        console.log(await answer.text());
        server.close();`,
      );
      const { stdout, stderr } = await ground.run(backend, "node a.mjs");
      assertEquals(stdout, "served\n", stderr);
    },
  });

  Deno.test({
    name: `${backend}: python works with several processes and shared memory`,
    ignore: !HAS_PYTHON,
    fn: async () => {
      await using ground = await Ground.make();
      await ground.write(
        "ws/a.py",
        `from multiprocessing import Lock, Pool, Value, shared_memory
total, lock = Value("i", 0), Lock()
def add(number):
    with lock:
        total.value += number
    return number * number
if __name__ == "__main__":
    memory = shared_memory.SharedMemory(create=True, size=8)
    memory.close(); memory.unlink()
    with Pool(2) as pool:
        print(sum(pool.map(add, range(10))), total.value)
`,
      );
      const { stdout, stderr } = await ground.run(backend, "python3 a.py");
      assertEquals(stdout, "285 45\n", stderr);
    },
  });

  Deno.test(`${backend}: the reference servers list their tools and answer a call`, async () => {
    await using ground = await Ground.make();
    await ground.write("ws/a.txt", "from the workspace");
    await using finder = confinerFinder(backend, fromRepo("."), denoHost());
    const context = ground.context(() => finder.find());
    const specs = [
      npmServer("filesystem", [ground.workspace]),
      npmServer("memory", [], { MEMORY_FILE_PATH: join(ground.workspace, "memory.json") }),
      npmServer("everything", []),
      npmServer("sequential-thinking", []),
    ];
    let isUnreachable = false;
    await using session = await startFakes([], {}, {
      specs,
      prepare: (spec) =>
        prepareLaunch(spec, context).catch((error) => {
          isUnreachable ||= isSkepError(error, "PACKAGE_FETCH_FAILED");
          throw error;
        }),
    });
    if (isUnreachable) return; // no registry, and nothing in the cache
    await holdReferenceServers(session, backend, ground);
  });
}

function npmServer(
  name: string,
  args: string[],
  env: Readonly<Record<string, string>> = {},
): ServerSpec {
  return {
    name,
    command: "npx",
    args: ["-y", `@modelcontextprotocol/server-${name}@${VERSION}`, ...args],
    env,
    origin: { kind: "flag", where: "--mcp" },
  };
}

async function holdReferenceServers(
  session: Started,
  backend: BackendName,
  ground: Ground,
): Promise<void> {
  assertEquals(session.notices, []);
  const states = session.registry.servers().map(({ name, state }) => [name, state]);
  assertEquals(states, [
    ["filesystem", "healthy"],
    ["memory", "healthy"],
    ["everything", "healthy"],
    ["sequential-thinking", "healthy"],
  ], backend);
  const call = async (tool: string, args: Record<string, unknown>) => {
    const name = listed(session).find((each) => each.endsWith(`__${tool}`)) ?? tool;
    return textOf(await session.call(name, args));
  };
  const path = join(ground.workspace, "a.txt");
  assertStringIncludes(await call("read_text_file", { path }), "from the workspace");
  const entities = [{ name: "n", entityType: "t", observations: ["o"] }];
  assertStringIncludes(await call("create_entities", { entities }), '"n"');
  assertStringIncludes(await call("echo", { message: "hi" }), "hi");
  const thought = { thought: "x", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  assertMatch(await call("sequentialthinking", thought), /"thoughtNumber":\s*1/);
}
