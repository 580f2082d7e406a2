// Servers as processes: how they start, are called, die, start again and are stopped.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SkepError } from "../lib/errors.ts";
import type { KnownLists } from "../lib/mcp/known_lists.ts";
import type { ToolList } from "../lib/mcp/tool_list.ts";
import {
  type Fake,
  launchOf,
  listed,
  readPid,
  type Started,
  startFakes,
  stateOf,
  textOf,
  until,
} from "./fake_servers.ts";
import { alive, SOON_MS, tempFolder, waitForEnd } from "./harness.ts";

Deno.test("startRegistry() runs several servers side by side, with their arguments as they are (T34)", async () => {
  await using session = await startFakes([
    { name: "one", knobs: ["--x", "a b", "", "ü"] },
    { name: "two" },
  ]);
  assertEquals(await session.call("one__argv"), {
    isError: false,
    content: [{ type: "text", text: '["--x","a b","","ü"]' }],
  });
  assertEquals(textOf(await session.call("two__argv")), "[]");
  assertEquals(session.notices, []);
  assertEquals(session.registry.servers().map(({ name, state }) => [name, state]), [
    ["one", "healthy"],
    ["two", "healthy"],
  ]);
});

Deno.test("startRegistry() gives a server exactly the environment of its launch", async () => {
  await using session = await startFakes([{
    name: "a",
    flags: ["--allow-env"],
    env: { FOO: "1" },
  }]);
  const { FOO, HOME, USER } = JSON.parse(textOf(await session.call("a__env")));
  assertEquals({ FOO, HOME, USER }, { FOO: "1", HOME: undefined, USER: undefined });
});

Deno.test("startRegistry() starts the others when one program does not exist (T27)", async () => {
  await using session = await startFakes([{ name: "bad", program: "/no/such" }, { name: "good" }]);
  assertEquals(textOf(await session.call("good__echo", { text: "hi" })), "hi");
  assertEquals(stateOf(session, "bad"), "exhausted");
  assertEquals(session.notices.length, 1);
  assertStringIncludes(session.notices[0] ?? "", 'Server "bad" cannot be started: ');
  assertStringIncludes(session.notices[0] ?? "", "/no/such");
});

Deno.test("startRegistry() starts the others when one entry is refused (T28)", async () => {
  const released: string[] = [];
  const fakes = [{ name: "bad" }, { name: "good" }];
  await using session = await startFakes(fakes, {}, {
    prepare: (spec) =>
      spec.name === "bad"
        ? Promise.reject(new Error("No network for it"))
        : Promise.resolve(launchOf(spec, { name: "good" }, released)),
  });
  assertEquals(textOf(await session.call("good__echo", { text: "hi" })), "hi");
  assertEquals(session.notices, ['Server "bad" is not started: No network for it']);
  assertEquals(session.registry.servers()[0], {
    name: "bad",
    state: "refused",
    reason: "No network for it",
    tools: [],
  });
});

Deno.test("startRegistry() says how a server ended that exits at its start, with its last words", async () => {
  await using session = await startFakes([{
    name: "a",
    knobs: ["--exit-init=3", "--stderr=no config"],
  }]);
  assertEquals(session.notices, [
    'Server "a" exited with code 3; the end of its stderr: no config',
  ]);
});

Deno.test("startRegistry() gives a server up that never answers, and leaves nothing of it (mcp_init_timeout_kills_child)", async () => {
  await using folder = await tempFolder();
  const pidFile = join(folder.path, "pid");
  await using session = await startFakes([
    { name: "a", flags: ["--allow-write"], knobs: ["--hang-init", `--pid-file=${pidFile}`] },
    { name: "b", knobs: ["--hang-tools"] },
  ], { serverInitTimeoutS: 5 });
  assertEquals(session.notices, [
    'Server "a" did not answer initialize within 5 s',
    'Server "b" did not answer tools/list within 5 s',
  ]);
  assertEquals(await alive([await readPid(pidFile)]), []);
});

