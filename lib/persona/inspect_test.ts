import { assertEquals } from "@std/assert";
import { folderWith, packOf, PERSONA } from "../../tests/packs.ts";
import { denoFiles } from "../host/files.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { type InspectedPersona, inspectPersona, type Overrides } from "./inspect.ts";
import { loadPack } from "./pack.ts";

async function inspect(
  frontmatter: string,
  manifest: Readonly<Record<string, unknown>> = {},
  overrides: Overrides = {},
): Promise<InspectedPersona> {
  await using folder = await folderWith({
    ...packOf(manifest),
    "agents/a.persona.md": PERSONA.replace("description: d", `description: d\n${frontmatter}`),
    ".mcp.json": '{"mcpServers": {"shared": {"command": "x", "env": {"TOKEN": "hush"}}}}',
    "instructions.md": "Team",
  });
  const { pack } = await loadPack(folder.path, denoFiles(), DEFAULT_LIMITS);
  return inspectPersona(pack.personas[0]!, pack, overrides);
}

Deno.test("inspectPersona() gives each field with its origin, the operator's above all", async () => {
  const { fields } = await inspect(
    "model: a:own\nthinking: low",
    { defaults: { model: "a:pack", temperature: 0.5, subscribe: [] } },
    { thinking: { value: "max", origin: "SKEP_THINKING_EFFORT" } },
  );
  assertEquals(fields, {
    triggers: { value: { mentions: true, keywords: [], all_messages: false }, origin: "built-in" },
    thread_replies: { value: true, origin: "built-in" },
    broadcast_replies: { value: false, origin: "built-in" },
    model: { value: "a:own", origin: "persona" },
    temperature: { value: 0.5, origin: "pack defaults" },
    subscribe: { value: [], origin: "pack defaults" },
    thinking: { value: "max", origin: "SKEP_THINKING_EFFORT" },
  });
});

Deno.test("inspectPersona() names variables and shows none of their values", async () => {
  const found = await inspect(
    "env: { A: hush }\nmcp_servers: [{ name: own, command: y, args: [z] }]",
  );
  assertEquals(
    found.servers.map(({ name, command, env, origin }) => [name, command, env, origin]),
    [
      ["shared", ["x"], ["TOKEN"], "pack"],
      ["own", ["y", "z"], [], "persona"],
    ],
  );
  assertEquals([found.env, JSON.stringify(found).includes("hush")], [["A"], false]);
  assertEquals([found.prompt_bytes, found.team_instructions_bytes], [5, 4]);
});

Deno.test("inspectPersona() names what nothing reads in a chat or under ACP", async () => {
  const own = "subscribe: ['#a']\nreply: { thread: false }\nruntime: goose\ntemperature: 1\n" +
    "provider: { seed: 1, plugins: [] }";
  assertEquals((await inspect(own)).not_used, [
    "subscribe",
    "thread_replies",
    "provider.plugins",
    "runtime",
  ]);
  assertEquals((await inspect("runtime: skep")).not_used, []);
  assertEquals((await inspect("hints: true", { defaults: { respond_to: "nobody" } })).not_used, [
    "respond_to",
  ]);
});
