// Whole sessions over ACP: the real `skep acp`, a client's lines, and a provider on loopback. Names in
// brackets are those of the suites of buzz-agent, whose clients find here what they found there.
import { existsSync } from "node:fs";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { startAcp } from "./acp_process.ts";
import type { FakeProvider } from "./fake_provider.ts";
import { fakeServer, serverFile, tempFolder } from "./harness.ts";
import { startPromptProvider } from "./prompt_provider.ts";

const DIALECTS = ["anthropic:fake-1", "openai-compatible:fake-1"];

function modelOf(model: string, { env }: FakeProvider): Record<string, string> {
  return { ...env, SKEP_MODEL: model };
}

Deno.test("skep acp tells who it is, and speaks version 1 or 2 (test_initialize_version_check)", async () => {
  const acp = await startAcp();
  await using running = acp.running;
  const versions = [0, 1, 2, 99].map(async (protocolVersion) => {
    const { agentInfo, protocolVersion: agreed } = await acp.request("initialize", {
      protocolVersion,
    });
    assertEquals(agentInfo.name, "skep");
    return agreed;
  });
  assertEquals(await Promise.all(versions), [1, 1, 2, 2]);
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});

Deno.test("skep acp answers lines that are no requests, and lives on (test_malformed_json_rpc, rejects_oversized_line)", async () => {
  const acp = await startAcp([], { env: { SKEP_MAX_FRAME_BYTES: "1024" } });
  await using running = acp.running;
  await running.write(
    `not json\n{"jsonrpc":"1.0","id":7,"method":"initialize"}\n{"jsonrpc":"2.0"}\n`,
  );
  await running.write(`${"x".repeat(1024)}\n`);
  await running.until(() => acp.messages().length === 4);
  const errors = acp.messages().map(({ id, error }) => [id, error.code]);
  assertEquals(errors, [[null, -32700], [7, -32600], [null, -32600], [null, -32600]]);
  assertEquals((await acp.request("initialize", { protocolVersion: 1 })).protocolVersion, 1);
  assertEquals((await acp.request("session/nope")).error.code, -32601);
});

Deno.test("session/new refuses what cannot be a session (test_session_new_rejects_relative_cwd, session_new_rejects_oversized_system_prompt)", async () => {
  const acp = await startAcp();
  await using _running = acp.running;
  await acp.request("initialize", { protocolVersion: 2 });
  const open = (params: unknown) => acp.request("session/new", params);
  const cwd = Deno.cwd();
  assertEquals((await open({ cwd: "here", mcpServers: [] })).error.code, -32602);
  assertEquals((await open({ cwd: "", mcpServers: [] })).error.code, -32602);
  const { error } = await open({ cwd, mcpServers: [], systemPrompt: "x".repeat(600 * 1024) });
  assertEquals(error.code, -32602);
  assertMatch(error.message, /614400 bytes.*524288/);
});

for (const model of DIALECTS) {
  Deno.test(`a session with ${model}: prompts, calls, history (text_only_end_turn, tool_call_then_end_turn, assistant_text_preserved_across_prompts, system_prompt_absent_no_canary)`, async () => {
    await using provider = startPromptProvider([
      { parts: [{ text: "Hello there." }] },
      { parts: [{ call: "nope", input: "{}" }] },
      { parts: [{ text: "Sorry." }] },
    ]);
    await using work = await tempFolder();
    const acp = await startAcp([], { env: modelOf(model, provider) });
    await using running = acp.running;
    const sessionId = await acp.open(work.path);
    assertEquals(await acp.turn(sessionId, "hi"), { stopReason: "end_turn" });
    assertEquals(await acp.turn(sessionId, "call something"), { stopReason: "end_turn" });
    assertMatch(acp.said(), /Hello there\.Sorry\.$/);
    const [call] = acp.updates().filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
    const ends = acp.updates().filter(({ status }) => status === "failed");
    assertEquals([ends.length, ends[0]!.toolCallId], [1, call!.toolCallId]);
    assertStringIncludes(ends[0]!.content[0].content.text, "unknown tool: nope");
    const bodies = provider.prompts().map(({ body }) => JSON.stringify(body));
    assertEquals(bodies.length, 3);
    assert(
      bodies.every((body) => body.includes("You are Guide.")),
      "the persona's prompt goes along",
    );
    assertStringIncludes(bodies[1]!, "Hello there.");
    assertStringIncludes(bodies[2]!, "unknown tool: nope");
    await running.closeStdin();
    assertEquals((await running.ended).code, 0);
  });
}