Deno.test("startRegistry() throws CANCELLED and stops what it started when its signal is aborted", async () => {
  await using folder = await tempFolder();
  const pidFile = join(folder.path, "pid");
  const fake = {
    name: "a",
    flags: ["--allow-write"],
    knobs: ["--hang-init", `--pid-file=${pidFile}`],
  };
  const abort = new AbortController();
  const released: string[] = [];
  const starting = startFakes([fake], {}, {
    signal: abort.signal,
    prepare: (spec) => Promise.resolve(launchOf(spec, fake, released)),
  });
  const pid = await readPid(pidFile);
  abort.abort();
  const error = await assertRejects(() => starting, SkepError);
  assertEquals(error.code, "CANCELLED");
  assertEquals(await alive([pid]), []);
  assertEquals(released, ["a"]);
});

Deno.test("close() leaves nothing of a server that ignores EOF and TERM, nor its grandchild (T01)", async () => {
  await using folder = await tempFolder();
  const pidFile = join(folder.path, "pid");
  const childFile = join(folder.path, "child");
  const knobs = [
    "--ignore-eof",
    "--ignore-term",
    "--spawn-grandchild",
    `--pid-file=${pidFile}`,
    `--grandchild-pid-file=${childFile}`,
  ];
  const session = await startFakes([
    { name: "stubborn", flags: ["--allow-write", "--allow-run"], knobs },
    { name: "kind" },
  ]);
  const pids = [await readPid(pidFile), await readPid(childFile)];
  assertEquals((await alive(pids)).length, 2);
  const pending = session.call("stubborn__sleep", { ms: 60_000 });
  const startMs = performance.now();
  await session.registry.close();
  assert(performance.now() - startMs < SOON_MS);
  assertEquals(await waitForEnd(pids), []);
  assertEquals(session.released.sort(), ["kind", "stubborn"]);
  assertEquals(await pending, {
    isError: true,
    content: [{
      type: "text",
      text: 'Server "stubborn" was stopped with its session (before it answered "sleep")',
    }],
    isUndelivered: true,
  });
  assertEquals((await session.call("kind__echo")).isUndelivered, true);
});

Deno.test("close() leaves nothing of what a server started that exited by itself", async () => {
  await using folder = await tempFolder();
  const childFile = join(folder.path, "child");
  const knobs = ["--exit-idle=50", "--spawn-grandchild", `--grandchild-pid-file=${childFile}`];
  await using session = await startFakes([
    { name: "a", flags: ["--allow-write", "--allow-run"], knobs },
  ]);
  const pid = await readPid(childFile);
  await until(() => stateOf(session, "a") === "dead");
  assertEquals(await waitForEnd([pid]), []);
});

Deno.test("close() does not hang on a server that reads no more", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--stop-reading"] }], {
    maxServerQueueBytes: 1024 * 1024,
  });
  const text = "x".repeat(700_000);
  const results = [1, 2, 3].map(() => session.call("a__echo", { text }));
  const [first] = await Promise.all(results);
  assertStringIncludes(
    textOf(first ?? { isError: true, content: [] }),
    'Server "a" does not read its input: more than 1048576 bytes wait for it',
  );
  await session.registry.close();
});

Deno.test("call() gives a call up after its timeout, and the server goes on (T15)", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "cancelled");
  const received = join(folder.path, "received");
  const knobs = [`--cancel-log=${log}`, `--call-received=${received}`];
  await using session = await startFakes([{ name: "a", flags: ["--allow-write"], knobs }], {
    toolTimeoutS: 3,
  });
  const late = await session.call("a__sleep", { ms: 60_000 });
  assertEquals([late.isError, late.isUndelivered], [true, true]);
  assertStringIncludes(textOf(late), "no answer and no sign of progress within 3 s");
  assertEquals(textOf(await session.call("a__echo", { text: "still here" })), "still here");
  const { id } = JSON.parse((await Deno.readTextFile(received)).split("\n")[0] ?? "");
  assertEquals(JSON.parse(await Deno.readTextFile(log)), {
    requestId: id,
    reason: "no answer within 3 s",
  });
  assertEquals(session.logs.filter(({ kind }) => kind === "health"), []);
});

Deno.test("call() restarts a server that is stuck in a call that was given up (T15, 10.32 tool timeout kill)", async () => {
  await using session = await startFakes([{ name: "a" }], { toolTimeoutS: 4, pingServerMs: 2000 });
  assertEquals((await session.call("a__block", { ms: 60_000 })).isError, true);
  assertEquals(textOf(await session.call("a__echo", { text: "again" })), "again");
  assertEquals(session.logs.filter(({ kind }) => kind === "health").map(({ text }) => text), [
    "is stuck in a call that was given up",
    "restart 1 of 2",
  ]);
});

