// Whatever ends skep, nothing of what it started is left; and it ends soon, with the exit code for the reason.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AcpProcess, startAcp } from "./acp_process.ts";
import {
  alive,
  childEnv,
  descendants,
  fakeServer,
  HAS_TERMINAL,
  killAll,
  PATIENCE_MS,
  runChild,
  Running,
  serverFile,
  skepCommand,
  SOON_MS,
  startInTerminal,
  startSkep,
  tempFolder,
  waitForEnd,
} from "./harness.ts";

/** A server that ends neither with its input nor by a TERM, and has a child in its own group. */
const STUBBORN = fakeServer(["--ignore-eof", "--ignore-term", "--spawn-grandchild"], {
  permissions: { run: ["sleep"] },
});

/** Waits until a `sleep 7777` runs below `pid`; gives everything that does. */
async function untilGrandchild(pid: number): Promise<number[]> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until;) {
    const below = await descendants(pid);
    const { stdout } = await runChild("/bin/ps", ["-o", "args=", "-p", below.join(",") || "0"], {});
    if (/sleep 7777$/m.test(stdout)) return below;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Nothing below ${pid} started a grandchild`);
}

/** Waits for a program's end; fails when that is late, or when one of the processes lives on. */
async function assertStops(running: Running, pids: readonly number[]): Promise<number> {
  const start = Date.now();
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), 2 * SOON_MS);
  const ended = await Promise.race([running.ended, late.promise]);
  clearTimeout(timer);
  const left = await waitForEnd(pids, SOON_MS);
  killAll(left);
  assertEquals(left, [], "processes that live on");
  assert(ended !== "late", "skep did not end");
  const afterMs = Date.now() - start;
  assert(afterMs < SOON_MS, `it took ${afterMs} ms`);
  return ended.code;
}

const ENDS: readonly (readonly [what: string, end: (running: Running) => unknown, code: number])[] =
  [
    ["the end of its input (T01, T05)", (running) => running.closeStdin(), 0],
    ["SIGTERM (T02)", (running) => running.signal("SIGTERM"), 143],
    ["SIGINT", (running) => running.signal("SIGINT"), 130],
    ["SIGHUP", (running) => running.signal("SIGHUP"), 129],
  ];

for (const [what, end, code] of ENDS) {
  Deno.test(`skep acp ends by ${what} with all its servers, stubborn ones and their children too`, async () => {
    await using folder = await tempFolder();
    await using work = await tempFolder();
    const file = await serverFile(folder.path, { stubborn: STUBBORN });
    const acp = await startAcp(["--sandbox", "off", "--mcp", file]);
    await using running = acp.running;
    const sessionId = await acp.open(work.path);
    const turn = await acp.prompt(sessionId, "/stubborn__sleep ms=60000");
    await running.until(() => acp.updates().some(({ status }) => status === "in_progress"));
    const below = await untilGrandchild(running.pid);
    await end(running);
    assertEquals(await assertStops(running, below), code);
    assertEquals(await acp.answer(turn).catch(() => "none"), { stopReason: "cancelled" });
  });
}

Deno.test("skep acp ends with its confined servers by the end of its input", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, {
    stubborn: fakeServer(["--ignore-eof", "--ignore-term"]),
  });
  const acp = await startAcp(["--mcp", file]);
  await using running = acp.running;
  await acp.open(folder.path);
  const below = await descendants(running.pid);
  assert(below.length >= 2, "two servers run");
  await running.closeStdin();
  assertEquals(await assertStops(running, below), 0);
});

Deno.test("skep acp without a session ends at once (T05)", async () => {
  const acp = await startAcp();
  await using running = acp.running;
  await acp.request("initialize", { protocolVersion: 1 });
  const start = Date.now();
  await running.closeStdin();
  const { code, stderr } = await running.ended;
  assertEquals([code, stderr], [0, ""]);
  const afterMs = Date.now() - start;
  assert(afterMs < SOON_MS, `it took ${afterMs} ms`);
});

for (
  const [index, args] of [
    ["tools"], // while the servers start: one of them never answers
    ["call", "stubborn__sleep", '{"ms":60000}'],
    ["chat", "-p", "/stubborn__sleep ms=60000"],
  ].entries()
) {
  const [what, end, code] = ENDS[index + 1]!;
  Deno.test(`skep ${args[0]} ends by ${what} while it works, with all it started`, async () => {
    await using folder = await tempFolder();
    const silent = args[0] === "tools" ? { silent: fakeServer(["--hang-init"]) } : {};
    const file = await serverFile(folder.path, { stubborn: STUBBORN, ...silent });
    await using running = await startSkep([...args, "--sandbox", "off", "--mcp", file]);
    const below = await untilGrandchild(running.pid);
    await end(running);
    assertEquals(await assertStops(running, below), code);
    assert(!running.stderr.includes("defect"), running.stderr);
  });
}

Deno.test({
  name:
    "skep chat ends when its terminal is closed, in the middle of a call or at the prompt (T04)",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using folder = await tempFolder();
    const file = await serverFile(folder.path, { stubborn: STUBBORN });
    const args = ["chat", "--sandbox", "off", "--mcp", file];
    await using working = await startInTerminal(args);
    await using idle = await startInTerminal(args);
    for (const running of [working, idle]) {
      await running.until(({ stdout }) => stdout.includes("> "));
    }
    await working.write("/stubborn__sleep ms=60000\r");
    await working.until(({ stdout }) => stdout.includes("→ stubborn__sleep"));
    const below = [await untilGrandchild(working.pid), await untilGrandchild(idle.pid)].flat();
    for (const running of [working, idle]) running.signal("SIGKILL"); // the terminal, not skep
    for (const running of [working, idle]) await assertStops(running, below);
  },
});

Deno.test("skep chat that waits for piped input ends by a signal", async () => {
  await using running = await startSkep(["chat"]);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  running.signal("SIGTERM");
  assertEquals(await assertStops(running, []), 143);
});

for (const [what, end, code] of ENDS) {
  Deno.test(`skep mcp dev ends by ${what} with its server and the command that runs`, async () => {
    await using folder = await tempFolder();
    await using running = await startSkep(["mcp", "dev", "--sandbox", "off"], { cwd: folder.path });
    await initializeMcp(running);
    const call = { name: "shell", arguments: { command: "sleep 7777" } };
    await running.write(request(2, "tools/call", call));
    const below = await untilGrandchild(running.pid);
    await end(running);
    assertEquals(await assertStops(running, below), code);
  });
}

function request(id: number, method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

async function initializeMcp(running: Running): Promise<void> {
  await running.write(request(1, "initialize", { protocolVersion: "2025-06-18" }));
  await running.until(({ stdout }) => stdout.includes("\n"));
}

/** Starts skep below a shell that does not pass signals on, its stdin held open by this test. */
function startBelowShell(args: readonly string[], home: string): Running {
  const [program, all] = skepCommand(args);
  const script = 'exec 3<&0; "$@" <&3 & wait';
  const cwd = join(home, "work");
  Deno.mkdirSync(cwd);
  return new Running("/bin/sh", ["-c", script, "sh", program, ...all], {
    cwd,
    env: childEnv(home),
  });
}

for (const command of ["acp", "mcp dev"]) {
  Deno.test(`skep ${command} ends when what started it dies, though its input stays open`, async () => {
    await using folder = await tempFolder();
    const file = await serverFile(folder.path, { stubborn: STUBBORN });
    const args = [...command.split(" "), "--sandbox", "off", "--mcp", file];
    await using running = startBelowShell(args, folder.path);
    if (command === "acp") await new AcpProcess(running).open(join(folder.path, "work"));
    else await initializeMcp(running);
    const below = await descendants(running.pid);
    assert(below.length >= 2, "skep and a server run");
    running.signal("SIGKILL");
    await assertStops(running, below);
  });
}

Deno.test("skep acp ends when a launcher dies that another one stands before, as npx before deno task", async () => {
  await using folder = await tempFolder();
  const [program, args] = skepCommand(["acp"]);
  // Each shell waits for what it runs and passes no signal on.
  const inner = '"$@"; true';
  const outer = `/bin/sh -c '${inner}' sh "$@"; true`;
  const command = ["-c", outer, "sh", program, ...args];
  const options = { cwd: folder.path, env: childEnv(folder.path) };
  await using running = new Running("/bin/sh", command, options);
  await new Promise((resolve) => setTimeout(resolve, 4000)); // it looks around after a while
  const below = await descendants(running.pid);
  assertEquals(below.length, 2);
  running.signal("SIGKILL");
  await assertStops(running, below);
});

Deno.test("skep acp ends when what started it dies before a client said anything", async () => {
  await using folder = await tempFolder();
  await using running = startBelowShell(["acp"], folder.path);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const below = await descendants(running.pid);
  assertEquals(below.length, 1);
  running.signal("SIGKILL");
  await assertStops(running, below);
});

Deno.test("a cancelled shell command is gone soon, and the next prompt works (cancel_kills_inflight_tool_via_mcp_notification, T09, T12, T13)", async () => {
  await using folder = await tempFolder();
  const acp = await startAcp(["--sandbox", "off"]);
  await using running = acp.running;
  const sessionId = await acp.open(folder.path);
  const turn = await acp.prompt(sessionId, '/dev__shell command="sleep 7777"');
  const below = await untilGrandchild(running.pid);
  const { stdout } = await runChild("/bin/ps", ["-o", "pid=,args=", "-p", below.join(",")], {});
  const sleeping = stdout.split("\n").filter((line) => line.includes("sleep 7777"))
    .map((line) => Number(line.trim().split(" ")[0]));
  await acp.notify("session/cancel", { sessionId });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assertEquals(await waitForEnd(sleeping), []);
  assertEquals(await acp.turn(sessionId, '/dev__shell command="echo again"'), {
    stopReason: "end_turn",
  });
  assertStringIncludes(acp.said(), "again");
  await running.closeStdin();
  assertEquals(await assertStops(running, below), 0);
});

Deno.test("skep acp that is killed leaves no server that heeds the end of its input", async () => {
  await using folder = await tempFolder();
  const file = await serverFile(folder.path, { fake: fakeServer() });
  const acp = await startAcp(["--mcp", file]);
  await using running = acp.running;
  await acp.open(folder.path);
  const below = await descendants(running.pid);
  running.signal("SIGKILL");
  await running.ended;
  assertEquals(await waitForEnd(below, SOON_MS), []);
  assertEquals(await alive(below), []);
});
