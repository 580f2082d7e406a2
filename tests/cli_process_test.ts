// The command line as people use it: real processes under the flags of the task `skep`.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS, COMMON_FLAGS } from "../lib/cli/commands.ts";
import { VERSION } from "../lib/version.ts";
import {
  childEnv,
  descendants,
  fakeServer,
  fromRepo,
  PATIENCE_MS,
  runChild,
  serverFile,
  skep,
  skepCommand,
  startSkep,
  tempFolder,
} from "./harness.ts";

const PASSWD = { path: "/etc/passwd" };

Deno.test("skep --version and -V tell the version, and nothing else", async () => {
  const answers = await Promise.all([skep(["--version"]), skep(["-V"])]);
  assertEquals(answers, Array(2).fill({ code: 0, stdout: `skep ${VERSION}\n`, stderr: "" }));
});

Deno.test("skep without a command, with help, --help or -h shows every command and every common flag", async () => {
  const [first, ...others] = await Promise.all(
    [[], ["help"], ["--help"], ["-h"]].map((args) => skep(args)),
  );
  assertEquals([first!.code, first!.stderr], [0, ""]);
  assertEquals(others, Array(3).fill(first));
  for (const { usage, summary } of COMMANDS) {
    assertMatch(
      first!.stdout,
      new RegExp(`^  ${RegExp.escape(usage)} +${RegExp.escape(summary)}$`, "m"),
    );
  }
  for (const { name, summary } of COMMON_FLAGS) {
    assertMatch(first!.stdout, new RegExp(`--${name} .*${RegExp.escape(summary)}$`, "m"));
  }
});

Deno.test("skep COMMAND --help shows the command's usage and flags, whatever else is given", async () => {
  await Promise.all(COMMANDS.map(async ({ name, usage, summary, flags }) => {
    const { code, stdout, stderr } = await skep([name, "--help"]);
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(stdout, `skep ${name}: ${summary}\n\nUsage: skep ${usage} [flags]\n`);
    for (const flag of flags) assertStringIncludes(stdout, flag.summary);
  }));
});

Deno.test("skep answers a mistake on the command line with one line, the near miss and exit 1", async () => {
  const mistakes: [args: string[], stderr: string][] = [
    [["chta"], 'skep: There is no command "chta": did you mean "skep chat"?\n'],
    [["frobnicate"], 'skep: There is no command "frobnicate": see skep --help\n'],
    [["chat", "--modle", "x"], "skep: skep chat has no flag --modle: did you mean --model?\n"],
    [["chat", "-x"], "skep: skep chat has no flag -x: see skep chat --help\n"],
    [["chat", "--model"], "skep: --model needs a value: --model PROVIDER:MODEL\n"],
    [["tools", "--json=yes"], 'skep: --json takes no value, and was given "yes"\n'],
    [
      ["call"],
      "skep: skep call takes at least one argument, and was given none: skep call TOOL [JSON]\n",
    ],
    [
      ["chat", "hi"],
      'skep: skep chat takes no argument, and was given "hi": skep chat [-p TEXT] [--continue | --resume ID | --fork ID]\n',
    ],
    [["mcp", "dve"], 'skep: skep brings no server "dve": did you mean dev?\n'],
    [["tools", "--cwd", "/no/such"], 'skep: Cannot use --cwd "/no/such": it does not exist\n'],
    [["chat", "-p", " "], "skep: There is nothing to answer: -p is empty\n"],
  ];
  await Promise.all(mistakes.map(async ([args, stderr]) => {
    assertEquals(await skep(args), { code: 1, stdout: "", stderr });
  }));
});

Deno.test("skep --json says a failure as one object on stderr", async () => {
  const { code, stdout, stderr } = await skep(["tools", "--json", "--persona", "guied"]);
  assertEquals([code, stdout, stderr.trimEnd().split("\n").length], [1, "", 1]);
  const { code: name, message } = JSON.parse(stderr);
  assertEquals(name, "PERSONA_NOT_FOUND");
  assertStringIncludes(message, '"guied"');
});

Deno.test("skep refuses a setting it cannot use, by its name and value", async () => {
  const settings: [env: Record<string, string>, text: string][] = [
    [{ SKEP_MAX_ROUNDS: "many" }, 'Cannot use SKEP_MAX_ROUNDS="many"'],
    [{ SKEP_SANDBOX: "maybe" }, 'Cannot use SKEP_SANDBOX="maybe"'],
    [{ SKEP_STATE_DIR: "here" }, 'Cannot use SKEP_STATE_DIR="here": it must be an absolute path'],
  ];
  await Promise.all(settings.map(async ([env, text]) => {
    const { code, stdout, stderr } = await skep(["tools"], { env });
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, text);
  }));
});

