import type { Host } from "../host/host.ts";
import type { ToolDefinition } from "../model/message.ts";
import { promptParts } from "../prompt/system_prompt.ts";
import { firstTools } from "./first_tools.ts";
import type { Invocation } from "./flags.ts";
import { promptSources, withToolNotes } from "./prompt_sources.ts";
import { exitCodeOf, withServers } from "./with_servers.ts";

/**
 * `skep prompt`: exactly what the model gets before the first message, the system prompt and the tools, on
 * stdout; on stderr the size of each part. Exits with 2 when a server is not there.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return withServers(invocation, host, async ({ settings, persona }, registry) => {
    const read = await promptSources(persona, { cwd: settings.cwd }, settings, host);
    const sources = withToolNotes(read, registry, settings.limits);
    for (const notice of sources.notices) host.warn(notice);
    const tools = firstTools(registry, sources.builtIns);
    const sizes = [
      ...promptParts(sources.parts).map(({ name, bytes }) => ({ name, bytes })),
      { name: `tools (${tools.length})`, bytes: byteLength(JSON.stringify(tools)) },
    ];
    await host.print(
      settings.isJson
        ? `${JSON.stringify({ system: sources.system, tools, sizes })}\n`
        : inWords(sources.system, tools),
    );
    if (!settings.isJson) { for (const line of table(sizes)) host.warn(line); }
    return exitCodeOf(registry);
  });
}

function inWords(system: string, tools: readonly ToolDefinition[]): string {
  return [system, "", ...tools.map((tool) => JSON.stringify(tool)), ""].join("\n");
}

function table(sizes: readonly { readonly name: string; readonly bytes: number }[]): string[] {
  const all = [...sizes, { name: "all", bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0) }];
  const width = Math.max(...all.map(({ bytes }) => String(bytes).length));
  return all.map(({ name, bytes }) => `${String(bytes).padStart(width)} bytes  ${name}`);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
