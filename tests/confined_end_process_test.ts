// How what is confined ends: with the runtime however that ends, not with one of its threads, never
// others along with it; and what becomes of a server that takes too much.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { denoDir } from "../lib/host/deno_binary.ts";
import { denoHost } from "../lib/host/deno_host.ts";
import { type Lifeline, openLifeline } from "../lib/host/lifeline.ts";
import { confinerFinder } from "../lib/cli/find_confiner.ts";
import { prepareLaunch } from "../lib/sandbox/launch.ts";
import type { ServerSpec } from "../lib/sandbox/spec.ts";
import { outerScript } from "../lib/sandbox/wrapper.ts";
import { BACKENDS, Ground, NAMESPACE_BACKENDS } from "./confined.ts";
import { startFakes, textOf } from "./fake_servers.ts";
import {
  alive,
  childEnv,
  fromRepo,
  PATIENCE_MS,
  runChild,
  serverFile,
  skepCommand,
  startSkep,
  waitForEnd,
} from "./harness.ts";
import { CAN_BE_ANOTHER, ordinaryUser, thisUser } from "./other_user.ts";

/** Process ids whose command line has a text in it. */
async function pidsOf(text: string): Promise<number[]> {
  const { stdout } = await runChild("/bin/ps", ["-e", "-o", "pid=,args="], {});
  return stdout.split("\n").filter((line) => line.includes(text) && !line.includes("/bin/ps"))
    .map((line) => parseInt(line, 10));
}