Deno.test("skep tools lists the tools as the model sees them, with --json one definition a line", async () => {
  const [words, json] = await Promise.all([skep(["tools"]), skep(["tools", "--json"])]);
  assertEquals([words.code, json.code], [0, 0]);
  assertMatch(
    words.stdout,
    /^dev__read_file path( \[\w+\])+\n {2}\w.*\n {2}\d+ bytes, about \d+ tokens\n/,
  );
  const tools = json.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(tools.slice(0, 2).map(({ name }) => name), ["dev__read_file", "dev__write_file"]);
  assertEquals(tools.map(({ inputSchema }) => inputSchema.type), tools.map(() => "object"));
});

Deno.test("skep call runs a tool in the folder it was started in, or in --cwd", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "a.txt"), "one\ntwo\n");
  const args = ["call", "dev__read_file", '{"path":"a.txt"}'];
  const [here, there] = await Promise.all([
    skep(args, { cwd: folder.path }),
    skep([...args, "--cwd", folder.path]),
  ]);
  const stdout = "a.txt (lines 1-2 of 2)\n1:one\n2:two\n";
  assertEquals([here.code, here.stdout], [0, stdout]);
  assertEquals([there.code, there.stdout], [0, stdout]);
});

Deno.test("the dev server takes null for absent and a number as text, which its schema does not say", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(join(folder.path, "a.txt"), "one\ntwo\n");
  const read = (args: unknown) =>
    skep(["call", "dev__read_file", JSON.stringify(args)], { cwd: folder.path });
  const [lenient, wrong] = await Promise.all([
    read({ path: "a.txt", offset: "2", limit: null }),
    read({ pth: "a.txt" }),
  ]);
  assertEquals([lenient.code, lenient.stdout], [0, "a.txt (lines 2-2 of 2)\n2:two\n"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, 'there is no argument "pth", did you mean "path"?');
});

Deno.test("skep call of what the grant denies exits 3 and names the grant and the line that would allow it", async () => {
  const { code, stdout, stderr } = await skep(["call", "dev__read_file", JSON.stringify(PASSWD)]);
  assertEquals([code, stdout], [3, ""]);
  assertStringIncludes(stderr, 'the grant of server "dev" does not let it read "/etc/passwd"');
  assertStringIncludes(stderr, 'write read: ["/etc/passwd"] under permissions: of server "dev" in');
  assertStringIncludes(stderr, fromRepo("personas/guide/agents/guide.persona.md"));
});

Deno.test("skep call exits 2 for a tool's own error, its lines kept, and 1 for a tool that is not there", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, { fake: fakeServer() });
  const call = (tool: string, input = "{}") => skep(["call", tool, input, "--mcp", file]);
  const [failed, rejected, unknown] = await Promise.all([
    call("fake__fail", '{"text":"one\\ntwo"}'),
    call("fake__reject", '{"text":"no"}'),
    call("fake__ehco"),
  ]);
  assertEquals([failed.code, failed.stdout], [2, ""]);
  assertMatch(failed.stderr, /^one\ntwo\n$/m);
  assertEquals([rejected.code, rejected.stdout], [2, ""]);
  assertStringIncludes(rejected.stderr, 'Server "fake" rejected the call: no');
  assertEquals([unknown.code, unknown.stdout], [1, ""]);
  assertStringIncludes(unknown.stderr, 'There is no tool "fake__ehco": did you mean fake__echo?');
});

Deno.test("skep call did not say what a tool takes for arguments that are no object, and left with another code than for those that do not fit", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, { fake: fakeServer() });
  const call = (input: string) => skep(["call", "fake__echo", input, "--mcp", file]);
  const [broken, list, misfit] = await Promise.all([call("{"), call("[1]"), call('{"text":1}')]);
  assertEquals(
    [broken, list, misfit].map(({ code, stdout }) => [code, stdout]),
    Array(3).fill([1, ""]),
  );
  assertMatch(broken.stderr, /^skep: Cannot read the arguments {: .*; it takes \[text\]: string$/m);
  const notOne =
    "Cannot use the arguments [1]: they must be a JSON object; it takes [text]: string";
  assertStringIncludes(list.stderr, notOne);
  assertStringIncludes(misfit.stderr, "\nIt takes [text]: string");
});

Deno.test("skep why '' told of the hooks", async () => {
  const { code, stdout } = await skep(["why", ""]);
  assertEquals(code, 1);
  assertMatch(stdout, /^"": nothing goes by this name\n/);
});

