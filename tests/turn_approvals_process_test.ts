// Rules about calls: who is asked, what is shown, and what no answer and no model can change.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { WireMessage } from "./acp_process.ts";
import {
  fakeServer,
  HAS_TERMINAL,
  serverFile,
  skep,
  startInTerminal,
  tempFolder,
} from "./harness.ts";
import { calls, says, startTurns, type TurnWorld } from "./turn_harness.ts";

/** A persona in a folder of its own, with these rules. */
async function personaWith(folder: string, approvals: unknown): Promise<string> {
  const path = join(folder, "careful.persona.md");
  const fields = { name: "careful", display_name: "Careful", description: "Asks.", approvals };
  await Deno.writeTextFile(path, `---\n${JSON.stringify(fields)}\n---\nBe careful.\n`);
  return path;
}

/** An agent whose persona has these rules. */
async function asking(
  approvals: unknown,
  replies: Parameters<typeof startTurns>[0],
  folder: string,
): Promise<TurnWorld> {
  const persona = await personaWith(folder, approvals);
  return await startTurns(replies, {
    knobs: ["--shell-tool", `--call-received=${join(folder, "received")}`],
    permissions: { write: [folder] },
    args: ["--persona", persona],
  });
}

/** The question of that number, as it came to the client. */
async function question({ acp }: TurnWorld, number = 0): Promise<WireMessage> {
  const asked = () =>
    acp.messages().filter(({ method }) => method === "session/request_permission");
  await acp.running.until(() => asked().length > number);
  return asked()[number]!;
}

