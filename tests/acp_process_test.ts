// The agent side of ACP as a real process, driven by the SDK's own client.
import { ClientApp, ndJsonStream } from "@agentclientprotocol/sdk";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { startAcp } from "./acp_process.ts";
import { childEnv, fromRepo, skepCommand, SOON_MS, tempFolder } from "./harness.ts";

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

Deno.test("an agent whose client reads no more ends, and its session goes on in the next one", async () => {
  await using home = await tempFolder();
  const cwd = join(home.path, "work");
  await Deno.mkdir(cwd);
  const [program, args] = skepCommand(["acp"]);
  const child = new Deno.Command(program, {
    args,
    env: childEnv(home.path),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const send = (id: number, method: string, params: object) =>
    writer.write(
      new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    )
      .catch(() => {}); // it may be gone
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  const until = async (text: string) => {
    while (!said.includes(text)) said += (await reader.read()).value ?? `${text} never came`;
  };
  await send(1, "initialize", { protocolVersion: 1 });
  await send(2, "session/new", { cwd, mcpServers: [] });
  await until('"id":2');
  const sessionId = /ses_\w+/.exec(said)![0];
  const prompt = [{ type: "text", text: "/tools" }];
  await send(3, "session/prompt", { sessionId, prompt });
  await until('"stopReason"');
  await reader.cancel();
  // Its input stays open: only what it writes tells it that nobody reads.
  const more = setInterval(() => void send(4, "session/prompt", { sessionId, prompt }), 200);
  const { signal } = await child.status.finally(() => clearInterval(more));
  assertEquals(signal === "SIGKILL", false);
  await writer.close().catch(() => {});
  const env = { HOME: home.path };
  const acp = await startAcp([], { env });
  await using _running = acp.running;
  await acp.request("initialize", { protocolVersion: 1 });
  const loaded = await acp.request("session/load", { sessionId, cwd, mcpServers: [] });
  assertEquals(loaded.error, undefined);
  assertStringIncludes(acp.said(), "dev__read_file");
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
