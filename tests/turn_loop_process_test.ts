// The scenarios of buzz-agent's own suites that are about turns, against the real agent.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { SOON_MS, tempFolder } from "./harness.ts";
import { activeRun, answered, calls, says, startTurns, totals } from "./turn_harness.ts";

const STEER = "_goose/unstable/session/steer";

Deno.test("text_only_end_turn, test_text_only_response, test_no_reasoning_no_thought_chunk: the run is advertised first, then the text, then the stop", async () => {
  await using world = await startTurns([says("hello")]);
  assertEquals(await world.prompt("hi"), { stopReason: "end_turn" });
  assertEquals(answered(world.acp), "hello");
  const first = world.acp.updates().find(({ sessionUpdate }) =>
    sessionUpdate === "session_info_update"
  );
  assert(/^run_[0-9a-f]{16}$/.test(first?._meta.goose.activeRunId));
  assertEquals(world.acp.lastUpdate("agent_thought_chunk"), undefined);
});

Deno.test("tool_call_then_end_turn, test_full_tool_call_transcript: an unknown tool fails with its call id, and the turn goes on", async () => {
  await using world = await startTurns([calls("nope"), says("sorry")]);
  assertEquals(await world.prompt("hi"), { stopReason: "end_turn" });
  const ended = world.acp.updates().find(({ status }) => status === "failed");
  assertEquals(ended?.toolCallId, "call_1");
  assertStringIncludes(JSON.stringify(ended), "unknown tool: nope");
  const result = world.messages(1).at(-1);
  assertEquals([result.role, result.tool_call_id], ["tool", "call_1"]);
  assertStringIncludes(JSON.stringify(result.content), "[Reflect]");
  assert(!JSON.stringify(ended).includes("[Reflect]"), "the note is for the model alone");
});

Deno.test("rejects_concurrent_prompts, test_concurrent_prompt_rejected: the second one at once, the first one lives", async () => {
  await using world = await startTurns([{ parts: [{ waitMs: 3000 }, { text: "one" }] }]);
  const first = await world.acp.prompt(world.sessionId, "one");
  const second = await world.prompt("two");
  assertEquals(second.error, { code: -32602, message: "session/prompt: prompt already in flight" });
  assertEquals(await world.acp.answer(first), { stopReason: "end_turn" });
});

Deno.test("a prompt with _meta.skep.queue waits for the one before it", async () => {
  await using world = await startTurns([
    { parts: [{ waitMs: 300 }, { text: "one" }] },
    says("two"),
  ]);
  const first = await world.acp.prompt(world.sessionId, "one");
  const second = await world.acp.send("session/prompt", {
    sessionId: world.sessionId,
    prompt: [{ type: "text", text: "two" }],
    _meta: { skep: { queue: true } },
  });
  assertEquals(await world.acp.answer(second), { stopReason: "end_turn" });
  assertEquals(await world.acp.answer(first), { stopReason: "end_turn" });
  assertEquals(answered(world.acp), "onetwo");
});

Deno.test("steer_folds_into_active_turn_without_cancelling, also in the last round", async () => {
  await using world = await startTurns([
    { parts: [{ text: "done" }, { waitMs: 800 }] },
    says(", and that"),
  ]);
  const { acp, sessionId } = world;
  const turn = await acp.prompt(sessionId, "go");
  const expectedRunId = await activeRun(acp);
  await acp.running.until(() => answered(acp) !== "");
  const prompt = [{ type: "text", text: "also that" }];
  const reply = await acp.request(STEER, { sessionId, prompt, expectedRunId });
  assert(/^steer_[0-9a-f]{16}$/.test(reply.messageId));
  assertEquals(await acp.answer(turn), { stopReason: "end_turn" });
  assertEquals(answered(acp), "done, and that");
  const { role, content } = world.messages(1).at(-1);
  assertEquals([role, JSON.stringify(content).includes("also that")], ["user", true]);
});

Deno.test("steer_rejected_when_no_active_run, steer_rejected_on_run_id_mismatch, steer_rejected_on_empty_prompt: the turn is unaffected", async () => {
  await using world = await startTurns([{ parts: [{ waitMs: 600 }, { text: "ok" }] }]);
  const { acp, sessionId } = world;
  const prompt = [{ type: "text", text: "x" }];
  const code = async (params: object) =>
    (await acp.request(STEER, { sessionId, prompt, ...params })).error?.code;
  assertEquals(await code({ expectedRunId: "run_0" }), -32602);
  const turn = await acp.prompt(sessionId, "go");
  const run = await activeRun(acp);
  assertEquals(await code({ expectedRunId: "run_0" }), -32602);
  assertEquals(await code({ expectedRunId: run, prompt: [] }), -32602);
  assertEquals(await acp.answer(turn), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 1);
});

