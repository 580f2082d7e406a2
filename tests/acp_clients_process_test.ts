// What clients of ACP see of a session with the real dev server, and what buzz-acp finds where buzz-agent
// stood. Names in brackets are those of buzz-agent's suites.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type AcpProcess, startAcp, type WireMessage } from "./acp_process.ts";
import { startFakeProvider } from "./fake_provider.ts";
import { fakeServer, fromRepo, tempFolder } from "./harness.ts";

/** The updates about one tool's calls, its first one included. */
function callsOf(acp: AcpProcess, tool: string): WireMessage[] {
  const ids = acp.updates().filter(({ name }) => name === tool).map(({ toolCallId }) => toolCallId);
  return acp.updates().filter(({ toolCallId }) => ids.includes(toolCallId));
}

Deno.test("a client sees kinds, places, differences, the plan and a title; two clients do not see each other", async () => {
  await using one = await tempFolder();
  await using two = await tempFolder();
  const [acp, other] = await Promise.all([startAcp(), startAcp()]);
  await using _running = acp.running;
  await using _other = other.running;
  await Deno.writeTextFile(join(one.path, "a.txt"), "first\nsecond\n");
  const [sessionId, otherId] = await Promise.all([acp.open(one.path), other.open(two.path)]);
  const lines = [
    "/dev__read_file path=a.txt",
    "/dev__str_replace path=a.txt old_str=second new_str=2nd",
    '/dev__write_file path=b.txt content="new\\n"',
    '/dev__todo {"todos":[{"text":"look","status":"done"},{"text":"write"}]}',
  ];
  const turns = [acp.turn(sessionId, lines.join("\n")), other.turn(otherId, "/tools")];
  assertEquals(await Promise.all(turns), [{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
  const path = join(one.path, "a.txt");
  const [read] = callsOf(acp, "dev__read_file");
  assertEquals([read!.kind, read!.locations], ["read", [{ path }]]);
  const edited = callsOf(acp, "dev__str_replace").at(-1)!;
  assertEquals(edited.status, "completed");
  assertEquals(edited.content[0], {
    type: "diff",
    path,
    oldText: "first\nsecond\n",
    newText: "first\n2nd\n",
  });
  assertEquals(edited.content[1].content.text.includes("@@"), false);
  assertEquals(edited.locations, [{ path, line: 1 }]);
  const written = callsOf(acp, "dev__write_file").at(-1)!;
  assertEquals(written.content[0], {
    type: "diff",
    path: join(one.path, "b.txt"),
    newText: "new\n",
  });
  assertEquals(acp.lastUpdate("plan")!.entries, [
    { content: "look", priority: "medium", status: "completed" },
    { content: "write", priority: "medium", status: "pending" },
  ]);
  const titles = acp.updates().flatMap(({ title, sessionUpdate }) =>
    sessionUpdate === "session_info_update" ? [title] : []
  );
  assertEquals(titles, ["/dev__read_file path=a.txt"]);
  assertEquals(other.updates().some(({ sessionUpdate }) => sessionUpdate === "tool_call"), false);
  assertMatch(other.said(), /dev__read_file/);
});

Deno.test("buzz-acp finds its models, options, modes and persona, and a private key is left out once", async () => {
  const models = { data: [{ id: "llama3" }, { id: "qwen3" }] };
  await using provider = startFakeProvider(({ method }) =>
    method === "GET" ? { status: 200, body: JSON.stringify(models) } : { parts: [{ text: "Yes." }] }
  );
  await using work = await tempFolder();
  const env = {
    ...provider.env,
    BUZZ_AGENT_PROVIDER: "openai",
    BUZZ_AGENT_MODEL: "llama3",
    BUZZ_AGENT_SYSTEM_PROMPT: "You are the operator's.",
    SKEP_PERSONA: "reviewer",
  };
  const acp = await startAcp(["--sandbox", "off"], { env });
  await using running = acp.running;
  const clientInfo = { name: "buzz-acp", version: "0.5.4" };
  const asked = { protocolVersion: 2, clientCapabilities: {}, clientInfo };
  const { protocolVersion, agentInfo } = await acp.request("initialize", asked);
  assertEquals([protocolVersion, agentInfo.title], [2, "Reviewer"]);
  const key = `nsec1${"q".repeat(58)}`;
  const server = { name: "mine", ...fakeServer() };
  const secrets = [{ name: "BUZZ_PRIVATE_KEY", value: key }, {
    name: "BUZZ_RELAY_URL",
    value: "w",
  }];
  const opened = await acp.request("session/new", {
    cwd: work.path,
    mcpServers: [{ ...server, env: secrets }],
    systemPrompt: "You are a canary.",
    _meta: { sessionTitle: "Canary · #general" },
  });
  const { sessionId } = opened;
  assertEquals(opened.models, {
    currentModelId: "llama3",
    availableModels: [{ modelId: "llama3", name: "llama3" }, { modelId: "qwen3", name: "qwen3" }],
  });
  const model = opened.configOptions.find((each: WireMessage) => each.category === "model");
  assertEquals([model.id, model.currentValue, model.options[1].value], [
    "model",
    "llama3",
    "qwen3",
  ]);
  const chosen = { sessionId, configId: "model", value: "qwen3" };
  const { configOptions } = await acp.request("session/set_config_option", chosen);
  assertEquals(configOptions[0].currentValue, "qwen3");
  const planning = { sessionId, configId: "mode", value: "plan" };
  assertEquals((await acp.request("session/set_config_option", planning)).error, undefined);
  assertEquals(await acp.turn(sessionId, "hi"), { stopReason: "end_turn" });
  const { body } = provider.requests.find(({ method }) => method === "POST")!;
  assertEquals(body.model, "qwen3");
  assertStringIncludes(JSON.stringify(body), "You are a canary.");
  assertEquals(JSON.stringify(body).includes("operator's"), false);
  assert(acp.updates().some(({ _meta }) => _meta?.goose?.activeRunId), "the run is advertised");
  assertEquals(acp.said().match(/No server gets a private key: BUZZ_PRIVATE_KEY/g)?.length, 1);
  assertStringIncludes(acp.said(), "skep serve");
  assertEquals(`${running.stdout}${running.stderr}`.includes(key), false);
  const titles = acp.updates().flatMap(({ title }) => title?.includes("Canary") ? [title] : []);
  assertEquals(titles, ["Canary · #general"]);
  await acp.turn(await acp.open(work.path), "hi"); // one that says nothing of its prompt
  const [system] = provider.requests.findLast(({ method }) => method === "POST")!.body.messages;
  assertMatch(JSON.stringify(system), /^\{"role":"system","content":"You are the operator's\./);
});

Deno.test("a private key reaches a server where SKEP_PASS_KEYS says so, which is told as a danger", async () => {
  await using work = await tempFolder();
  const acp = await startAcp(["--sandbox", "off"], { env: { SKEP_PASS_KEYS: "1" } });
  await using _running = acp.running;
  const env = [{ name: "BUZZ_PRIVATE_KEY", value: "0123456789abcdef" }];
  const server = { name: "mine", ...fakeServer(), env };
  const sessionId = await acp.open(work.path, { mcpServers: [server] });
  await acp.turn(sessionId, "/mine__env");
  assertMatch(acp.said(), /gets BUZZ_PRIVATE_KEY: it can speak for that identity/);
  assertStringIncludes(acp.said(), '"BUZZ_PRIVATE_KEY":"');
});

Deno.test("a prompt's images are taken, sound is refused kindly, and what is linked is named (test_unsupported_content_block)", async () => {
  await using work = await tempFolder();
  const acp = await startAcp();
  await using _running = acp.running;
  const sessionId = await acp.open(work.path);
  const prompt = (...blocks: object[]) =>
    acp.request("session/prompt", { sessionId, prompt: blocks });
  const { error } = await prompt({ type: "audio", data: "QUJD", mimeType: "audio/wav" });
  assertEquals([error.code, error.message], [
    -32602,
    "session/prompt: audio is not taken: send the words as text",
  ]);
  assertEquals((await prompt({ type: "hologram" })).error.code, -32602);
  const link = { type: "resource_link", uri: "file:///a.txt", name: "a.txt" };
  const image = { type: "image", data: "iVBORw0KGgoAAAAN", mimeType: "image/png" };
  const text = { type: "text", text: "/tools" };
  assertEquals(await prompt(text, link, image), { stopReason: "end_turn" });
});

Deno.test("ACP's agent info did not say what the persona is for", async () => {
  for (const [name, args] of [["guide", []], ["reviewer", ["--persona", "reviewer"]]] as const) {
    const acp = await startAcp(args);
    await using _running = acp.running;
    const { agentInfo } = await acp.request("initialize", { protocolVersion: 1 });
    const file = await Deno.readTextFile(fromRepo(`personas/${name}/agents/${name}.persona.md`));
    assertStringIncludes(file, `\ndisplay_name: ${agentInfo.title}\n`);
    assertStringIncludes(file, `\ndescription: ${agentInfo._meta.description}\n`);
  }
});
