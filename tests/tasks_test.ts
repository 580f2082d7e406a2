// The task file: what it says is what the code says, and its tasks work from any folder.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { taskFlags } from "../lib/sandbox/task_flags.ts";
import { testGrant } from "../lib/sandbox/test_grant.ts";
import { testContext } from "../lib/sandbox/test_world.ts";
import { VERSION } from "../lib/version.ts";
import { childEnv, type Ended, fromRepo, runChild, Running, tempFolder } from "./harness.ts";

interface Task {
  readonly description: string;
  readonly command: string;
}

const CONFIG = JSON.parse(Deno.readTextFileSync(fromRepo("deno.json")));
const TASKS: Readonly<Record<string, Task>> = CONFIG.tasks;

Deno.test("the version is the same in deno.json and in the program", () => {
  assertEquals(CONFIG.version, VERSION);
});

Deno.test("every task says what it is for, names files that exist, and grants nothing whole but what it must", async () => {
  for (const [name, { description, command }] of Object.entries(TASKS)) {
    assert(description !== "" && command !== "", `task ${name}`);
    assert(!/\s(-A|--allow-all|--allow-ffi)\b/.test(command), `task ${name} grants everything`);
    for (const [path] of command.matchAll(/\b(tools|tests|lib)\/[\w/]+\.ts\b|\bcli\.ts\b/g)) {
      await Deno.stat(fromRepo(path));
    }
  }
});

Deno.test("the tasks that run skep differ in skep's own arguments alone", () => {
  const beforeProgram = (name: string) => TASKS[name]!.command.split(" cli.ts")[0];
  for (const name of ["start", "acp", "audit"]) {
    assertEquals(beforeProgram(name), beforeProgram("skep"));
  }
});

for (const name of ["dev", "bridge"]) {
  Deno.test(`server:${name} has exactly the flags of its server's default grant`, async () => {
    await checkServerTask(name);
  });
}

async function checkServerTask(name: string): Promise<void> {
  // The grant as it is declared: what runs programs is held by the system, not by flags.
  const env: Record<string, string> = name === "bridge" ? { BRIDGE_URL: "https://skep-host/" } : {};
  const { grant } = await testGrant(
    { name, command: "skep", args: ["mcp", name], env },
    testContext({}, { sandbox: "off" }),
  );
  const words = TASKS[`server:${name}`]!.command.match(/"[^"]*"|[^\s;]+/g)!;
  const deno = words.indexOf("deno");
  const main = words.indexOf(`"$SKEP_ROOT/tools/${name}/main.ts"`);
  const given = words.slice(deno + 1, main);
  const isPermission = (word: string) => /^"?--(allow|deny|ignore)-/.test(word);
  const flags = taskFlags(grant, { os: "linux" }).map((flag) =>
    flag === "--allow-net=skep-host:443" ? '"--allow-net=$BRIDGE_HOST"' : flag
  );
  assertEquals(given.filter(isPermission), flags);
  assertEquals(given.filter((word) => !isPermission(word)), [
    "run",
    "--no-prompt",
    "--no-remote",
    "--cached-only",
    '"--lock=$SKEP_ROOT/deno.lock"',
    "--frozen",
  ]);
}

/** What `deno task` runs with in a folder of its own. */
function taskLine(name: string, args: readonly string[]): string[] {
  return ["task", "-q", "--config", fromRepo("deno.json"), name, ...args];
}

async function task(name: string, args: readonly string[], cwd: string): Promise<Ended> {
  await using home = await tempFolder();
  const env = childEnv(home.path);
  return await runChild(Deno.execPath(), taskLine(name, args), { cwd, env });
}

Deno.test("deno task start answers in the folder that it is called from, whatever its name", async () => {
  await using folder = await tempFolder();
  const cwd = join(folder.path, "a b --allow-run");
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(join(cwd, "a.txt"), "hello\n");
  const { code, stdout } = await task("start", ["-p", "/dev__read_file path=a.txt"], cwd);
  assertEquals([code, stdout], [0, "a.txt (lines 1-1 of 1)\n1:hello\n"]);
});