Deno.test("usage_is_reported_after_each_round_not_only_at_turn_end, usage_notification_emitted_before_prompt_response, mid_turn_usage_includes_earlier_turns", async () => {
  await using world = await startTurns([
    calls("nope", {}, { input: 10, output: 1 }),
    says("one", { input: 20, output: 2 }),
    says("two", { input: 30, output: 3 }),
  ]);
  await world.prompt("a");
  await world.prompt("b");
  const counts = totals(world.acp).map((each) => [
    each.accumulatedInputTokens,
    each.accumulatedOutputTokens,
  ]);
  assertEquals(counts, [[10, 1], [30, 3], [60, 6]]);
  const kinds = world.acp.messages().map(({ method, result }) =>
    result?.stopReason ?? (method?.startsWith("_goose") ? "usage" : "")
  ).filter((each) => each !== "");
  assertEquals(kinds, ["usage", "usage", "end_turn", "usage", "end_turn"]);
});

Deno.test("session_total_poisoned_by_missing_total_and_stays_poisoned; new_session_resets_total_accumulation", async () => {
  const told = (total: number | null) => says("x", { input: 10, output: 1, total });
  await using world = await startTurns([told(50), told(null), told(50), told(7)]);
  for (const text of ["a", "b", "c"]) await world.prompt(text);
  const cwd = world.folder;
  const { sessionId } = await world.acp.request("session/new", { cwd, mcpServers: [] });
  await world.acp.turn(sessionId, "d");
  const counts = totals(world.acp).map((each) => [
    each.accumulatedInputTokens,
    each.accumulatedTotalTokens,
  ]);
  assertEquals(counts, [[10, 50], [20, undefined], [30, undefined], [10, 7]]);
});

Deno.test("no_usage_turn_emits_no_usage_notification", async () => {
  await using world = await startTurns([says("x")]);
  await world.prompt("a");
  assertEquals(totals(world.acp), []);
});

Deno.test("assistant_text_preserved_across_prompts, and a cancel leaves a valid history", async () => {
  await using world = await startTurns([
    says("first answer"),
    { parts: [{ text: "half" }, { waitMs: 20_000 }] },
    says("third"),
  ]);
  const { acp, sessionId } = world;
  await world.prompt("a");
  const turn = await acp.prompt(sessionId, "b");
  await acp.running.until(() => answered(acp).endsWith("half"));
  assertEquals(await acp.request("session/cancel", { sessionId }), { error: undefined });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assertEquals(await world.prompt("c"), { stopReason: "end_turn" });
  const roles = world.messages(2).map(({ role }) => role).filter((role) => role !== "system");
  assertEquals(roles, ["user", "assistant", "user", "assistant", "user"]);
  assertStringIncludes(JSON.stringify(world.messages(1)), "first answer");
});

Deno.test("a cancel right behind a prompt ends that prompt, and one right behind the cancel runs (T12)", async () => {
  await using world = await startTurns(({ body }) => {
    const isFirst = !JSON.stringify(body.messages).includes("two");
    return isFirst ? { parts: [{ waitMs: 20_000 }] } : says("second");
  });
  const { acp, sessionId } = world;
  const first = await acp.prompt(sessionId, "one");
  await acp.notify("session/cancel", { sessionId });
  const second = await acp.prompt(sessionId, "two");
  assertEquals(await acp.answer(first), { stopReason: "cancelled" });
  assertEquals(await acp.answer(second), { stopReason: "end_turn" });
  assertEquals(answered(acp), "second");
});

Deno.test("test_thought_chunk_emitted_before_message_chunk, test_acp_v2_chunks_carry_message_id", async () => {
  const reply = { parts: [{ reasoning: "hm" }, { text: "yes" }] };
  await using world = await startTurns([reply, reply]);
  await world.prompt("one");
  await world.prompt("two");
  const chunks = world.acp.updates().filter(({ sessionUpdate, messageId }) =>
    sessionUpdate.endsWith("_chunk") && !messageId.startsWith("notice-")
  );
  assertEquals(
    chunks.map(({ sessionUpdate, messageId }, at) => [
      sessionUpdate,
      chunks.findIndex((each) => each.messageId === messageId) === at,
    ]).filter(([, isFirst]) => isFirst).map(([kind]) => kind),
    ["agent_thought_chunk", "agent_message_chunk", "agent_thought_chunk", "agent_message_chunk"],
  );
});

Deno.test("cancelled_turn_with_usage_emits_notification_before_response: what a finished round took is told before the response", async () => {
  await using world = await startTurns([
    calls("fake__sleep", { ms: 60_000 }, { input: 7, output: 1 }),
  ], { knobs: [] });
  const { acp, sessionId } = world;
  const turn = await acp.prompt(sessionId, "go");
  await acp.running.until(() => acp.updates().some(({ status }) => status === "in_progress"));
  await acp.notify("session/cancel", { sessionId });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assertEquals(totals(acp)[0]?.accumulatedInputTokens, 7);
});