Deno.test("a server that was stuck in a cancelled call ran on until somebody called it again", async () => {
  await using folder = await tempFolder();
  const received = join(folder.path, "received");
  const knobs = [`--call-received=${received}`];
  await using session = await startFakes([{ name: "a", flags: ["--allow-write"], knobs }], {
    pingServerMs: 2000,
  });
  const abort = new AbortController();
  const call = session.call("a__block", { ms: 600_000 }, abort.signal);
  await until(() => Deno.readTextFile(received).then((text) => text !== "", () => false));
  abort.abort();
  await assertRejects(() => call, SkepError);
  await until(() => Promise.resolve(session.logs.some(({ kind }) => kind === "health")));
  assertEquals(session.logs.filter(({ kind }) => kind === "health").map(({ text }) => text), [
    "is stuck in a call that was given up",
  ]);
  assertEquals(textOf(await session.call("a__echo", { text: "again" })), "again");
  assertEquals(session.logs.filter(({ kind }) => kind === "health").at(-1)?.text, "restart");
});

Deno.test("programs ran on after a cancel where a server takes no notice of it and answers pings", async () => {
  await using folder = await tempFolder();
  const flags = ["--allow-write", "--allow-run=sleep"];
  await using session = await startFakes([{ name: "a", flags, knobs: ["--programs"] }], {
    pingServerMs: SOON_MS,
  });
  const health = () => session.logs.filter(({ kind }) => kind === "health").map(({ text }) => text);
  const started = async (path: string) =>
    (await Deno.readTextFile(path).catch(() => "")).trim().split("\n").filter((id) => id !== "")
      .map(
        Number,
      );
  assertEquals(textOf(await session.call("a__echo", { text: "hi" })), "hi");
  const cancelled = async (times: number) => {
    const path = join(folder.path, `pids-${times}`);
    const abort = new AbortController();
    const call = session.call("a__program", { path, times }, abort.signal);
    await until(async () => (await started(path)).length === 1);
    abort.abort();
    await assertRejects(() => call, SkepError);
    await until(async () => (await started(path)).length > Math.min(1, times - 1));
    await until(async () => (await alive(await started(path))).length === 0);
    return path;
  };
  await cancelled(1);
  assertEquals(textOf(await session.call("a__echo", { text: "again" })), "again");
  assertEquals(health(), []); // it goes on as it was: its program alone is gone
  const path = await cancelled(1000); // it starts one after the other
  await until(() => Promise.resolve(health().length > 0));
  assertEquals(await alive(await started(path)), []);
  assertEquals(health(), ["goes on with a call that was cancelled"]);
  assertEquals(textOf(await session.call("a__echo", { text: "anew" })), "anew");
});

Deno.test("call() has its whole time anew with each sign of progress (T16)", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--progress-ms=200"] }], {
    toolTimeoutS: 4,
  });
  assertEquals(textOf(await session.call("a__sleep", { ms: 9_000 })), "slept 9000");
});

Deno.test("call() throws CANCELLED at once and tells the server, which goes on", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "cancelled");
  const received = join(folder.path, "received");
  const knobs = [`--cancel-log=${log}`, `--call-received=${received}`];
  await using session = await startFakes([{ name: "a", flags: ["--allow-write"], knobs }]);
  const abort = new AbortController();
  const call = session.call("a__sleep", { ms: 60_000 }, abort.signal);
  await until(() => Deno.readTextFile(received).then((text) => text !== "", () => false));
  const startMs = performance.now();
  abort.abort();
  const error = await assertRejects(() => call, SkepError);
  assert(performance.now() - startMs < SOON_MS);
  assertEquals(error.code, "CANCELLED");
  assertEquals(textOf(await session.call("a__echo", { text: "next" })), "next");
  const { id } = JSON.parse((await Deno.readTextFile(received)).split("\n")[0] ?? "");
  assertEquals(JSON.parse(await Deno.readTextFile(log)), {
    requestId: id,
    reason: "the caller left",
  });
});

