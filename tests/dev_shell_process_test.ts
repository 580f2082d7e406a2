// The dev server's shell as a host sees it: real commands under a server with exact flags.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DevServer, pidIn } from "./dev_server.ts";
import { alive, skep, SOON_MS, tempFolder, waitForEnd } from "./harness.ts";

Deno.test("shell gives both outputs in order, and how it ended", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/sub`);
  await using server = DevServer.withShell(folder.path);
  const run = (command: string, more = {}) => server.text("shell", { command, ...more });
  assertMatch(
    await run("echo a; echo b >&2; echo c; nosuch; exit 3"),
    /^a\nb\nc\nbash: line 1: nosuch: command not found\n\[exit code 3 after \d\.\d\d s\]$/,
  );
  assertMatch(await run("cat; echo $?"), /^0\n\[exit code 0 after/);
  assertMatch(await run("pwd", { workdir: "sub" }), new RegExp(`^${folder.path}/sub\n`));
  assertMatch(await run("kill -SEGV $$"), /^\[exit code 139 \(SIGSEGV\) after/);
  assertMatch(
    await run("printf x; kill -KILL 0"),
    /^x\n\[exit code 137 \(SIGKILL\) after/,
  );
  assertMatch(await run("if then"), /syntax error near unexpected token `then'/);
  const longest = `echo ok ${" ".repeat(100_000 - 8)}`;
  assertMatch(await run(longest), /^ok\n/);
  assertMatch(
    await run(longest + " "),
    /^Cannot run a command of 100001 bytes: the limit is 100000;/,
  );
  assertEquals(await run(" \n"), "The command is empty: give one to run");
  assertEquals(
    await run("x", { workdir: "nope" }),
    'Cannot use workdir "nope": it is not a folder that exists',
  );
  assertMatch(
    await run("echo ok", { timeout_ms: 600_000 }),
    /^ok\n\[exit code 0 after [\d.]+ s\]$/,
  );
  assertMatch(
    await run("echo ok", { timeout_ms: 600_001 }),
    /\n\[timeout_ms=600001 is over the limit: 600000 was used\]$/,
  );
  assertEquals((await server.call("shell", { command: "exit 1" })).isError, false);
});

Deno.test("shell without a run grant is denied, and marked", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path, [], ["--unconfined"]);
  const { isError, _meta } = await server.call("shell", { command: "echo x" });
  assertEquals([isError, _meta], [true, { "skep/denied": { access: "run", value: "bash" } }]);
});

Deno.test("shell leaves out the middle of 10 MB and counts it", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const text = await server.text("shell", { command: "seq 1 1400000" });
  const [first] = text.split("\n");
  assertEquals(first, "1");
  assertMatch(text, /\n\[… 10\d{6} bytes with 13\d{5} line ends left out …\]\n/);
  assertMatch(
    text,
    /\n1400000\n\[exit code 0 after [\d.]+ s\]\n\[the whole of the output is in \S+\/000001.txt\]$/,
  );
  assert(text.length < 42_000, `${text.length} characters`);
});

Deno.test("shell's timeout ends the whole group, gives the output so far, and is an error", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const pidFile = `${folder.path}/pid`;
  const command = `echo before; bash -c 'trap "" TERM; echo $$ > pid; exec sleep 60' & wait`;
  const startMs = performance.now();
  const { content, isError } = await server.call("shell", { command, timeout_ms: 3000 });
  const tookMs = performance.now() - startMs;
  assertEquals(
    [isError, content[0]!.text],
    [
      true,
      "before\n[timed out after 3000 ms: the command and all it started were ended]\n" +
      "[killed, since TERM did not end it: sleep]",
    ],
  );
  assert(tookMs < SOON_MS, `it took ${tookMs} ms`);
  assertEquals(await waitForEnd([await pidIn(pidFile)]), []);
});

Deno.test("shell ends at a timeout with what the command does at TERM", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const command = "trap 'echo bye; exit 0' TERM; sleep 60 & wait";
  assertEquals(
    await server.text("shell", { command, timeout_ms: 3000 }),
    "bye\n[timed out after 3000 ms: the command and all it started were ended]",
  );
});

