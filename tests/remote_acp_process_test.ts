// Servers that an ACP client names by their address, through the real agent and bridge.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { AcpProcess } from "./acp_process.ts";
import { startSkep, tempFolder } from "./harness.ts";
import { serveMcp } from "./http_servers.ts";

Deno.test("a client's http and sse servers are called; progress and questions of theirs reach its person, by name", async () => {
  await using fixture = await serveMcp();
  await using folder = await tempFolder();
  await using running = await startSkep(["acp"]);
  const agent = new AcpProcess(running);
  const { agentCapabilities } = await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { elicitation: { form: {} } },
  });
  assertEquals(agentCapabilities.mcpCapabilities, { http: true, sse: true });
  const { sessionId } = await agent.request("session/new", {
    cwd: folder.path,
    mcpServers: [
      { type: "http", name: "far", url: `${fixture.origin}/mcp`, headers: [] },
      {
        type: "sse",
        name: "old",
        url: `${fixture.origin}/sse`,
        headers: [{ name: "X-Key", value: "${HOME}" }],
      },
    ],
  });
  await agent.turn(sessionId, "/old__echo text=hello");
  const told = () =>
    agent.updates().filter(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  const said = () => told().at(-1)!.content[0].content.text;
  assertEquals(said(), "hello");
  assertEquals(
    fixture.seen.filter(({ path }) => path === "/sse")[0]?.headers["x-key"],
    "${HOME}", // a client's header is text
  );
  await agent.turn(sessionId, "/far__steps");
  assertEquals(
    told().flatMap(({ _meta }) => _meta?.skep?.progress?.message ?? []),
    ["step 1", "step 2", "step 3", "step 4"],
  );
  const asking = await agent.prompt(sessionId, "/far__ask");
  await running.until(() => agent.messages().some(({ method }) => method === "elicitation/create"));
  const { id, params } = agent.messages().find(({ method }) => method === "elicitation/create")!;
  assertEquals([params.sessionId, params.message], [sessionId, 'Server "far" asks: who?']);
  assertEquals(Object.keys(params.requestedSchema.properties), ["name", "age"]);
  const result = { action: "accept", content: { name: "Ann" } };
  await running.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  assertEquals((await agent.answer(asking)).stopReason, "end_turn");
  assertEquals(JSON.parse(said()), { action: "accept", content: { name: "Ann", age: 7 } });
  // A cancel takes the question back.
  const second = await agent.prompt(sessionId, "/far__ask");
  const questions = () =>
    agent.messages().filter(({ method }) => method === "elicitation/create").length;
  await running.until(() => questions() === 2);
  await agent.notify("session/cancel", { sessionId });
  assertEquals((await agent.answer(second)).stopReason, "cancelled");
});

Deno.test("a server's question is declined where its client cannot ask, and the server knows before", async () => {
  await using fixture = await serveMcp();
  await using folder = await tempFolder();
  await using running = await startSkep(["acp"]);
  const agent = new AcpProcess(running);
  const far = { type: "http", name: "far", url: `${fixture.origin}/mcp`, headers: [] };
  const sessionId = await agent.open(folder.path, { mcpServers: [far] });
  await agent.turn(sessionId, "/far__ask");
  const { content } = agent.lastUpdate("tool_call_update")!;
  assertStringIncludes(content[0].content.text, "Client does not support");
});