async function answer({ acp }: TurnWorld, { id }: WireMessage, optionId: string): Promise<void> {
  const result = { outcome: { outcome: "selected", optionId } };
  await acp.running.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

const ASK = [{ ask: "fake__shell" }];
const shell = (command: string) => calls("fake__shell", { command });

Deno.test("a call that a rule asks about waits for the client, and a scope covers what is like it (T78)", async () => {
  await using folder = await tempFolder();
  await using world = await asking(ASK, [
    shell("git log -1"),
    shell("git log -2"),
    shell("git push"),
    says("ok"),
  ], folder.path);
  const turn = await world.acp.prompt(world.sessionId, "go");
  const first = await question(world);
  const options: WireMessage[] = first.params.options;
  assertEquals(options.map(({ optionId }) => optionId), ["once", "session", "always", "deny"]);
  assertStringIncludes(options[1]!.name, "git log *");
  await answer(world, first, "session");
  const second = await question(world, 1);
  assertStringIncludes(JSON.stringify(second.params.toolCall), "git push");
  await answer(world, second, "deny");
  assertEquals(await world.acp.answer(turn), { stopReason: "end_turn" });
  assertEquals(world.messages(2).at(-1).content, "git log -2");
  assertStringIncludes(world.messages(3).at(-1).content, "denied by the person who was asked");
});

Deno.test("what was allowed always is not asked again, by the next agent either", async () => {
  await using folder = await tempFolder();
  const persona = await personaWith(folder.path, ASK);
  const state = join(folder.path, "state");
  const work = join(folder.path, "work");
  await Deno.mkdir(work);
  const options = {
    knobs: ["--shell-tool"],
    args: ["--persona", persona],
    env: { SKEP_STATE_DIR: state },
    params: { cwd: work },
  };
  {
    await using world = await startTurns([shell("git log -1"), says("ok")], options);
    const turn = await world.acp.prompt(world.sessionId, "go");
    await answer(world, await question(world), "always");
    assertEquals(await world.acp.answer(turn), { stopReason: "end_turn" });
  }
  await using next = await startTurns([shell("git log -2"), says("ok")], options);
  assertEquals(await next.prompt("go"), { stopReason: "end_turn" });
  assertEquals(next.messages(1).at(-1).content, "git log -2");
});

Deno.test("what is asked is what runs, to the byte, its hidden characters shown (T76)", async () => {
  await using folder = await tempFolder();
  const command = `rm -rf ~ \u202e#txt\n\n\n${"x".repeat(10_000)}; rm -rf /`;
  await using world = await asking(ASK, [shell(command), says("ok")], folder.path);
  const turn = await world.acp.prompt(world.sessionId, "go");
  const { params, id } = await question(world);
  const { text } = params.toolCall.content[0].content;
  assertStringIncludes(text, `rm -rf ~ \\u{202e}#txt\\n\\n\\n${"x".repeat(10_000)}; rm -rf /`);
  assertEquals(params.toolCall.rawInput, { command });
  await answer(world, { id }, "once");
  assertEquals(await world.acp.answer(turn), { stopReason: "end_turn" });
  const received = JSON.parse(await Deno.readTextFile(join(folder.path, "received")));
  assertEquals(received.arguments, { command });
});

Deno.test("rules and hooks that speak of nothing were silent: they are named at the start, in the audit and in pack validate", async () => {
  await using folder = await tempFolder();
  const rules = [{ deny: "fake__shel" }, { ask: "gone__*" }, {
    deny: "fake__shell",
    command: "rm *",
  }];
  const persona = await personaWith(folder.path, rules);
  const policy = join(folder.path, "policy.yaml");
  await Deno.writeTextFile(policy, JSON.stringify({ approvals: [{ deny: "elsewhere__x" }] }));
  const mcp = await serverFile(folder.path, { fake: fakeServer(["--shell-tool"]) });
  const args = ["--sandbox", "off", "--persona", persona, "--mcp", mcp, "--policy", policy];
  const env = { SKEP_HOOK_SERVERS: "nobody,fake", SKEP_CLOSED_HOOKS: "fake:_PreToolUse" };
  const about = (text: string) =>
    text.split("\n").filter((line) => /approvals\[|hook|about no server/.test(line));
  const chat = await skep(["chat", ...args, "-p", "/help"], { env });
  assertEquals(about(chat.stderr), [
    `approvals[0] of ${persona} (deny: fake__shel) speaks of no call: there is no such tool; did you mean fake__shell?`,
    `approvals[1] of ${persona} (ask: gone__*) speaks of no call: there is no such tool`,
    'The hooks of "nobody" are asked for: it is no server',
    'Server "fake" has no hook _PreToolUse, which is to decide: what it was to judge is denied',
  ]);
  const audit = await skep(["audit", ...args], { env });
  assertEquals(about(audit.stderr), [
    `approvals[1] of ${persona}: ask: gone__* is about no server: there are fake`,
    `approvals[0] of ${policy}: deny: elsewhere__x is about no server: there are fake`,
    'The hooks of "nobody" are asked for: it is no server',
  ]);
  const { stdout } = await skep(["pack", "validate", persona]);
  assertStringIncludes(stdout, `warning: the rule "ask gone__*" speaks of no call`);
});

Deno.test("a cancel while a question is open cancels it, whatever is answered then (T11)", async () => {
  await using folder = await tempFolder();
  await using world = await asking(ASK, [shell("ls"), says("ok")], folder.path);
  const { acp, sessionId } = world;
  const turn = await acp.prompt(sessionId, "go");
  const open = await question(world);
  await acp.notify("session/cancel", { sessionId });
  await answer(world, open, "once");
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assert(acp.updates().every(({ status }) => status !== "in_progress"), "the call ran");
  assertEquals(await world.prompt("again"), { stopReason: "end_turn" });
});

Deno.test("a call is denied by any spelling of what a rule denies, and nobody is asked (T70, T84)", async () => {
  await using folder = await tempFolder();
  const rules = [{ deny: "*__shell", command: "curl *" }, { deny: "fake__echo" }];
  await using world = await asking(rules, [
    shell("env A=1 curl x"),
    calls("fake__echo", { text: "a" }),
    shell("git status"),
    says("ok"),
  ], folder.path);
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertStringIncludes(world.messages(1).at(-1).content, "denied by a rule: deny *__shell");
  assertStringIncludes(world.messages(2).at(-1).content, "denied by a rule: deny fake__echo");
  assertEquals(world.messages(3).at(-1).content, "git status");
});

Deno.test("without an approver a call that needs one is denied and says so; one that is allowed runs (T74)", async () => {
  await using folder = await tempFolder();
  const persona = await personaWith(folder.path, [{ ask: "fake__shell" }, { allow: "fake__echo" }]);
  const file = await serverFile(folder.path, { fake: fakeServer(["--shell-tool"]) });
  const args = ["chat", "--sandbox", "off", "--persona", persona, "--mcp", file, "-p"];
  const denied = await skep([...args, "/fake__shell command=ls"]);
  assertStringIncludes(denied.stdout, "there is no approver here (ask fake__shell");
  const ran = await skep([...args, "/fake__echo text=hello"]);
  assertEquals([ran.code, ran.stdout], [0, "hello\n"]);
});

Deno.test("no tool of the model's changes a grant or a rule (T67)", async () => {
  await using folder = await tempFolder();
  await using world = await asking(
    [{ deny: "fake__shell" }],
    [calls("grant-network-permission", { host: "*" }), says("ok")],
    folder.path,
  );
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertStringIncludes(world.messages(1).at(-1).content, "unknown tool: grant-network-permission");
  const tools: WireMessage[] = world.provider.requests[0]!.body.tools;
  const names = tools.map((tool) => tool.function.name);
  assertEquals(names.filter((name) => /grant|permission|approv|policy/i.test(name)), []);
});

Deno.test("in plan mode only what can change nothing by its grant is run", async () => {
  await using world = await startTurns([
    calls("fake__echo", { text: "looked" }),
    calls("writer__echo", { text: "wrote" }),
    says("ok"),
    calls("writer__echo", { text: "wrote" }),
    says("ok"),
  ], {
    knobs: [],
    servers: { writer: fakeServer([], { permissions: { write: ["${WORKSPACE}"] } }) },
  });
  const { acp, sessionId } = world;
  assertEquals(await acp.request("session/set_mode", { sessionId, modeId: "plan" }), {});
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.messages(1).at(-1).content, "looked");
  assertStringIncludes(world.messages(2).at(-1).content, "the session is in plan mode");
  await acp.request("session/set_mode", { sessionId, modeId: "normal" });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.messages(4).at(-1).content, "wrote");
});

