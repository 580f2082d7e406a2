// Sessions that rest, and turns that wait for each other: the real `skep acp` with real servers.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startAcp } from "./acp_process.ts";
import { descendants, fakeServer, PATIENCE_MS, tempFolder, waitForEnd } from "./harness.ts";
import { startPromptProvider } from "./prompt_provider.ts";

const MODEL = "openai-compatible:fake-1";

Deno.test("an idle session lets go of its servers, and its next prompt has them, its history and its plan again", async () => {
  const todos = JSON.stringify({ todos: [{ text: "Look for leaks", status: "in_progress" }] });
  await using provider = startPromptProvider([
    { parts: [{ call: "dev__todo", input: todos }] },
    { parts: [{ text: "Planned." }] },
    {
      parts: [{ call: "dev__todo", input: "{}" }, { call: "fake__echo", input: '{"text":"hey"}' }],
    },
    { parts: [{ text: "Seen." }] },
  ]);
  await using work = await tempFolder();
  const acp = await startAcp(["--sandbox", "off"], {
    env: { ...provider.env, SKEP_MODEL: MODEL, SKEP_IDLE_SESSION_S: "1" },
  });
  await using running = acp.running;
  const { command, args } = fakeServer(["--tools", "echo"]);
  const mcpServers = [{ name: "fake", command, args, env: [] }];
  const sessionId = await acp.open(work.path, { mcpServers });
  assertEquals(await acp.turn(sessionId, "make a plan"), { stopReason: "end_turn" });
  const servers = await descendants(running.pid);
  assertEquals(await waitForEnd(servers, PATIENCE_MS), []);
  assertEquals(await acp.turn(sessionId, "which plan?"), { stopReason: "end_turn" });
  assertMatch(acp.said(), /Planned\.Seen\.$/);
  const messages = provider.prompts().at(-1)!.body.messages.map(JSON.stringify) as string[];
  assertStringIncludes(messages.join("\n"), "make a plan");
  const [plan, echoed] = messages.slice(-2);
  assertStringIncludes(plan!, "Look for leaks");
  assertStringIncludes(echoed!, "hey");
  await running.closeStdin();
  assertEquals((await running.ended).code, 0);
});
