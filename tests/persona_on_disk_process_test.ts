// What a session makes of its persona's files besides its prompt: an edit while it runs, and servers that are left out.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { PLUGIN_SCHEMA, PLUGIN_SERVERS_SCHEMA } from "../lib/persona/plugin_manifest.ts";
import { fakeServer, skep } from "./harness.ts";
import { accepted, folderWith, PERSONA } from "./packs.ts";
import { says, startTurns } from "./turn_harness.ts";

Deno.test("an edit of a persona's text in a running session was told to nobody and could not be taken over", async () => {
  await using folder = await folderWith({ "a.persona.md": PERSONA });
  const file = join(folder.path, "a.persona.md");
  await using world = await startTurns(Array(4).fill(says("Yes.")), { args: ["--persona", file] });
  const told = () =>
    world.acp.updates().map((update) => JSON.stringify(update)).filter((text) =>
      text.includes("on disk")
    );
  const reload = () => world.acp.request("_skep/mcp/reload", { sessionId: world.sessionId });
  const system = (request: number): string => world.messages(request)[0].content;
  await world.prompt("one");
  assertEquals([system(0).includes("Hello"), told()], [true, []]);
  await Deno.writeTextFile(file, PERSONA.replace("Hello", "Good evening"));
  await world.prompt("two");
  await world.prompt("three");
  assertEquals([told().length, system(2).includes("Good evening")], [1, false]);
  assertStringIncludes(told()[0]!, "The text of the persona has changed on disk: /mcp reload");
  assertEquals((await reload()).text, true);
  assertEquals((await reload()).text, false);
  await world.prompt("four");
  assertEquals([system(3).includes("Good evening"), system(3).includes("Hello")], [true, false]);
  await Deno.writeTextFile(
    file,
    PERSONA.replace("Hello", "Good evening").replace("---\n", "---\nhints: false\n"),
  );
  await world.prompt("five");
  assertStringIncludes(told()[1]!, "Other settings of the persona have changed on disk");
});

Deno.test("a server that a plugin cannot have was told to the person alone, not to the model, skep why or SKEP_STRICT", async () => {
  const { command, args } = fakeServer() as { command: string; args: string[] };
  await using folder = await folderWith({
    "plugin.json": JSON.stringify({ $schema: PLUGIN_SCHEMA, name: "notes" }),
    "mcp.json": JSON.stringify({
      $schema: PLUGIN_SERVERS_SCHEMA,
      mcpServers: { good: { type: "stdio", command, args }, bad: { type: "stdio", args: [] } },
    }),
  });
  const env = await accepted(folder.path);
  const flags = ["--persona", folder.path];
  await using world = await startTurns([says("Yes.")], { args: flags, env });
  await world.prompt("one");
  assertStringIncludes(
    world.messages(0)[0].content,
    'The server "bad" could not be set up: its tools are not there.',
  );
  const [why, strict] = await Promise.all([
    skep(["why", "bad__x", ...flags], { env }),
    skep(["tools", ...flags], { env: { ...env, SKEP_STRICT: "1" } }),
  ]);
  assertStringIncludes(why.stdout, 'server "bad" is left out. ');
  assertEquals([strict.code, strict.stdout], [1, ""]);
  assertStringIncludes(strict.stderr, 'server "bad" is left out. ');
});