Deno.test("skep call --json gives the whole result, a denial with what was denied", async () => {
  const args = ["call", "--json", "dev__read_file", JSON.stringify(PASSWD)];
  const { code, stdout } = await skep(args);
  assertEquals([code, stdout.trimEnd().split("\n").length], [3, 1]);
  const { isError, denial } = JSON.parse(stdout);
  assertEquals(isError, true);
  assertEquals(denial, { server: "dev", access: "read", value: "/etc/passwd", isCertain: true });
});

Deno.test("--mcp adds the servers of its files to the persona's, with exactly their arguments (T32, T34)", async () => {
  await using folder = await tempFolder();
  await using other = await tempFolder();
  const first = await serverFile(folder.path, { one: fakeServer(["--x", "a b"]) });
  const second = await serverFile(other.path, { two: fakeServer(["c,d", "$(e)"]) });
  const files = ["--mcp", first, "--mcp", second];
  const [tools, one, two] = await Promise.all([
    skep(["tools", ...files]),
    skep(["call", "one__argv", ...files]),
    skep(["call", "two__argv", ...files]),
  ]);
  assertEquals(tools.code, 0);
  for (const name of ["dev__read_file", "one__echo", "two__echo"]) {
    assertMatch(tools.stdout, new RegExp(`^${name} `, "m"));
  }
  assertEquals(one.stdout, '["--x","a b"]\n');
  assertEquals(two.stdout, '["c,d","$(e)"]\n');
});

Deno.test("a server that cannot be started is reported, and the others live (T27, T28)", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, {
    good: fakeServer(),
    missing: { command: "/no/such", permissions: { sandbox: "prefer" } },
    malformed: { args: [] },
    dying: fakeServer(["--exit-init=3", "--stderr=out of cheese"]),
  });
  const [tools, good, bad, chat] = await Promise.all([
    skep(["tools", "--mcp", file]),
    skep(["call", "good__echo", '{"text":"alive"}', "--mcp", file]),
    skep(["call", "dying__echo", '{"text":"alive"}', "--mcp", file]),
    skep(["chat", "--mcp", file, "-p", "/good__echo text=alive"]),
  ]);
  assertEquals([tools.code, good.code, bad.code, chat.code], [2, 0, 2, 0]);
  assertMatch(tools.stdout, /^dev__read_file [^]*^good__echo /m);
  for (const { stderr } of [tools, good, bad, chat]) {
    assertMatch(
      stderr,
      /^Server "missing" is not started: .*"\/no\/such".*there is no such program/m,
    );
    assertMatch(
      stderr,
      /^Server "malformed" is left out\. .*mcpServers\.malformed\.command.* missing/m,
    );
    assertMatch(
      stderr,
      /^Server "dying" exited with code 3; the end of its stderr: .*out of cheese/m,
    );
  }
  assertEquals([good.stdout, chat.stdout], ["alive\n", "alive\n"]);
  assertStringIncludes(
    bad.stderr,
    'skep: Cannot call "dying__echo": server "dying" exited with code 3',
  );
});

Deno.test("a workspace is one folder, whatever its name", async () => {
  await using folder = await tempFolder();
  const names = ["x,/etc", "a -A", "b --allow-run", "a b", "ü", "$(id)"];
  await Promise.all(names.map(async (name) => {
    const cwd = join(folder.path, name);
    await Deno.mkdir(cwd, { recursive: true });
    await Deno.writeTextFile(join(cwd, "a.txt"), `in ${name}\n`);
    const prompt = "/dev__read_file path=a.txt\n/dev__read_file path=/etc/passwd";
    const { code, stdout } = await skep(["chat", "-p", prompt, "--cwd", cwd]);
    const [head, line, denied] = stdout.split("\n");
    assertEquals([code, head, line], [0, "a.txt (lines 1-1 of 1)", `1:in ${name}`]);
    assertStringIncludes(denied!, "Access denied");
  }));
});

/** Keys as the identity, a model and the shell hold them. */
const KEYS = {
  BUZZ_PRIVATE_KEY: `nsec1${"q".repeat(58)}`,
  NOSTR_PRIVATE_KEY: "5".repeat(64),
  ANTHROPIC_API_KEY: "sk-ant-REDACTED",
  OPENAI_COMPAT_API_KEY: "sk-test-fedcba9876543210",
};