Deno.test("call() tells the server nothing of a call that was answered before the caller left", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "cancelled");
  await using session = await startFakes([
    { name: "a", flags: ["--allow-write"], knobs: [`--cancel-log=${log}`] },
  ]);
  const abort = new AbortController();
  await session.call("a__echo", {}, abort.signal);
  abort.abort();
  await session.call("a__echo");
  await assertRejects(() => Deno.stat(log), Deno.errors.NotFound);
});

Deno.test("call() starts a server again that exits after each answer, and reads its tools anew (T17)", async () => {
  await using session = await startFakes([
    { name: "a", knobs: ["--exit-after-call=0", "--tool-count=1"] },
  ]);
  for (const text of ["one", "two", "three", "four", "five"]) {
    assertEquals(textOf(await session.call("a__tool_0", { text })), text);
    await until(() => stateOf(session, "a") === "dead");
    assert(listed(session).includes("a__tool_0"), "it can be called, so it is listed");
  }
  assertEquals(session.notices, []);
});

Deno.test("call() is answered at once when the server dies in it, with the reason and its last words", async () => {
  await using session = await startFakes([{ name: "a" }]);
  assertEquals(await session.call("a__crash", { code: 9, text: "out of luck" }), {
    isError: true,
    content: [{
      type: "text",
      text:
        'Server "a" exited with code 9; the end of its stderr: out of luck (before it answered "crash")',
    }],
    isUndelivered: true,
  });
});

Deno.test("call() restarts a server that dies in every call until its third end in a row (10.32 restart)", async () => {
  await using session = await startFakes([{ name: "a" }], { restartBaseMs: 10 });
  for (let crashes = 1; crashes <= 3; crashes++) {
    assert(listed(session).length > 0);
    assertStringIncludes(textOf(await session.call("a__crash")), "exited with code 1");
  }
  assertEquals(listed(session), []);
  assertEquals(stateOf(session, "a"), "exhausted");
  assertEquals(session.notices, [
    'Server "a" exited with code 1; the end of its stderr: crashed\n' +
    "It ended too often and is not started again: its tools are gone. " +
    '"/mcp on a" in skep chat brings them back, "_skep/mcp/reload" over ACP',
  ]);
  assertEquals(textOf(await session.call("a__echo")), "unknown tool: a__echo");
});

Deno.test("call() counts restarts anew once a call is answered", async () => {
  await using session = await startFakes([{ name: "a" }], { restartBaseMs: 10 });
  for (let crashes = 1; crashes <= 5; crashes++) {
    await session.call("a__crash");
    assertEquals(textOf(await session.call("a__echo", { text: "back" })), "back");
  }
});

Deno.test("a server that dies while idle is noticed at once, and its next call starts it", async () => {
  await using session = await startFakes([{ name: "a", knobs: ["--exit-idle=1500"] }]);
  await until(() => stateOf(session, "a") === "dead");
  assertEquals(
    session.registry.servers()[0]?.reason,
    "exited with code 7 (its next call starts it again)",
  );
  assertEquals(textOf(await session.call("a__echo", { text: "hi" })), "hi");
});

Deno.test("a server that ends at its start because of its grant is told with what would allow it", async () => {
  const denial = { server: "a", access: "write", value: "/tmp/pid", isCertain: true };
  await using session = await startFakes([{ name: "a", knobs: ["--pid-file=/tmp/pid"] }], {}, {
    findDenial: (_, result) =>
      JSON.stringify(result).includes("Requires write access") ? denial : undefined,
    explainDenial: ({ access, value }) => `Allow it to ${access} ${value}`,
  });
  assertEquals(session.notices.length, 1);
  assertStringIncludes(session.notices[0] ?? "", 'Server "a" exited with code 1; ');
  assertStringIncludes(session.notices[0] ?? "", "\nAllow it to write /tmp/pid");
});

Deno.test("call() does not take a server for stuck that works on another call", async () => {
  await using session = await startFakes([{ name: "a" }], { toolTimeoutS: 20, pingServerMs: 100 });
  const abort = new AbortController();
  const long = session.call("a__block", { ms: 1_500 });
  const given = session.call("a__echo", {}, abort.signal);
  setTimeout(() => abort.abort(), 200);
  await assertRejects(() => given, SkepError);
  assertEquals(textOf(await session.call("a__echo", { text: "waited" })), "waited");
  assertEquals(textOf(await long), "blocked 1500");
});