Deno.test("a client's system prompt replaces the persona's (system_prompt_reaches_llm_system_role)", async () => {
  await using provider = startPromptProvider([{ parts: [{ text: "Yes." }] }]);
  await using work = await tempFolder();
  const acp = await startAcp([], { env: modelOf(DIALECTS[0]!, provider) });
  await using _running = acp.running;
  const sessionId = await acp.open(work.path, { systemPrompt: "You are a canary." });
  await acp.turn(sessionId, "hi");
  const body = JSON.stringify(provider.prompts()[0]!.body);
  assertStringIncludes(body, "You are a canary.");
  assert(!body.includes("You are Guide."), "the persona's prompt is gone");
});

Deno.test("one prompt at a time, and a cancelled one leaves a history that goes on (rejects_concurrent_prompts, test_cancel_notification_no_reply, cancel_leaves_history_valid_for_next_prompt, T12, T13)", async () => {
  await using provider = startPromptProvider([
    { parts: [{ text: "Half an" }, { waitMs: 60_000 }, { text: " answer" }] },
    { parts: [{ text: "Whole." }] },
  ]);
  await using work = await tempFolder();
  const acp = await startAcp([], { env: modelOf(DIALECTS[0]!, provider) });
  await using running = acp.running;
  const sessionId = await acp.open(work.path);
  const turn = await acp.prompt(sessionId, "go");
  await running.until(() => acp.said().includes("Half"));
  const { error } = await acp.turn(sessionId, "me too");
  assertEquals([error.code, error.message], [-32602, "session/prompt: prompt already in flight"]);
  const before = acp.messages().filter(({ id }) => id !== undefined).length;
  await acp.notify("session/cancel", { sessionId });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assertEquals(await acp.turn(sessionId, "again"), { stopReason: "end_turn" });
  assertEquals(acp.messages().filter(({ id }) => id !== undefined).length, before + 2);
  assertEquals(await provider.prompts()[0]!.wasTaken, false);
  const roles = provider.prompts()[1]!.body.messages.map(({ role }: { role: string }) => role);
  assertEquals(roles, ["user", "assistant", "user"]);
});

Deno.test("a cancelled call is told to its server, and its result stands in the history (cancel_sends_notifications_cancelled_to_any_mcp_server)", async () => {
  await using folder = await tempFolder();
  await using work = await tempFolder();
  const log = { call: join(work.path, "calls"), cancel: join(work.path, "cancels") };
  const file = await serverFile(folder.path, {
    fake: fakeServer([`--call-received=${log.call}`, `--cancel-log=${log.cancel}`], {
      permissions: { write: ["${WORKSPACE}"] },
    }),
  });
  await using provider = startPromptProvider([
    { parts: [{ call: "fake__sleep", input: '{"ms":60000}' }] },
    { parts: [{ text: "Fine." }] },
  ]);
  const acp = await startAcp(["--mcp", file], { env: modelOf(DIALECTS[1]!, provider) });
  await using running = acp.running;
  const sessionId = await acp.open(work.path);
  const turn = await acp.prompt(sessionId, "go");
  await running.until(() => acp.updates().some(({ status }) => status === "in_progress"));
  await acp.request("session/cancel", { sessionId });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  assertEquals(await acp.turn(sessionId, "and now?"), { stopReason: "end_turn" });
  const [call, cancelled] = [log.call, log.cancel].map((path) =>
    JSON.parse(Deno.readTextFileSync(path))
  );
  assertEquals(cancelled.requestId, call.id);
  const tool = provider.prompts()[1]!.body.messages.find(({ role }: { role: string }) =>
    role === "tool"
  );
  assertMatch(JSON.stringify(tool), /cancelled/);
});