Deno.test("shell ends what a command leaves behind, without a wait", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const startMs = performance.now();
  const text = await server.text("shell", { command: "sleep 60 & echo $! > pid; echo done" });
  assertMatch(text, /^done\n\[exit code 0 after/);
  assert(performance.now() - startMs < SOON_MS, "it waited for the child that was left");
  assertEquals(await waitForEnd([await pidIn(`${folder.path}/pid`)]), []);
});

Deno.test("shell ends a process that left its group, and returns", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const command =
    `setsid bash -c 'echo $$ > pid; exec sleep 60' & until [ -s pid ]; do :; done; echo done`;
  assertMatch(
    await server.text("shell", { command }),
    /^done\n\[exit code 0 after [\d.]+ s\]\n\[ended what had left the command's group: \w+\]$/,
  );
  assertEquals(await alive([await pidIn(`${folder.path}/pid`)]), []);
});

for (
  const [what, more] of [
    ["cleared its environment", ">/dev/null 2>&1"],
    ["cleared its environment, and holds the output", ""],
    ["cleared its environment and closed what it had, but for the output", "187<&-"],
  ] as const
) {
  Deno.test(`a child that left its group and ${what} outlived its call`, async () => {
    await using folder = await tempFolder();
    await using server = DevServer.withShell(folder.path);
    const hidden = `env -i /usr/bin/setsid /bin/bash -c 'echo $$ > pid; exec sleep 60' ${more}`;
    assertMatch(
      await server.text("shell", {
        command: `${hidden} & until [ -s pid ]; do :; done; echo done`,
      }),
      /^done\n\[exit code 0 after [\d.]+ s\]\n\[ended what had left the command's group: \w+\]$/,
    );
    assertEquals(await waitForEnd([await pidIn(`${folder.path}/pid`)]), []);
  });
}

Deno.test("shell ends a command that killed its guard", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const command = "echo $$ > pid; echo x; kill -KILL $PPID; sleep 60";
  assertMatch(
    await server.text("shell", { command }),
    /^x\n\[ended by an unknown cause after [\d.]+ s\]$/,
  );
  assertEquals(await waitForEnd([await pidIn(`${folder.path}/pid`)]), []);
});

Deno.test("shell's timeout ends a command that is stopped", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  assertEquals(
    await server.text("shell", { command: "echo x; kill -STOP $$; echo y", timeout_ms: 3000 }),
    "x\n[timed out after 3000 ms: the command and all it started were ended]",
  );
});

Deno.test("a cancelled call is not answered, and its command is gone (T09)", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const { id } = server.start("tools/call", {
    name: "shell",
    arguments: { command: "sleep 60 & echo $! > pid; wait" },
  });
  const pid = await pidIn(`${folder.path}/pid`);
  assertEquals(await alive([pid]), [pid]);
  await server.notify("notifications/cancelled", { requestId: id });
  assertEquals(await waitForEnd([pid]), []);
  assertMatch(await server.text("shell", { command: "echo next" }), /^next\n/);
  assertEquals(server.received.map((message) => message.id), [id + 1]);
});