Deno.test("cancel_sends_notifications_cancelled_to_any_mcp_server, for the very call, and nothing comes after the stop", async () => {
  await using folder = await tempFolder();
  const log = join(folder.path, "cancelled");
  const received = join(folder.path, "received");
  await using world = await startTurns([calls("fake__sleep", { ms: 60_000 })], {
    knobs: [`--cancel-log=${log}`, `--call-received=${received}`],
    permissions: { write: [folder.path] },
  });
  const { acp, sessionId } = world;
  const turn = await acp.prompt(sessionId, "go");
  await acp.running.until(() => acp.updates().some(({ status }) => status === "in_progress"));
  await acp.notify("session/cancel", { sessionId });
  const start = Date.now();
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assert(Date.now() - start < SOON_MS, "the call ran on");
  const count = acp.messages().length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals(acp.messages().length, count);
  const [call] = (await Deno.readTextFile(received)).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals(JSON.parse(await Deno.readTextFile(log)).requestId, call.id);
});

Deno.test("per_turn_tool_call_cap_enforced: 64 calls are run, the others are told so", async () => {
  const parts = Array.from({ length: 70 }, (_, index) => (
    { call: "fake__echo", input: `{"text":"${index}"}`, id: `call_${index}` }
  ));
  await using world = await startTurns([{ parts }, says("ok")], { knobs: [] });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  const started = world.acp.updates().filter(({ status }) => status === "in_progress");
  assertEquals(started.length, 64);
  const results = world.messages(1).filter(({ role }) => role === "tool");
  assertEquals(results.length, 70);
  assertStringIncludes(JSON.stringify(results.at(-1)), "not run: a reply may ask for 64 calls");
});

Deno.test("a call without a name was dropped, and its arguments went to the call before it", async () => {
  const call = (name: string, text: string, id: string) => ({
    ...{ call: name, id },
    input: JSON.stringify({ text }),
  });
  const parts = [
    call("fake__echo", "one", "c1"),
    call("", "two", "c2"),
    call("fake__echo", "three", "c3"),
  ];
  for (const reply of [parts, parts.slice(1, 2)]) {
    await using world = await startTurns([{ parts: reply }, says("ok")], { knobs: [] });
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    const results = world.messages(1).filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => `${id}: ${content.split("\n")[0]}`).sort();
    const expected = ["c1: one", "c2: This call named no tool. Call one by its name.", "c3: three"];
    assertEquals(results, reply === parts ? expected : expected.slice(1, 2));
  }
});

Deno.test("the round limit ends a turn as max_turn_requests, its calls answered", async () => {
  await using world = await startTurns(() => calls("nope"), { env: { SKEP_MAX_ROUNDS: "2" } });
  assertEquals(await world.prompt("go"), { stopReason: "max_turn_requests" });
  assertEquals(world.provider.requests.length, 2);
});

Deno.test("max_tokens_recovers_in_turn_without_running_partial_tool_call", async () => {
  const cut = {
    parts: [{ text: "I will" }, { call: "fake__echo", input: '{"text":"a', id: "c" }],
    stop: "length",
  };
  await using world = await startTurns([cut, says(" do it")], { knobs: [] });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.acp.updates().filter(({ toolCallId }) => toolCallId), []);
  const [said, told] = world.messages(1).slice(-2);
  assertEquals([said.role, said.content, told.role], ["assistant", "I will", "user"]);
  assertStringIncludes(JSON.stringify(told.content), "fake__echo");
});

Deno.test("default_max_tokens_recovery_budget_is_exact: 3 recoveries, 4 requests; 0 is none", async () => {
  const cut = { parts: [{ text: "x" }], stop: "length" };
  await using world = await startTurns(() => cut);
  assertEquals(await world.prompt("go"), { stopReason: "max_tokens" });
  assertEquals(world.provider.requests.length, 4);
  await using none = await startTurns(() => cut, { env: { BUZZ_AGENT_MAX_TOKEN_RECOVERIES: "0" } });
  assertEquals(await none.prompt("go"), { stopReason: "max_tokens" });
  assertEquals(none.provider.requests.length, 1);
});

const TOO_LONG = {
  status: 400,
  body: JSON.stringify({ error: { code: "context_length_exceeded", message: "too long" } }),
};

Deno.test("max_tokens_recovery_can_proceed_to_tool_call, and respects_finite_round_cap", async () => {
  const cut = { parts: [{ text: "I will" }], stop: "length" };
  const replies = [cut, calls("fake__echo", { text: "ran" }), says("done")];
  await using world = await startTurns(replies, { knobs: [] });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertStringIncludes(JSON.stringify(world.messages(2).at(-1)), "ran");
  await using capped = await startTurns(() => cut, { env: { SKEP_MAX_ROUNDS: "2" } });
  assertEquals(await capped.prompt("go"), { stopReason: "max_turn_requests" });
  assertEquals(capped.provider.requests.length, 2);
});