Deno.test("what a shell command wrote just before it was cancelled was lost", async () => {
  await using work = await tempFolder();
  const acp = await startAcp(["--sandbox", "off"], { env: { SKEP_LAST_OUTPUT_MS: "60000" } });
  await using running = acp.running;
  const sessionId = await acp.open(work.path);
  const command = "trap 'echo at TERM; exit 7' TERM; echo partial; until [ -e go ]; do :; done; " +
    "echo late; touch wrote; while :; do sleep 0.05; done";
  const turn = await acp.prompt(sessionId, `/dev__shell command="${command}"`);
  const told = () => acp.updates().filter(({ content }) => /partial/.test(JSON.stringify(content)));
  await running.until(() => told().some(({ status }) => status === "in_progress"));
  await Deno.writeTextFile(`${work.path}/go`, "");
  await running.until(() => existsSync(`${work.path}/wrote`));
  await acp.notify("session/cancel", { sessionId });
  assertEquals(await acp.answer(turn), { stopReason: "cancelled" });
  const end = acp.updates().findLast(({ status }) => status === "failed");
  assertMatch(
    end?.content[0].content.text,
    /^cancelled; what it told last: partial\nlate\n(?:Terminated\n)?(?:at TERM\n)?\[killed(?: \(SIGKILL\))? after [\d.]+ s\]$/,
  );
});

Deno.test("a client's servers join the persona's, and one that fails is told of in the session (mcp_init_timeout_kills_child, T27, T28, T32)", async () => {
  await using provider = startPromptProvider([{ parts: [{ text: "Yes." }] }]);
  await using work = await tempFolder();
  const env = { ...modelOf(DIALECTS[1]!, provider), SKEP_SERVER_INIT_TIMEOUT_S: "8" };
  // What a client passes asks for confinement, which not every machine has.
  const acp = await startAcp(["--sandbox", "off"], { env });
  await using running = acp.running;
  const server = (name: string, ...knobs: string[]) => ({ name, env: [], ...fakeServer(knobs) });
  const sessionId = await acp.open(work.path, {
    mcpServers: [server("mine", "--desc-size=5000"), server("hangs", "--hang-init"), { name: 5 }],
  });
  await acp.turn(sessionId, "hi");
  const notices = acp.said();
  assertMatch(notices, /Server "hangs".*did not answer initialize within 8 s/);
  assertMatch(notices, /MCP server 3 was left out/);
  const { tools } = provider.prompts()[0]!.body;
  const names = tools.map((tool: { function: { name: string } }) => tool.function.name);
  assert(names.includes("dev__read_file") && names.includes("mine__echo"), names.join());
  assert(!names.some((name: string) => name.startsWith("hangs__")), "a dead server has no tools");
  const longest = Math.max(
    ...tools.map((tool: { function: { description: string } }) => tool.function.description.length),
  );
  assert(longest <= 1024, `a description of ${longest} characters (description_clamping_enforced)`);
  assertEquals(running.stderr.includes("defect"), false);
});

Deno.test("more servers than a session may have are left out and named (mcp_server_count_cap)", async () => {
  await using work = await tempFolder();
  const acp = await startAcp(["--sandbox", "off"], { env: { SKEP_MAX_SERVERS: "2" } });
  await using _running = acp.running;
  const mcpServers = ["one", "two"].map((name) => ({ name, env: [], ...fakeServer() }));
  const sessionId = await acp.open(work.path, { mcpServers });
  await acp.turn(sessionId, "/tools");
  assertMatch(acp.said(), /Only 2 servers are started: \w+ left out/);
});

Deno.test("a session's model can be changed for the next turn, and a provider's failure ends only its turn", async () => {
  await using provider = startPromptProvider([{
    status: 400,
    body: '{"error":{"message":"bad"}}',
  }]);
  await using work = await tempFolder();
  const acp = await startAcp([], { env: modelOf(DIALECTS[0]!, provider) });
  await using _running = acp.running;
  const sessionId = await acp.open(work.path);
  assertMatch((await acp.turn(sessionId, "hi")).error.message, /400/);
  const changed = await acp.request("session/set_model", { sessionId, modelId: "offline" });
  assertEquals(changed, { sessionId, modelId: "offline" });
  assertEquals(await acp.turn(sessionId, "/tools"), { stopReason: "end_turn" });
  assertStringIncludes(acp.said(), "/dev__read_file");
  assertEquals(
    (await acp.request("session/set_model", { sessionId, modelId: " " })).error.code,
    -32602,
  );
});