Deno.test("deno task skep passes arguments and exit codes on", async () => {
  await using folder = await tempFolder();
  const version = await task("skep", ["--version"], folder.path);
  assertEquals([version.code, version.stdout], [0, `skep ${VERSION}\n`]);
  const args = ["call", "dev__read_file", '{"path":"/etc/passwd"}', "--cwd", folder.path];
  assertEquals((await task("skep", args, folder.path)).code, 3);
});

Deno.test("deno task audit shows the grants for the folder that it is called from", async () => {
  await using folder = await tempFolder();
  const { code, stdout } = await task("audit", ["--json"], folder.path);
  assertEquals(code, 0);
  const audits = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const dev = audits.find(({ server }) => server === "dev");
  assertEquals(dev.cwd, folder.path);
});

Deno.test("deno task acp is an agent on stdio", async () => {
  await using folder = await tempFolder();
  const env = childEnv(folder.path);
  await using running = new Running(Deno.execPath(), taskLine("acp", []), {
    cwd: folder.path,
    env,
  });
  const params = { protocolVersion: 1 };
  await running.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`,
  );
  await running.until(({ stdout }) => stdout.includes("\n"));
  assertEquals(JSON.parse(running.stdout).result.agentInfo.version, VERSION);
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});

Deno.test("deno task server:dev serves the file tools over MCP, and nothing outside the folder", async () => {
  await using folder = await tempFolder();
  await using home = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "a.txt"), "hello\n");
  const options = { cwd: folder.path, env: childEnv(home.path) };
  await using running = new Running(Deno.execPath(), taskLine("server:dev", []), options);
  const ask = async (id: number, method: string, params: unknown) => {
    await running.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const answers = () => running.stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    await running.until(() => answers().some((answer) => answer.id === id));
    return answers().find((answer) => answer.id === id).result;
  };
  const call = async (id: number, name: string, args: unknown) => {
    const { content } = await ask(id, "tools/call", { name, arguments: args });
    return content[0].text;
  };
  const read = (id: number, path: string) => call(id, "read_file", { path });
  await ask(1, "initialize", { protocolVersion: "2025-06-18" });
  const { tools } = await ask(2, "tools/list", {});
  const names: string[] = tools.map(({ name }: { name: string }) => name);
  assert(names.includes("read_file") && names.includes("write_file"), names.join());
  assert(!names.includes("shell"), "nothing confines it: no shell");
  assertStringIncludes(await read(3, "a.txt"), "1:hello");
  assertStringIncludes(await read(4, "/etc/passwd"), "denied");
  await call(5, "write_file", { path: "~/b.txt", content: "mine\n" });
  assertStringIncludes(await read(6, "~/b.txt"), "1:mine");
  assertEquals(await Array.fromAsync(Deno.readDir(home.path), ({ name }) => name), []);
  await running.closeStdin();
  await running.ended;
  // The version of Deno was once taken for the name of its cache, and that cache made here.
  assertEquals(await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name), ["a.txt"]);
});

Deno.test("deno task install writes a start script that works in any folder", async () => {
  await using folder = await tempFolder();
  const home = join(folder.path, "home of mine");
  await Deno.mkdir(home);
  const env = childEnv(home);
  const installed = await runChild(Deno.execPath(), taskLine("install", []), { cwd: home, env });
  const script = join(home, ".local", "bin", "skep");
  assertEquals([installed.code, installed.stdout.split("\n")[0]], [
    0,
    `Wrote ${script}, which runs ${dirname(fromRepo("cli.ts"))}`,
  ]);
  assertMatch(installed.stdout, /^Add .* to PATH/m);
  const version = await runChild(script, ["--version"], { cwd: folder.path, env });
  assertEquals(version, { code: 0, stdout: `skep ${VERSION}\n`, stderr: "" });
  // Deno may have moved since: then the one on PATH serves.
  const text = await Deno.readTextFile(script);
  await Deno.writeTextFile(script, text.replace(Deno.execPath(), "/no/such/deno"));
  const path = `${dirname(Deno.execPath())}:${env.PATH}`;
  const moved = await runChild(script, ["--version"], { cwd: home, env: { ...env, PATH: path } });
  assertEquals(moved.stdout, `skep ${VERSION}\n`);
});