Deno.test("five servers whose tools are known wait for their first call, four do not (T35)", async () => {
  await using folder = await tempFolder();
  const pidFile = (name: string) => join(folder.path, name);
  const fakes = (count: number) =>
    ["a", "b", "c", "d", "e"].slice(0, count).map((name) => (
      { name, flags: ["--allow-write"], knobs: [`--pid-file=${pidFile(name)}`] }
    ));
  const started = async () => {
    const names = await Array.fromAsync(Deno.readDir(folder.path), ({ name }) => name);
    for (const name of names) await Deno.remove(pidFile(name));
    return names.sort().join("");
  };
  const known = new Map<string, ToolList>();
  const lists: KnownLists = {
    recall: ({ name }) => Promise.resolve(known.get(name)),
    remember: ({ name }, _, list) => Promise.resolve(void known.set(name, list)),
  };
  const states = ({ registry }: Started) => registry.servers().map(({ state }) => state).join(" ");
  {
    await using first = await startFakes(fakes(5), {}, { lists });
    assertEquals([known.size, await started()], [5, "abcde"]);
    await until(() => states(first) === "idle idle idle idle idle");
  }
  {
    await using second = await startFakes(fakes(5), {}, { lists });
    assertEquals(states(second), "idle idle idle idle idle");
    assertEquals(listed(second).filter((name) => name.endsWith("__echo")).length, 5);
    assertEquals(textOf(await second.call("c__echo", { text: "hi" })), "hi");
    assertEquals(states(second), "idle idle healthy idle idle");
    assertEquals(await started(), "c");
  }
  await using third = await startFakes(fakes(4), {}, { lists });
  assertEquals(states(third), "healthy healthy healthy healthy");
});

Deno.test("a tool or argument that a remembered list does not have is refused only after its server was started", async () => {
  const number = { type: "object", properties: { text: { type: "number" } }, required: ["text"] };
  const old: ToolList = {
    tools: [{ name: "echo", description: "", inputSchema: number, notes: [] }],
    hooks: [],
    remarks: [],
  };
  const lists: KnownLists = {
    recall: () => Promise.resolve(old),
    remember: () => Promise.resolve(),
  };
  await using session = await startFakes([{ name: "a" }, { name: "b" }], { eagerServers: 1 }, {
    lists,
  });
  const states = () => session.registry.servers().map(({ state }) => state).join(" ");
  assertEquals([states(), listed(session)], ["idle idle", ["a__echo", "b__echo"]]);
  assertEquals(textOf(await session.call("a__echo", { text: "hi" })), "hi");
  assertEquals(states(), "healthy idle");
  assertEquals(textOf(await session.call("b__none")), "unknown tool: b__none");
  assertEquals(states(), "healthy healthy");
  assertEquals(listed(session).includes("b__fail"), true);
});

Deno.test("tools that a server added while it ran are not remembered for its next start", async () => {
  const known: string[][] = [];
  const lists: KnownLists = {
    recall: () => Promise.resolve(undefined),
    remember: (_, __, { tools }) => Promise.resolve(void known.push(tools.map(({ name }) => name))),
  };
  await using session = await startFakes([{ name: "a", knobs: ["--add-tool"] }], {}, { lists });
  await session.call("a__echo", { text: "hi" });
  await until(() => listed(session).includes("a__b"));
  assertEquals(known.map((names) => names.includes("b")), [false]);
});

Deno.test("a server that answers pings and no calls uses its restarts up (10.13)", async () => {
  await using session = await startFakes([{ name: "a" }], {
    ...{ toolTimeoutS: 1, lateCalls: 1, restartAttempts: 2, restartBaseMs: 10 },
  });
  const hang = () => session.call("a__sleep", { ms: 60_000 });
  assertStringIncludes(textOf(await hang()), "gave no answer");
  assertStringIncludes(textOf(await hang()), "gave no answer"); // the second start of it
  assertStringIncludes(textOf(await hang()), "let 1 calls in a row run out of time");
  assertEquals(stateOf(session, "a"), "exhausted");
  assertEquals(listed(session), []);
});

