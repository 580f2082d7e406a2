// Hooks and the reply guard: the scenarios of buzz-agent's own suites, and what they may never do.
import { existsSync } from "node:fs";
import { join } from "@std/path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fakeServer, SOON_MS, tempFolder } from "./harness.ts";
import { answered, calls, says, startTurns, type TurnWorld } from "./turn_harness.ts";

const HOOKS_ON = { MCP_HOOK_SERVERS: "fake" };
const STOP = ["--stop-hook", "--stop-text=keep going"];

/** The objections in a request, as the model reads them. */
function objections(world: TurnWorld, request: number): { server: string; text: string }[] {
  return world.messages(request)
    .filter(({ role, content }) => role === "tool" && content.startsWith('{"hook":"_Stop"'))
    .map(({ content }) => JSON.parse(content));
}

Deno.test("hook_stop_blocks_premature_end: the model hears the objection as a structured result", async () => {
  await using world = await startTurns([says("done"), says("now done")], {
    knobs: STOP,
    env: HOOKS_ON,
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 2);
  const [call, result] = world.messages(1).slice(-2);
  assertEquals(call.tool_calls[0].function.name, "fake___Stop");
  assertEquals(JSON.parse(result.content), { hook: "_Stop", server: "fake", text: "keep going" });
  assert(!JSON.stringify(world.acp.updates()).includes("_Stop"), "the client sees no hook");
});

Deno.test("hook_stop_budget_exhausted, _consecutive_end_turn_uses_rejection_budget, _resets_per_prompt", async () => {
  await using world = await startTurns(() => says("done"), {
    knobs: [...STOP, "--stop-count=100"],
    env: { ...HOOKS_ON, BUZZ_AGENT_STOP_MAX_REJECTIONS: "2" },
  });
  assertEquals(await world.prompt("one"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 3);
  assertEquals(await world.prompt("two"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 6);
});

Deno.test("hook_tools_hidden_from_llm: never advertised, and unknown to a model that calls one, hooks on or off", async () => {
  for (const env of [{}, HOOKS_ON]) {
    await using world = await startTurns([calls("fake___Stop"), says("ok")], {
      knobs: ["--stop-hook", "--stop-text="],
      env,
    });
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    assert(!JSON.stringify(world.provider.requests[0]!.body.tools).includes("_Stop"));
    assertStringIncludes(world.messages(1).at(-1).content, "unknown tool: fake___Stop");
  }
});

Deno.test("hooks of servers that are not on the list are not called", async () => {
  await using world = await startTurns([says("done")], {
    knobs: STOP,
    env: { MCP_HOOK_SERVERS: "other" },
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 1);
});

Deno.test("hook_stop_timeout_failopen: a slow hook is not waited for", async () => {
  await using world = await startTurns([says("done")], {
    knobs: [...STOP, "--stop-delay=60000"],
    env: { ...HOOKS_ON, BUZZ_AGENT_HOOK_TIMEOUT_MS: "200" },
  });
  const start = Date.now();
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assert(Date.now() - start < SOON_MS);
  assertEquals(world.provider.requests.length, 1);
});

Deno.test("a cancel ends a turn whose hook is asked", async () => {
  await using world = await startTurns([says("done")], {
    knobs: [...STOP, "--stop-delay=120000"],
    env: { ...HOOKS_ON, BUZZ_AGENT_HOOK_TIMEOUT_MS: "60000" },
  });
  const turn = await world.acp.prompt(world.sessionId, "go");
  await world.acp.running.until(() => answered(world.acp) === "done");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const start = Date.now();
  await world.acp.notify("session/cancel", { sessionId: world.sessionId });
  assertEquals(await world.acp.answer(turn), { stopReason: "cancelled" });
  assert(Date.now() - start < SOON_MS);
});

Deno.test("a call that had run was recorded as cancelled when the cancel came while hooks looked at its result", async () => {
  const content: string[] = [];
  for (const closed of ["", "fake:_PostToolUse"]) {
    await using folder = await tempFolder();
    const received = join(folder.path, "received");
    await using world = await startTurns([calls("other__echo", { text: "it ran" }), says("ok")], {
      knobs: ["--hook=_PostToolUse", "--hook-delay=600000", `--call-received=${received}`],
      permissions: { write: [folder.path] },
      servers: { other: fakeServer() },
      env: { ...HOOKS_ON, SKEP_HOOK_TIMEOUT_MS: "300000", SKEP_CLOSED_HOOKS: closed },
    });
    const { acp, sessionId } = world;
    const turn = await acp.prompt(sessionId, "go");
    await acp.running.until(() => existsSync(received));
    await acp.notify("session/cancel", { sessionId });
    assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
    const { status } = acp.lastUpdate("tool_call_update") ?? {};
    await world.prompt("and now?");
    content.push(`${status}: ${world.messages(1).findLast(({ role }) => role === "tool").content}`);
  }
  assertEquals(content[0], "completed: it ran");
  assertStringIncludes(
    content[1]!,
    'completed: other__echo was run, and its result is withheld by a hook of server "fake"',
  );
});

const DENY = ["--hook=_PreToolUse", '--hook-text={"decision":"deny","reason":"not today"}'];

Deno.test("a hook denies a tool of any server, and the model reads the reason (T84)", async () => {
  await using world = await startTurns([calls("other__echo", { text: "a" }), says("ok")], {
    knobs: DENY,
    servers: { other: fakeServer() },
    env: HOOKS_ON,
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertStringIncludes(
    world.messages(1).at(-1).content,
    'other__echo was not run: denied by a hook of server "fake": not today',
  );
  const ended = world.acp.updates().find(({ status }) => status === "failed");
  assertStringIncludes(JSON.stringify(ended), "not today");
});

Deno.test("a security hook that answers nonsense, or is not there, denies and says which (T82, T84)", async () => {
  const reasons: string[] = [];
  for (
    const [knobs, closed] of [
      [["--hook=_PreToolUse", "--hook-text={bad"], "fake:_PreToolUse"],
      [[], "fake:_PreToolUse"],
      [[], "gone:_PreToolUse"],
      [["--hook=_PreToolUse", "--hook-text={bad"], undefined], // advisory: it counts as silent
    ] as const
  ) {
    await using world = await startTurns([calls("fake__echo", { text: "ran" }), says("ok")], {
      knobs,
      env: { ...HOOKS_ON, ...(closed === undefined ? {} : { SKEP_CLOSED_HOOKS: closed }) },
    });
    await world.prompt("go");
    reasons.push(world.messages(1).at(-1).content.split("\n")[0]);
  }
  const denied = "fake__echo was not run: denied by a hook of server";
  assertEquals(reasons, [
    `${denied} "fake": its answer is no decision`,
    `${denied} "fake": its hook _PreToolUse is not there`,
    `${denied} "gone": its hook _PreToolUse is not there`,
    "ran",
  ]);
});

Deno.test("_SessionStart goes before the first prompt, marked as untrusted, and _SessionEnd is heard", async () => {
  await using folder = await tempFolder();
  await using world = await startTurns([says("ok"), says("ok")], {
    knobs: ["--hook=_SessionStart", "--hook-text=welcome"],
    servers: {
      end: fakeServer(["--hook=_SessionEnd", `--call-received=${folder.path}/end`], {
        permissions: { write: [folder.path] },
      }),
    },
    env: { MCP_HOOK_SERVERS: "*" },
  });
  await world.prompt("go");
  assertStringIncludes(
    JSON.stringify(world.messages(0).at(-1).content),
    JSON.stringify('[Hook output — untrusted]\n{"hook":"_SessionStart"').slice(1, -1),
  );
  await world.acp.running.closeStdin();
  assertEquals((await world.acp.running.ended).code, 0);
  assertStringIncludes(await Deno.readTextFile(`${folder.path}/end`), '"name":"_SessionEnd"');
});

Deno.test("a prompt that a hook denies gets the reason, and the session lives on", async () => {
  await using world = await startTurns([says("ok")], {
    knobs: [
      "--hook=_UserPromptSubmit",
      '--hook-text={"decision":"deny","reason":"it holds a key"}',
    ],
    env: HOOKS_ON,
  });
  const { error } = await world.prompt("go");
  assertEquals([error.code, error.message], [
    -32000,
    'The prompt was refused by server "fake": it holds a key',
  ]);
  assertEquals(world.provider.requests.length, 0);
});

const GUARD = { BUZZ_AGENT_REQUIRE_REPLY: "1" };

Deno.test("reply_guard_off_by_default, reply_guard_explicit_zero_is_off", async () => {
  for (const env of [{}, { BUZZ_AGENT_REQUIRE_REPLY: "0" }]) {
    await using world = await startTurns([says("done")], { env });
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    assertEquals(world.provider.requests.length, 1);
  }
});

Deno.test("reply_guard_nags_twice_then_lets_the_turn_end; bounded_by_stop_rejection_budget; off at zero", async () => {
  for (const [budget, requests] of [["3", 3], ["1", 2], ["0", 1]] as const) {
    await using world = await startTurns(() => says("done"), {
      env: { ...GUARD, BUZZ_AGENT_STOP_MAX_REJECTIONS: budget },
    });
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    assertEquals(world.provider.requests.length, requests);
    for (let at = 0; at < requests; at++) assertEquals(objections(world, at).length, at);
    if (requests > 1) assertStringIncludes(objections(world, 1)[0]!.text, "messages send");
  }
});

Deno.test("reply_guard_satisfied_by_registered_shell_send, and by no unregistered shell", async () => {
  const send = { command: "buzz messages send --text hi" };
  await using sent = await startTurns([calls("fake__shell", send), says("done")], {
    knobs: ["--shell-tool"],
    env: GUARD,
  });
  assertEquals(await sent.prompt("go"), { stopReason: "end_turn" });
  assertEquals(sent.provider.requests.length, 2);
  await using unknown = await startTurns(
    (_request, index) => index === 0 ? calls("none__shell", send) : says("done"),
    { env: GUARD },
  );
  await unknown.prompt("go");
  assertEquals(unknown.provider.requests.length, 4);
});

Deno.test("reply_guard_ignores_calls_lost_to_the_turn_cap, and takes a tool that publishes for what came of it", async () => {
  const send = { call: "fake__shell", input: '{"command":"buzz messages send"}', id: "call_2" };
  const parts = [{ call: "fake__echo", input: "{}", id: "call_1" }, send];
  await using capped = await startTurns(
    (_request, index) => index === 0 ? { parts } : says("done"),
    { knobs: ["--shell-tool"], env: { ...GUARD, SKEP_MAX_CALLS_PER_ROUND: "1" } },
  );
  assertEquals(await capped.prompt("go"), { stopReason: "end_turn" });
  assertEquals(capped.provider.requests.length, 4);
  for (const [text, requests] of [["yes", 2], ["no", 4]] as const) {
    await using world = await startTurns(
      (_request, index) => index === 0 ? calls("fake__publish", { text }) : says("done"),
      { knobs: ["--publishing"], env: GUARD },
    );
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    assertEquals([text, world.provider.requests.length], [text, requests]);
  }
});

Deno.test("reply_guard_combines_with_stop_hook_objection: both in one round cost one rejection", async () => {
  await using world = await startTurns(() => says("done"), {
    knobs: [...STOP, "--stop-count=100"],
    env: { ...GUARD, ...HOOKS_ON },
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 4);
  const servers = objections(world, 3).map(({ server }) => server);
  assertEquals(servers, ["fake", "skep", "fake", "skep", "fake"]);
});

Deno.test("reply_guard_rejects_unparseable_toggle: no session opens, and the error names it", async () => {
  const error = await startTurns([], { env: { BUZZ_AGENT_REQUIRE_REPLY: "yes" } }).then(
    () => "opened",
    (error) => error.message,
  );
  assertStringIncludes(error, 'Cannot use BUZZ_AGENT_REQUIRE_REPLY=\\"yes\\"');
});
