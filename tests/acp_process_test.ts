// The agent side of ACP as a real process, driven by the SDK's own client.
import { ClientApp, ndJsonStream } from "@agentclientprotocol/sdk";
import { assert, assertEquals } from "@std/assert";
import { fromRepo, SOON_MS } from "./harness.ts";

/** Starts the demo agent. Its stdout is read twice: by the client, and line by line. */
function startDemo(): {
  child: Deno.ChildProcess;
  stream: ReturnType<typeof ndJsonStream>;
  stdout: Promise<string>;
} {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", fromRepo("tests/fixtures/acp_demo.ts")],
    clearEnv: true,
    env: { HOME: Deno.env.get("HOME") ?? "/", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const [forClient, forTest] = child.stdout.tee();
  const stdout = new Response(forTest).text();
  return { child, stream: ndJsonStream(child.stdin, forClient), stdout };
}

Deno.test("a real ACP client prompts, cancels and prompts again; stdout carries nothing else (T12, T13, T23)", async () => {
  const { child, stream, stdout } = startDemo();
  const said: string[] = [];
  const app = new ClientApp({ name: "test" })
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
        said.push(update.content.text);
      }
    });
  await app.connectWith(stream, async (agent) => {
    const { agentInfo, protocolVersion } = await agent.request("initialize", {
      protocolVersion: 1,
      clientInfo: { name: "test", version: "1" },
    });
    assertEquals([agentInfo?.title, protocolVersion], ["Demo", 1]);
    const { sessionId } = await agent.request("session/new", { cwd: "/", mcpServers: [] });
    const prompt = (text: string) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    assertEquals((await prompt("hello")).stopReason, "end_turn");
    const waiting = prompt("wait");
    await agent.notify("session/cancel", { sessionId });
    assertEquals((await waiting).stopReason, "cancelled");
    assertEquals((await prompt("again")).stopReason, "end_turn");
  });
  await child.stdin.close();
  assertEquals((await child.status).code, 0);
  assertEquals(said, ["hello", "working", "again"]);
  const lines = (await stdout).trimEnd().split("\n");
  assertEquals(lines.map((line) => JSON.parse(line).jsonrpc), Array(lines.length).fill("2.0"));
});

Deno.test("the agent ends within a second of its input, and answers the turn that ran (T05)", async () => {
  const { child, stream } = startDemo();
  const isRunning = Promise.withResolvers<void>();
  const { agent, closed } = new ClientApp({ name: "test" })
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk") isRunning.resolve();
    })
    .connect(stream);
  const { sessionId } = await agent.request("session/new", { cwd: "/", mcpServers: [] });
  const turn = agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "wait" }],
  });
  await isRunning.promise;
  const before = performance.now();
  await child.stdin.close();
  assertEquals((await turn).stopReason, "cancelled");
  assertEquals((await child.status).code, 0);
  const afterMs = performance.now() - before;
  assert(afterMs < SOON_MS, `it took ${afterMs} ms`);
  await closed;
});
