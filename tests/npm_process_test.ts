// What needs the npm registry: a server from npm behind its grant, and a client of ACP that others wrote.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { childEnv, runChild, serverFile, skep, skepCommand, tempFolder } from "./harness.ts";

const SERVER = "@modelcontextprotocol/server-filesystem@2026.8.31";
const CLIENT = "acpx@0.19.1";

/** What npm runs with: the settings and the cache of whoever runs the tests. */
function npmEnv(home: string): Record<string, string> {
  const own = Deno.env.get("HOME") ?? home;
  return {
    ...childEnv(home),
    npm_config_userconfig: join(own, ".npmrc"),
    npm_config_cache: join(own, ".npm"),
  };
}

/** Why the registry cannot be asked; undefined when it answers. */
async function registryProblem(): Promise<string | undefined> {
  await using home = await tempFolder();
  try {
    const args = ["view", CLIENT, "version", "--fetch-retries=0", "--fetch-timeout=10000"];
    const { code, stderr } = await runChild("npm", args, {
      cwd: home.path,
      env: npmEnv(home.path),
    });
    return code === 0 ? undefined : stderr.split("\n")[0];
  } catch (error) {
    return String(error); // there is no npm
  }
}

/** True where something confines servers well enough for code of others. */
async function canConfine(): Promise<boolean> {
  const { stdout } = await skep(["doctor", "--json"]);
  const findings = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  return findings.some(({ about, state }) =>
    ["bwrap", "unshare", "seatbelt"].includes(about) && state === "ok"
  );
}

const problem = await registryProblem();
const ignore = problem !== undefined;
/** Code of others asks for confinement, which not every machine has. */
const SANDBOX = ignore || await canConfine() ? [] : ["--sandbox", "off"];
if (ignore) {
  const line = `The tests of npm packages are skipped: the registry does not answer (${problem})\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(line));
}

Deno.test({
  name:
    "a server of npm in Claude desktop's form runs as deno run npm: under its grant, and a second time with nothing fetched",
  ignore,
  fn: async () => {
    await using folder = await tempFolder();
    await using work = await tempFolder();
    await Deno.writeTextFile(join(work.path, "a.txt"), "hello from npm\n");
    const file = await serverFile(folder.path, {
      files: { command: "npx", args: ["-y", SERVER, work.path] },
    });
    const common = ["--mcp", file, "--cwd", work.path, ...SANDBOX];
    const options = { env: { SKEP_STATE_DIR: join(folder.path, "state") } };
    const read = (
      path: string,
    ) => ["call", "files__read_text_file", JSON.stringify({ path }), ...common];
    const inside = join(work.path, "a.txt");
    const first = await skep(read(inside), options);
    assertEquals([first.code, first.stdout.split("\n")[0]], [0, "hello from npm"]);
    assertStringIncludes(first.stderr, `Fetching npm:${SERVER} for server "files"`);
    const second = await skep([...read(inside), "--offline"], options);
    assertEquals([second.code, second.stdout], [0, first.stdout]);
    assert(!second.stderr.includes("Fetching"), second.stderr);
    const outside = await skep([...read("/etc/passwd"), "--offline"], options);
    assert(outside.code === 2 || outside.code === 3, `exit ${outside.code}`);
    assertEquals(outside.stdout, "");

    const audit = await skep(["audit", "files", "--json", "--offline", ...common], options);
    const { command } = JSON.parse(audit.stdout);
    const flags = command.slice(command.indexOf("run"));
    assert(flags.includes(`npm:${SERVER}`) && flags.includes("--cached-only"), flags.join(" "));
    assert(
      !flags.some((flag: string) => /^(-A|--allow-(all|net|run|ffi))/.test(flag)),
      flags.join(" "),
    );
    assert(flags.some((flag: string) => flag.startsWith("--allow-write=")), flags.join(" "));
  },
});

Deno.test({
  name:
    "a version that does not exist is one line that names package and server, and the others live",
  ignore,
  fn: async () => {
    await using folder = await tempFolder();
    const [name] = SERVER.split("@2026");
    const file = await serverFile(folder.path, {
      ghost: { command: "npx", args: ["-y", `${name}@99.0.0`, "."] },
    });
    const { code, stdout, stderr } = await skep(["tools", "--mcp", file, ...SANDBOX]);
    assertEquals(code, 2);
    assertMatch(stdout, /^dev__read_file /m);
    const lines = stderr.split("\n").filter((line) => line.startsWith('Server "ghost"'));
    assertEquals(lines.length, 1);
    assertMatch(lines[0]!, new RegExp(`the npm registry has no ${name}@99\\.0\\.0$`));
  },
});

Deno.test({
  name: "nothing is fetched offline: a package that is not there is one line",
  ignore,
  fn: async () => {
    await using folder = await tempFolder();
    const file = await serverFile(folder.path, {
      files: { command: "npx", args: ["-y", SERVER, "."] },
    });
    const { code, stderr } = await skep(["tools", "--mcp", file, "--offline", ...SANDBOX]);
    assertEquals(code, 2);
    assertMatch(
      stderr,
      /^Server "files" is not started: Cannot fetch .*: nothing is fetched offline$/m,
    );
  },
});

Deno.test({
  name: "a client of ACP that others wrote completes a prompt with a call",
  ignore,
  fn: async () => {
    await using home = await tempFolder();
    await using work = await tempFolder();
    await Deno.writeTextFile(join(work.path, "a.txt"), "hello acp\n");
    const [program, args] = skepCommand(["acp"]);
    const agent = join(home.path, "agent");
    const words = [program, ...args].map((word) => `'${word}'`).join(" ");
    await Deno.writeTextFile(agent, `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
    const line = ["-y", CLIENT, "--agent", agent, "--cwd", work.path, "--format", "json", "exec"];
    const prompt = "/dev__read_file path=a.txt";
    const options = { cwd: work.path, env: npmEnv(home.path) };
    const { code, stdout, stderr } = await runChild("npx", [...line, prompt], options);
    assertEquals([code, code === 0 ? "" : stderr], [0, ""]);
    const messages = stdout.trimEnd().split("\n").map((each) => JSON.parse(each));
    const updates = messages.flatMap(({ params }) => params?.update ?? []);
    const call = updates.find(({ status }) => status === "completed");
    assertEquals(call.content[0].content.text, "a.txt (lines 1-1 of 1)\n1:hello acp\n");
    assertEquals(messages.at(-1).result, { stopReason: "end_turn" });
  },
});