Deno.test("no key reaches a server or an output, not even one that the server asks for by name (T86)", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, {
    curious: fakeServer([], { permissions: { env: Object.keys(KEYS) } }),
    // The same value under a name of its own.
    sly: fakeServer([], { env: { OTHER: KEYS.BUZZ_PRIVATE_KEY, OWN: "kept" } }),
  });
  const options = { env: { ...KEYS, SKEP_LOG: "1" } };
  const common = ["--mcp", file, "--model", "offline"];
  const outputs = await Promise.all([
    skep(["call", "curious__env", ...common], options),
    skep(["call", "sly__env", ...common], options),
    skep(["tools", "--json", ...common], options),
    skep(["chat", ...common, "-p", "/sly__env"], options),
  ]);
  assertEquals(outputs.map(({ code }) => code), [0, 0, 0, 0]);
  assertEquals(JSON.parse(outputs[1]!.stdout).OWN, "kept");
  for (const { stdout, stderr } of outputs) {
    for (const [name, key] of Object.entries(KEYS)) {
      assert(!stdout.includes(key) && !stderr.includes(key), `the value of ${name} was shown`);
    }
  }
  assertMatch(outputs[0]!.stderr, /^Server "curious" is not granted env BUZZ_PRIVATE_KEY, /m);
});

Deno.test({
  name: "no process below skep has a key in its environment or its arguments (T86)",
  ignore: Deno.build.os !== "linux", // elsewhere nobody shows another process's environment
  fn: async () => {
    await using folder = await tempFolder();
    const file = await serverFile(folder.path, {
      fake: fakeServer([], { permissions: { env: Object.keys(KEYS) } }),
    });
    const call = ["call", "fake__sleep", '{"ms":60000}', "--mcp", file];
    await using running = await startSkep(call, { env: { ...KEYS, SKEP_LOG: "1" } });
    const below = await untilServers(running.pid, 2);
    for (const pid of below) {
      const { stdout } = await runChild("/bin/cat", [
        `/proc/${pid}/environ`,
        `/proc/${pid}/cmdline`,
      ], {});
      for (const [name, key] of Object.entries(KEYS)) {
        assert(!stdout.includes(key), `process ${pid} has the value of ${name}`);
      }
    }
  },
});

/** The processes below skep, as soon as so many servers of Deno are among them. */
async function untilServers(pid: number, servers: number): Promise<number[]> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const below = await descendants(pid);
    const { stdout } = await runChild("/bin/ps", ["-o", "args=", "-p", below.join(",") || "0"], {});
    const found = stdout.split("\n").filter((line) =>
      /deno run .*(tools\/dev|tools\/entry)/.test(line)
    );
    if (found.length >= servers) return below;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`skep did not start ${servers} servers`);
}

Deno.test("skep ends quietly when nobody reads its output, as SIGPIPE would end it", async () => {
  await using folder = await tempFolder();
  const [program, args] = skepCommand(["--help"]);
  const script = '("$@"; echo "exit $?" >&2) | :';
  const all = ["-c", script, "sh", program, ...args];
  const { stderr } = await runChild("/bin/sh", all, { env: childEnv(folder.path) });
  assertEquals(stderr, "exit 141\n");
});

Deno.test("skep mcp dev ends with 0 when its input is empty, however long the server takes to start", async () => {
  const { code, stdout, stderr } = await skep(["mcp", "dev"], {
    env: { SKEP_STOP_SERVER_MS: "1" },
  });
  assertEquals({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
});

Deno.test("skep mcp dev explains a denial to any host, takes its grant from a file, and the server's own arguments", async () => {
  await using folder = await tempFolder();
  const secret = `${folder.path}/outside.txt`;
  await Deno.writeTextFile(secret, "granted\n");
  const file = `${folder.path}/mcp.json`;
  const permissions = { read: [secret] };
  const dev = { command: "skep", args: ["mcp", "dev"], permissions };
  await Deno.writeTextFile(file, JSON.stringify({ mcpServers: { dev } }));
  const text = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    await using running = await startSkep(["mcp", "dev", ...args], { env });
    const send = (id: number, method: string, params: unknown) =>
      running.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await send(1, "initialize", { protocolVersion: "2025-06-18" });
    await send(2, "tools/call", { name: "read_file", arguments: { path: secret } });
    await send(3, "tools/list", {});
    await running.until(({ stdout }) => stdout.split("\n").length > 3);
    return running.stdout;
  };
  const denied = await text(["--hooks", "--without", "todo"]);
  assertStringIncludes(
    denied,
    'of server \\"dev\\" in a file that skep mcp dev gets with --mcp',
  );
  assertEquals([denied.includes('"name":"_Stop"'), denied.includes('"name":"todo"')], [
    true,
    false,
  ]);
  for (const value of ["other, dev", "*"]) {
    const heard = await text([], { SKEP_HOOK_SERVERS: value });
    assertStringIncludes(heard, '"name":"_Stop"', "SKEP_HOOK_SERVERS was not heeded");
  }
  const granted = await text(["--mcp", file], { SKEP_HOOK_SERVERS: "other" });
  assertStringIncludes(granted, "1:granted");
  assertEquals([granted.includes('"name":"_Stop"'), granted.includes('"name":"todo"')], [
    false,
    true,
  ]);
});