Deno.test("shell gives a command its stdin", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const run = (command: string, stdin: string) => server.text("shell", { command, stdin });
  assertMatch(await run("tr a-z A-Z; echo; wc -c </dev/null", "höhe"), /^HöHE\n0\n\[exit code 0/);
  const long = "x".repeat(300_000);
  assertMatch(await run("wc -c", long), /^300000\n/);
  assertMatch(await run("true", long), /^\[exit code 0/);
  assertMatch(await run("wc -c", "x".repeat(1024 * 1024)), /^1048576\n/);
  assertMatch(
    await run("true", "x".repeat(1024 * 1024 + 1)),
    /^Cannot give a command 1048577 bytes of stdin: the limit is 1048576;/,
  );
});

Deno.test("a shell that waits ahead for its command is as good as a new one, and ends with the server", async () => {
  await using folder = await tempFolder();
  const odd = "a\nb";
  await Deno.mkdir(`${folder.path}/${odd}`);
  await using server = DevServer.withShell(folder.path);
  const run = (command: string, more = {}) => server.text("shell", { command, ...more });
  const waiting = async () => {
    const ps = new Deno.Command("pgrep", { args: ["-P", String(server.pid), "-x", "bash"] });
    const { stdout } = await ps.output();
    return new TextDecoder().decode(stdout).split("\n").filter(Boolean).map(Number);
  };
  const waitingOne = async () => {
    let pids: number[] = [];
    while (pids.length !== 1) pids = await waiting();
    return pids[0]!;
  };
  const shown = "pwd; echo $0 $# ${OLDPWD-none} ${LC_ALL-none} $(compgen -A function | wc -l)";
  const first = await run(shown);
  await waitingOne();
  assertEquals(withoutTime(await run(shown)), withoutTime(first));
  assertMatch(first, new RegExp(`^${folder.path}\nbash 0 none none 0\n`));
  await waitingOne();
  assertMatch(await run("printf %s ö; pwd; cat", { workdir: odd, stdin: "in" }), /^ö.*a\nb\nin\n/);
  await waitingOne();
  assertMatch(await run(`echo ${"ü".repeat(49_000)} | wc -c`), /^98001\n/);
  // One that was killed while it waited is not missed.
  const killed = await waitingOne();
  Deno.kill(killed, "SIGKILL");
  while ((await waiting()).includes(killed));
  assertMatch(await run("echo still"), /^still\n\[exit code 0/);
  const last = await waitingOne();
  server.signal("SIGKILL");
  await server.ended;
  assertEquals(await waitForEnd([last]), []);
});

function withoutTime(text: string): string {
  return text.replace(/[\d.]+ s\]/, "s]");
}

Deno.test("shell does with a command what bash -c does", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const commands = [
    "echo $LINENO\necho $LINENO\nnosuch",
    "set -u; echo $nope; echo on",
    "echo $0 $# $- ${BASH_SOURCE[@]} ${FUNCNAME[@]}; [ $$ = $BASHPID ] && echo same",
    "cat <<X\nhi $((1 + 1))\nX",
    "f() { echo $FUNCNAME $1; return 3; }; f a; echo $?",
    "trap 'echo bye' EXIT; exit 4",
    "set -e; false; echo no",
    "shopt -s expand_aliases\nalias hi='echo hey'\nhi",
    "exec printf '%s\\n' replaced",
    "return 3; echo on",
    "echo 'a  b' | { IFS= read -r x; echo \"$x\"; }; (exit 5)",
    "x=(1 2); echo ${x[1]}; [[ ab =~ (.)$ ]] && echo ${BASH_REMATCH[1]}",
    "echo a # a comment\n# another",
    "'",
  ];
  for (const command of commands) {
    const bash = await new Deno.Command("bash", {
      args: ["-c", 'exec 2>&1; exec -a bash bash -c "$1"', "bash", command],
      stdin: "null",
    }).output();
    // Only what names the way a broken line came in differs.
    const wanted = new TextDecoder().decode(bash.stdout).replaceAll("bash: -c:", "bash: eval:");
    const [shown, code] = (await server.text("shell", { command })).split("[exit code ");
    assertEquals([command, shown, parseInt(code!)], [command, wanted, bash.code]);
  }
});