Deno.test("max_token_recoveries_rejects_unparseable_value, and names it", async () => {
  const opened = startTurns([], { env: { SKEP_MAX_TOKEN_RECOVERIES: "many" } });
  const error = await opened.then(() => "opened", (error) => error.message);
  assertStringIncludes(error, "SKEP_MAX_TOKEN_RECOVERIES");
});

Deno.test("empty_assistant_serializes_as_empty_string, never null", async () => {
  await using world = await startTurns([
    calls("fake__echo", { text: "a" }),
    says("done"),
  ], { knobs: [] });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertEquals(world.messages(1).at(-2).content, "");
});

Deno.test("context_window_400_recovers_instead_of_sticking", async () => {
  await using world = await startTurns([
    calls("fake__echo", { text: "x".repeat(20_000) }),
    says("noted"),
    TOO_LONG,
    says("a summary of what was before"),
    says("fits"),
  ], { knobs: [] });
  await world.prompt("go");
  assertEquals(await world.prompt("again"), { stopReason: "end_turn" });
  const [refused, sent] = [2, 4].map((at) => JSON.stringify(world.messages(at)).length);
  assert(sent! < refused! / 2, `${sent} of ${refused}`);
  assertStringIncludes(JSON.stringify(world.messages(4).at(-1)), "again");
});

Deno.test("small_history_context_400_refuses_rescue_at_the_prompt_floor, and an ordinary 400 stays terminal", async () => {
  await using world = await startTurns([TOO_LONG, {
    status: 400,
    body: '{"error":{"message":"bad"}}',
  }]);
  assertEquals((await world.prompt("go")).error?.code, -32000);
  assertEquals((await world.prompt("go")).error?.code, -32000);
  assertEquals(world.provider.requests.length, 2);
});

Deno.test("recovery_retry_is_sent_under_a_finite_round_cap; context_recovery_budget_exhaustion_surfaces_the_error", async () => {
  const long = says("x".repeat(20_000));
  const env = { SKEP_MAX_ROUNDS: "1" };
  await using world = await startTurns([long, TOO_LONG, says("a summary"), says("fits")], { env });
  await world.prompt("go");
  assertEquals(await world.prompt("again"), { stopReason: "end_turn" });
  assertEquals(world.provider.requests.length, 4);
  await using stuck = await startTurns((_request, index) => index === 0 ? long : TOO_LONG, { env });
  await stuck.prompt("go");
  const { error } = await stuck.prompt("again");
  assertEquals(error?.code, -32000);
  assertStringIncludes(error?.message ?? "", "does not fit the context");
});

const NO_IMAGES = {
  status: 404,
  body: JSON.stringify({ error: { message: "No endpoints found that support image input" } }),
};

Deno.test("unsupported_image_response_recovers_without_replaying_image", async () => {
  await using world = await startTurns([
    calls("fake__echo", { text: "a" }),
    NO_IMAGES,
    says("blind"),
  ], {
    knobs: ["--image-result"],
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assert(!JSON.stringify(world.messages(2)).includes("image_url"));
  assertStringIncludes(JSON.stringify(world.messages(2)), "was left out");
});

Deno.test("unsupported_image_without_image_in_history_fails_instead_of_looping", async () => {
  await using world = await startTurns([NO_IMAGES]);
  assert((await world.prompt("go")).error !== undefined);
  assertEquals(world.provider.requests.length, 1);
});

Deno.test("a turn shows that it lives during a long call, as buzz-acp and as ACP v1 know it", async () => {
  for (const [protocolVersion, kind] of [[2, "keepalive"], [1, "session_info_update"]] as const) {
    await using world = await startTurns([calls("fake__sleep", { ms: 3000 }), says("ok")], {
      knobs: [],
      protocolVersion,
      env: { SKEP_KEEPALIVE_MS: "100" },
    });
    assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
    const signs = world.acp.updates().filter(({ sessionUpdate, _meta }) =>
      sessionUpdate === kind && _meta?.goose === undefined
    );
    assert(signs.length >= 3, `${signs.length} signs of life`);
  }
});

Deno.test("progress keeps a call alive past its timeout (T16)", async () => {
  await using world = await startTurns([calls("fake__sleep", { ms: 9000 }), says("ok")], {
    knobs: ["--progress-ms=300"],
    env: { SKEP_TOOL_TIMEOUT_S: "4" },
  });
  assertEquals(await world.prompt("go"), { stopReason: "end_turn" });
  assertStringIncludes(JSON.stringify(world.messages(1).at(-1)), "slept 9000");
});