Deno.test("servers are added, switched off, started anew and removed while others go on", async () => {
  await using session = await startFakes([{ name: "a" }, { name: "b", knobs: ["--odd-names"] }]);
  const { registry } = session;
  const [spec] = registry.specs();
  assertEquals((await registry.add({ ...spec!, name: "a" })).name, "a-2");
  assertEquals(textOf(await session.call("a-2__echo", { text: "new" })), "new");
  assertEquals((await registry.disable("a")).state, "disabled");
  assertEquals(listed(session).includes("a__echo"), false);
  assertEquals(textOf(await session.call("a__echo")), "unknown tool: a__echo");
  assertEquals((await registry.reload("a")).state, "healthy");
  assertEquals(textOf(await session.call("a__echo", { text: "back" })), "back");
  assertEquals((await registry.reload("b", { ...spec!, name: "other" })).name, "b");
  assertEquals(listed(session).includes("b__fs_read"), false);
  await registry.remove("b");
  assertEquals(registry.servers().map(({ name }) => name), ["a", "a-2"]);
  await assertRejects(() => registry.remove("b"), SkepError, "this session has a, a-2");
  assertEquals(textOf(await session.call("a-2__echo", { text: "still" })), "still");
});

Deno.test("the start of a server that is added or started anew can be cancelled, and leaves nothing", async () => {
  await using folder = await tempFolder();
  const pidFile = join(folder.path, "pid");
  const knobs = ["--hang-init", `--pid-file=${pidFile}`];
  const hanging: Fake = { name: "slow", flags: ["--allow-write"], knobs };
  const released: string[] = [];
  await using session = await startFakes([{ name: "a" }], {}, {
    prepare: (spec) =>
      Promise.resolve(launchOf(spec, spec.args[0] === "0" ? { name: "a" } : hanging, released)),
  });
  const { registry } = session;
  const [spec] = registry.specs();
  const slow = { ...spec!, name: "slow", args: ["1"] };
  const cancelledStart = async (start: (signal: AbortSignal) => Promise<unknown>) => {
    const abort = new AbortController();
    const starting = start(abort.signal);
    const pid = await readPid(pidFile);
    abort.abort();
    const { code, message } = await assertRejects(() => starting, SkepError);
    assertEquals([code, await alive([pid])], ["CANCELLED", []]);
    await Deno.remove(pidFile);
    return message;
  };
  assertEquals(
    await cancelledStart((signal) => registry.add(slow, signal)),
    'The start of server "slow" was cancelled',
  );
  assertEquals([listed(session).length > 0, stateOf(session, "a")], [true, "healthy"]);
  assertEquals(registry.servers().map(({ name }) => name), ["a"]);
  await cancelledStart((signal) => registry.reload("a", slow, signal));
  assertEquals(registry.servers(), [{
    name: "a",
    state: "disabled",
    reason: "is off: its start was cancelled",
    tools: [],
  }]);
  assertEquals((await registry.reload("a", spec)).state, "healthy");
  assertEquals(session.notices, []);
});

Deno.test("arguments that do not fit are told to the model, and its server gets no call (10.20)", async () => {
  await using session = await startFakes([{ name: "a" }]);
  const wrong = await session.call("a__echo", { text: 5 });
  assertEquals(wrong, {
    isError: true,
    content: [{
      type: "text",
      text: "The arguments of a__echo do not fit, so it was not called:\n" +
        '- text: it must be of type "string", not "number"\nIt takes [text]: string',
    }],
    isUndelivered: true,
    isMisfit: true,
  });
});

Deno.test("SKEP_STRICT: a session with a bad server, name or number is none, and nothing is left of it", async () => {
  const strictly = async (fakes: readonly Fake[], limits = {}) => {
    const error = await assertRejects(
      () => startFakes(fakes, limits, { isStrict: true }),
      SkepError,
    );
    return error.message;
  };
  await using _fine = await startFakes([{ name: "a" }], {}, { isStrict: true });
  assertEquals(
    await strictly([{ name: "a" }, { name: "a" }]),
    'Cannot use server "a": another has its name',
  );
  assertStringIncludes(
    await strictly([{ name: "a", knobs: ["--hang-init"] }], { serverInitTimeoutS: 1 }),
    "did not answer initialize within 1 s",
  );
  assertStringIncludes(
    await strictly([{ name: "a", knobs: ["--tool-count=200"] }]),
    "Too many tools",
  );
  assertStringIncludes(await strictly([{ name: "a", knobs: ["--odd-names"] }]), '"fs.read"');
});