Deno.test("shell strips what steers a terminal, marks invalid UTF-8, and shows no binary", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const run = (command: string) => server.text("shell", { command });
  assertMatch(
    await run(`printf '\\033[1;31mred\\033[0m \\033]0;title\\007x\\033(B\\n'`),
    /^red x\n\[exit code 0/,
  );
  assertMatch(
    await run(`printf 'a\\377b\\n'`),
    /^a\ufffdb\n\[exit code 0 after [\d.]+ s\]\n\[some bytes are not UTF-8 and shown as \ufffd\]$/,
  );
  assertMatch(
    await run(`printf 'ab\\0\\377'`),
    /^ab\n\[exit code 0 after [\d.]+ s\]\n\[the output looks binary \(4 bytes, NUL at byte 2\) and is not shown from there on: look at it with the shell, such as od -c\]\n\[the whole/,
  );
  assertMatch(
    await run(`printf 'a\\0b\\0'; echo failed; exit 1`),
    /^a\u2400b\u2400failed\n\[exit code 1 after [\d.]+ s\]\n\[NUL characters are shown as \u2400\]$/,
  );
});

Deno.test("shell keeps the whole of a long output where read_file finds it", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const text = await server.text("shell", { command: "seq 1 20000" });
  const [, path] = /\n\[the whole of the output is in (\S+)\]$/.exec(text) ?? [];
  assertEquals(path, `${server.tmp}/skep-dev/artifacts/000001.txt`);
  const { _meta } = await server.call("shell", { command: "seq 1 20000" });
  assertEquals(_meta, { "skep/whole": `${server.tmp}/skep-dev/artifacts/000002.txt` });
  assertEquals((await Deno.stat(path!)).mode! & 0o777, 0o600);
  assertEquals(
    await server.text("read_file", { path, offset: 10_000, limit: 1 }),
    `${path} (lines 10000-10000 of 20000)\n10000:10000\n` +
      "[lines 10000-10000 of 20000 shown; use offset=10001 to go on]\n",
  );
  assertEquals(/whole/.test(await server.text("shell", { command: "seq 1 100" })), false);
});

Deno.test("shell runs a command in the background, and shell_job looks after it", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const started = await server.call("shell", {
    command: "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3",
    background: true,
  });
  assertEquals(started.structuredContent, { job: "job-1" });
  const job = (action: string, more = {}) =>
    server.text("shell_job", { job: "job-1", action, ...more });
  assertMatch(
    await job("wait", { timeout_ms: 200 }),
    /^one\n\[job-1 has been running for \d+ s, 4 bytes of output, 1 line\]$/,
  );
  assertMatch(await job("output"), /^\[job-1 has been running/);
  await Deno.writeTextFile(`${folder.path}/go`, "");
  assertMatch(await job("wait"), /^two\n\[exit code 3 after [\d.]+ s\]$/);
  assertMatch(await job("output"), /^\[exit code 3 after/);
  assertMatch(
    await job("wait", { timeout_ms: 600_001 }),
    /\n\[timeout_ms=600001 is over the limit: 600000 was used\]$/,
  );
  assertEquals(
    await server.text("shell_job", { job: "job-9", action: "kill" }),
    'There is no job "job-9": there are job-1',
  );
});

Deno.test("shell_job kills a job with all it started, and jobs are bounded", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  for (let count = 1; count <= 8; count++) {
    await server.text("shell", { command: "echo $$ > pid; sleep 60", background: true });
  }
  assertMatch(
    await server.text("shell", { command: "true", background: true }),
    /^Cannot start another job: job-1, .*job-8 still run; wait for one or kill it with shell_job$/,
  );
  const pid = await pidIn(`${folder.path}/pid`);
  for (let count = 1; count <= 8; count++) {
    const text = await server.text("shell_job", { job: `job-${count}`, action: "kill" });
    assertMatch(text, /^\[killed(?: \(SIG\w+\))? after [\d.]+ s\]$/);
  }
  assertEquals(await waitForEnd([pid]), []);
});

Deno.test("dev server takes its background jobs with it", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  await server.text("shell", { command: "echo $$ > pid; sleep 60", background: true });
  const pid = await pidIn(`${folder.path}/pid`);
  await server.end();
  assertEquals((await server.ended).code, 0);
  assertEquals(await waitForEnd([pid]), []);
});

Deno.test("shell takes another shell from SKEP_SHELL, and says when there is none", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path, [], { SKEP_SHELL: "/bin/sh" });
  const { result } = await server.request("initialize", {});
  assertStringIncludes(result.instructions, "\nShell: sh; write commands in its syntax.\n");
  assertMatch(await server.text("shell", { command: "echo $0" }), /^sh\n/);
  await using other = DevServer.withShell(folder.path, [], { SKEP_SHELL: "nosuch" });
  assertMatch(
    await other.text("shell", { command: "echo $0" }),
    /^bash\n\[exit .*\]\n\[SKEP_SHELL names no program: bash was used\]$/,
  );
});