async function until<T>(look: () => Promise<T | undefined | false>, ms = PATIENCE_MS): Promise<T> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It does not come to hold within ${ms} ms: ${look}`);
}

/** Every file below a folder that has a text in it. */
async function filesWith(text: string, folder: string): Promise<string[]> {
  const { stdout } = await runChild("/bin/grep", ["-rlsF", "-e", text, folder], {});
  return stdout.split("\n").filter((line) => line !== "");
}

/** A duration that no other process of the machine sleeps. */
const unique = () => `${300 + Math.random()}`;

for (const backend of BACKENDS) {
  Deno.test(`${backend}: a SIGKILL of the runtime leaves nothing, and no file of a server's (T02, T90)`, async () => {
    await using ground = await Ground.make();
    const temporary = join(ground.root, "tmp");
    await Deno.mkdir(temporary);
    const [stubborn, detached] = [unique(), unique()];
    const leaves = backend === "landlock" ? "" : `setsid sleep ${detached} & `;
    const file = await serverFile(ground.root, {
      native: {
        command: "bash",
        args: ["-c", `${leaves}trap '' TERM HUP; sleep ${stubborn}; sleep ${stubborn}`],
        permissions: { secrets: { TOKEN: "env:SKEP_TEST_SECRET" }, sandbox: "prefer" },
      },
    });
    const secret = `secret-${crypto.randomUUID()}`;
    await using running = await startSkep(["tools", "--sandbox", backend, "--mcp", file], {
      cwd: ground.workspace,
      env: { TMPDIR: temporary, SKEP_TEST_SECRET: secret },
    });
    const marks = leaves === "" ? [stubborn] : [stubborn, detached];
    const seen = async () =>
      (await Promise.all(marks.map((each) => pidsOf(`sleep ${each}`)))).flat();
    const pids = await until(async () => {
      const found = await seen();
      // The shipped default's server is not on its way any more, either.
      const isStarted = (await pidsOf(`--allow-write=.,${temporary}/skep-`)).length > 0;
      return isStarted && found.length >= marks.length && found;
    });
    assertEquals(await filesWith(secret, ground.root), [], "while it runs");
    running.signal("SIGKILL");
    assertEquals(await waitForEnd(pids), []);
    assertEquals(await filesWith(secret, ground.root), [], "after its end");
    let left: string[] = [];
    await until(async () => {
      const { stdout } = await runChild("/usr/bin/find", [temporary, ground.workspace], {});
      left = stdout.split("\n").filter((line) =>
        line.startsWith(`${temporary}/skep-`) || line.includes("/ws/")
      );
      return left.length === 0;
    }).catch(() => {}); // said below
    assertEquals(left, []);
  });

  Deno.test(`${backend}: a server does not end with the thread that started it (T03)`, async () => {
    await using ground = await Ground.make();
    const mark = unique();
    await using launch = await ground.launch(backend, { script: `sleep ${mark}; true` });
    const worker = new Worker(new URL("./fixtures/spawn_worker.ts", import.meta.url), {
      type: "module",
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(launch.command);
    const group = await promise;
    const [pid = 0] = await until(async () => {
      const found = await pidsOf(`sleep ${mark}`);
      return found.length > 0 && found;
    });
    worker.terminate();
    await new Promise((resolve) => setTimeout(resolve, 1500)); // its thread is gone by then
    assertEquals(await alive([pid]), [pid]);
    Deno.kill(-group, "SIGKILL");
    assertEquals(await waitForEnd(await pidsOf(`sleep ${mark}`)), []);
  });

  Deno.test({
    name: `${backend}: a command that kills whatever it can reaches no process outside (T19)`,
    // Where it got through as root, the machine would be gone.
    ignore: !CAN_BE_ANOTHER && backend === "landlock",
    fn: async () => {
      await using user = await (CAN_BE_ANOTHER ? ordinaryUser : thisUser)(denoDir(denoHost()));
      const [first = "/usr/bin/env", ...before] = [...user.before, "/usr/bin/env"];
      const victim = new Deno.Command(first, { args: [...before, "sleep", "30"] }).spawn();
      const [program, args] = skepCommand([
        ...["call", "--sandbox", backend, "--cwd", user.folder],
        ...["dev__shell", '{"command": "kill -9 -1; kill -9 0"}'],
      ]);
      const env = childEnv(user.folder, {
        DENO_DIR: user.denoDir,
        PATH: "/usr/bin:/bin",
        TMPDIR: "/tmp",
      });
      const all = [...before, program, ...args];
      const { code, stderr } = await runChild(first, all, { env, cwd: "/" });
      assert(code < 128, `the runtime ended with code ${code}: ${stderr}`);
      assertEquals(await alive([victim.pid]), [victim.pid]);
      victim.kill("SIGKILL");
      await victim.status;
    },
  });
}

for (const backend of NAMESPACE_BACKENDS) {
  Deno.test(`${backend}: a server that starts processes without end comes to its limit`, async () => {
    await using ground = await Ground.make();
    const spec = {
      command: "sh",
      args: ["-c", "i=0; while [ $i -lt 300 ]; do sleep 3 & i=$((i+1)); echo $i; done"],
      permissions: { limits: { processes: 40 }, sandbox: "prefer" as const },
    };
    await using launch = await ground.launch(backend, spec);
    if (launch.notices.join().includes("processes is not enforced")) return; // root without control groups
    const { stdout } = await ground.run(backend, spec);
    const count = Number(stdout.trim().split("\n").at(-1));
    assert(count >= 5 && count <= 40, `${count} processes`);
  });

  Deno.test(`${backend}: private files in memory have an end, and so has one file`, async () => {
    await using ground = await Ground.make();
    const { stdout } = await ground.run(backend, {
      script: `for f in /tmp/big /dev/shm/big "$TMPDIR/big"; do
          head -c 400M /dev/zero >"$f"; stat -c %s "$f"; rm "$f"
        done 2>/dev/null`,
      permissions: { limits: { file_mb: 300 }, sandbox: "prefer" },
    });
    const sizes = stdout.trim().split("\n").map((line) => Number(line) / 1024 / 1024);
    assertEquals(sizes.length, 3);
    assert(sizes[0]! <= 256 && sizes[1]! <= 256, `${sizes}`);
    assertEquals(sizes[2], 300);
  });

  Deno.test(`${backend}: a server that aborts, as V8 does that is refused memory, is told of its limit (T66)`, async () => {
    await using ground = await Ground.make();
    const script = "bash -c 'kill -ABRT $$'; exit $?";
    const limited = { limits: { memory_mb: 700 }, sandbox: "prefer" as const };
    const { code, stderr } = await ground.run(backend, { script, permissions: limited });
    assertEquals(code, 134);
    assertMatch(
      stderr,
      /^skep: it broke off, as programs do that need more than its memory limit of 700 MiB\n$/m,
    );
  });

  Deno.test(`${backend}: a server that allocates 4 GB is stopped or refused, and others live (T66)`, async () => {
    await using ground = await Ground.make();
    const hog = await ground.write("hog/hog.ts", HOG);
    const spec = (name: string): ServerSpec => ({
      name,
      command: hog,
      args: [],
      env: {},
      permissions: { limits: { memory_mb: 700 }, sandbox: "prefer" },
      origin: { kind: "flag", where: "--mcp" },
    });
    await using finder = confinerFinder(backend, fromRepo("."), denoHost());
    const context = ground.context(() => finder.find());
    await using session = await startFakes([], {}, {
      specs: [spec("hog"), spec("other")],
      prepare: (each) => prepareLaunch(each, context),
    });
    assertEquals(textOf(await session.call("other__allocate", { mb: 1 })), "allocated 1 MB");
    const result = await session.call("hog__allocate", { mb: 4096 });
    assertEquals(result.isError, true);
    assertMatch(textOf(result), /Array buffer allocation failed|exited|ended|killed|SIGKILL/);
    assertEquals(textOf(await session.call("other__allocate", { mb: 1 })), "allocated 1 MB");
  });
}

/** A server with one tool, that allocates and fills what it is asked to. */
const HOG = `
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
const held = [];
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const text = (text, isError) => ({ content: [{ type: "text", text }], isError });
let rest = "";
for await (const part of lines) {
  const whole = (rest + part).split("\\n");
  rest = whole.pop();
  for (const { id, method, params } of whole.filter((line) => line !== "").map((line) => JSON.parse(line))) {
    if (method === "initialize") {
      const { protocolVersion } = params;
      const serverInfo = { name: "hog", version: "1" };
      send(id, { protocolVersion, serverInfo, capabilities: { tools: {} } });
    } else if (method === "tools/list") {
      send(id, { tools: [{ name: "allocate", inputSchema: { type: "object" } }] });
    } else if (method === "tools/call") {
      try {
        for (let mb = 0; mb < params.arguments.mb; mb++) held.push(new Uint8Array(1024 * 1024).fill(1));
        send(id, text(\`allocated \${params.arguments.mb} MB\`, false));
      } catch (error) {
        held.length = 0;
        send(id, text(error.message, true));
      }
    } else if (id !== undefined) send(id, {});
  }
}
`;

Deno.test({
  name:
    "memory that processes take together ends a server where no control group bounds it, and says why (T66)",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using ground = await Ground.make();
    await using lifeline = await openLine();
    // As where no control group can be made.
    const outer = outerScript({ memory_mb: 512 }, []).replaceAll(/^join .*$/gm, "");
    const filter = await ground.write("filter", "");
    const run = (program: string) =>
      runChild("/bin/sh", ["-c", outer, "sh", lifeline.path, filter, ground.root, ...[
        "/bin/sh",
        "-c",
        program,
      ]], { env: { PATH: "/usr/bin:/bin" } });
    const take = `${Deno.execPath()} eval 'const taken = new Uint8Array(1.5e8).fill(1);
      setTimeout(() => console.log(taken.length), 600_000)' &`;
    const many = await run(`${take.repeat(5)} wait; echo survived`);
    assertEquals([many.code, many.stdout], [137, ""]);
    assertMatch(
      many.stderr,
      /^skep: it was ended, since its memory limit of 512 MiB was used up$/m,
    );
    const few = await run("sleep 0.5; echo fine");
    assertEquals(few, { code: 0, stdout: "fine\n", stderr: "" });
  },
});

async function openLine(): Promise<Lifeline & AsyncDisposable> {
  const line = await openLifeline();
  return { ...line, [Symbol.asyncDispose]: () => line.close() };
}