Deno.test({
  name: "skep chat asks the person at the terminal, and takes what was typed before for no answer",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using folder = await tempFolder();
    const persona = await personaWith(folder.path, ASK);
    const file = await serverFile(folder.path, { fake: fakeServer(["--shell-tool"]) });
    await using chat = await startInTerminal([
      ...["chat", "--sandbox", "off", "--persona", persona, "--mcp", file],
    ]);
    await chat.until(({ stdout }) => stdout.includes("> "));
    await chat.write("/fake__shell command=whoami\ry\r"); // the second line is typed too early
    await chat.until(({ stdout }) => stdout.includes("May fake__shell run?"));
    await chat.write("maybe\r");
    await chat.until(({ stdout }) => stdout.includes("Answer with y, s, a, n"));
    await chat.write("n\r");
    await chat.until(({ stdout }) => stdout.includes("denied by the person who was asked"));
    await chat.write("/exit\r");
    assertEquals((await chat.ended).code, 0);
  },
});

Deno.test("a rule about a server as it is configured had no effect where it is listed under another name", async () => {
  await using folder = await tempFolder();
  const persona = await personaWith(folder.path, [{ deny: "a__b__echo" }, { deny: "a__b__ehco" }]);
  const file = await serverFile(folder.path, { a__b: fakeServer([]) });
  const args = ["chat", "--sandbox", "off", "--persona", persona, "--mcp", file, "-p"];
  const { stdout, stderr } = await skep([...args, "/a_b__echo text=hello"]);
  assertStringIncludes(stdout, "denied by a rule: deny a__b__echo");
  assertStringIncludes(stderr, "(deny: a__b__ehco) speaks of no call");
  assert(!stderr.includes("(deny: a__b__echo)"), stderr);
});