Deno.test("git in the shell has an author of the last resort, which no setting loses to", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path, ["--author=Bee <bee@hive.test>"]);
  const run = (command: string) => server.text("shell", { command });
  const author = "git log -1 --format='%an <%ae>'";
  assertMatch(
    await run(`git init -q . && git commit -q --allow-empty -m x && ${author}`),
    /^Bee <bee@hive.test>\n/,
  );
  const own = "git config user.name Op && git config user.email op@example.test";
  assertMatch(
    await run(`${own} && git commit -q --allow-empty -m y && ${author}`),
    /^Op <op@example.test>\n/,
  );
});

Deno.test("commits of the shell are by whom the operator's own git settings name, which it cannot see", async () => {
  await using home = await tempFolder();
  const settings =
    '[user]\n\tname = Op "the" One\n\temail = op@example.test\n[alias]\n\tx = secret\n';
  await Deno.writeTextFile(`${home.path}/.gitconfig`, settings);
  const command = "git init -q . && git commit -q --allow-empty -m x && " +
    "git log -1 --format='%an <%ae>' && git config --get-regexp alias";
  const { stdout, stderr } = await skep(
    ["call", "--sandbox", "off", "dev__shell", JSON.stringify({ command })],
    { env: { HOME: home.path } },
  );
  assertMatch(stdout, /^Op the One <op@example\.test>\n\[exit code 1 /, stderr);
});

Deno.test("dev server leaves out the tools that a setting turns off (T114)", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path, ["--without=shell,rg"]);
  const { result } = await server.request("tools/list");
  const names = result.tools.map((tool: { name: string }) => tool.name);
  assertEquals(names, [
    "read_file",
    "write_file",
    "str_replace",
    "view_image",
    "todo",
    "shell_job",
    "tree",
  ]);
  const { isError, content } = await server.call("shell", { command: "touch x" });
  assertEquals(isError, true);
  assertStringIncludes(content[0]!.text, 'There is no tool "shell"');
});

Deno.test("shell tells a host that asks for it that a long command still runs (T16)", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  await server.request("tools/call", {
    name: "shell",
    arguments: { command: "echo a; sleep 3" },
    _meta: { progressToken: 7 },
  });
  const notes = server.received.filter(({ method }) => method === "notifications/progress");
  const { message, ...first } = notes[0]!.params as { message: string };
  assertEquals(first, { progressToken: 7, progress: 1 });
  assertMatch(message, /^running for \d+ s, 2 bytes of output, 1 line\na$/);
});

Deno.test({
  name: "a command that kills all it can reach does not reach the host (T19)",
  ignore: !await hasNamespaces(), // then the shell is not listed
  fn: async () => {
    const call = (command: string) => skep(["call", "dev__shell", JSON.stringify({ command })]);
    const { code, stdout, stderr } = await call("kill -9 -1; pkill -9 deno; pkill -9 bash");
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /Server "dev" exited with code 137/);
    const alone = await call("ps ax | grep -c sleep");
    assertEquals(alone.code, 0);
  },
});

async function hasNamespaces(): Promise<boolean> {
  const { success } = await new Deno.Command("unshare", { args: ["-Urmpf", "true"] }).output();
  return success;
}

Deno.test("a server's own folder is nobody else's while it lives, and swept when it has crashed", async () => {
  await using folder = await tempFolder();
  await using server = DevServer.withShell(folder.path);
  const long = { command: "seq 1 20000" };
  assertStringIncludes(await server.text("shell", long), `${server.tmp}/skep-dev/artifacts/`);
  await using beside = DevServer.after(server, folder.path, ["--unconfined"]);
  await beside.text("todo", { todos: [{ text: "mine" }] });
  assertEquals(await server.text("todo", {}), "(todo list is empty)");
  assertEquals((await Deno.stat(`${server.tmp}/skep-dev-2/todo.json`)).mode! & 0o777, 0o600);
  server.signal("SIGKILL");
  await server.ended;
  await using next = DevServer.after(server, folder.path, ["--unconfined"]);
  await next.text("todo", {});
  const left = await Array.fromAsync(Deno.readDir(`${server.tmp}/skep-dev`), ({ name }) => name);
  assertEquals(left.includes("artifacts"), false);
});
