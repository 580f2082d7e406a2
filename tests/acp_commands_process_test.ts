// Skills as the commands of an ACP client, with a model behind a provider.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { startAcp, type WireMessage } from "./acp_process.ts";
import { folderWith, skillText, writeFiles } from "./packs.ts";
import { startPromptProvider } from "./prompt_provider.ts";

Deno.test("a skill is a command of the client's, which the model loads first; new ones are told", async () => {
  await using provider = startPromptProvider([
    { parts: [{ call: "load_skill", input: '{"name":"deploy"}' }], stop: "tool_use" },
    { parts: [{ text: "Shipped." }] },
    { parts: [{ call: "load_skill", input: '{"name":"undo"}' }], stop: "tool_use" },
    { parts: [{ text: "Taken back." }] },
  ]);
  await using work = await folderWith({
    ".agents/skills/deploy/SKILL.md": skillText("deploy", "Ships it", "Run the script."),
  });
  const env = { ...provider.env, SKEP_MODEL: "anthropic:fake-1" };
  const acp = await startAcp([], { env });
  await using running = acp.running;
  const sessionId = await acp.open(work.path);
  const names = () =>
    acp.lastUpdate("available_commands_update")?.availableCommands
      .map(({ name }: WireMessage) => name);
  await running.until(() => names() !== undefined);
  assertEquals(names(), ["compact", "deploy"]);
  assertEquals(await acp.turn(sessionId, "/deploy to the test machine"), {
    stopReason: "end_turn",
  });
  assertStringIncludes(acp.said(), "Shipped.");
  const [first, second] = provider.prompts().map(({ body }) => JSON.stringify(body.messages));
  assertStringIncludes(first!, "/deploy to the test machine");
  assertStringIncludes(first!, "[/deploy is a skill: load it with load_skill first");
  assert(!first!.includes("Run the script."), "the skill's text comes as a result");
  assertStringIncludes(second!, "Run the script.");
  await writeFiles(work.path, {
    ".agents/skills/undo/SKILL.md": skillText("undo", "Takes it back", "Undo."),
  });
  await acp.turn(sessionId, "undo it, there is a skill for it now");
  await running.until(() => names()?.includes("undo"));
  assertEquals(names(), ["compact", "deploy", "undo"]);
});

Deno.test("skills that are written, changed and removed while nobody prompts are told, and the first can be loaded", async () => {
  await using provider = startPromptProvider([
    { parts: [{ call: "load_skill", input: '{"name":"deploy"}' }], stop: "tool_use" },
    { parts: [{ text: "Shipped." }] },
  ]);
  await using work = await folderWith({});
  const acp = await startAcp([], { env: { ...provider.env, SKEP_MODEL: "anthropic:fake-1" } });
  await using running = acp.running;
  const sessionId = await acp.open(work.path);
  const told = () =>
    acp.lastUpdate("available_commands_update")?.availableCommands
      .map(({ name, description }: WireMessage) => `${name}: ${description}`).slice(1);
  const file = ".agents/skills/deploy/SKILL.md";
  await running.until(() => told()?.length === 0);
  await writeFiles(work.path, { [file]: skillText("deploy", "Ships it", "Run the script.") });
  await running.until(() => told()?.[0] === "deploy: Ships it");
  await acp.turn(sessionId, "/deploy now");
  assertStringIncludes(acp.said(), "Shipped.");
  assertStringIncludes(JSON.stringify(provider.prompts()[1]!.body), "Run the script.");
  await writeFiles(work.path, { [file]: skillText("deploy", "Ships all", "Run it.") });
  await running.until(() => told()?.[0] === "deploy: Ships all");
  await Deno.remove(join(work.path, ".agents"), { recursive: true });
  await running.until(() => told()?.length === 0);
});
