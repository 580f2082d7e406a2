import { showExactly } from "../approval/show_exactly.ts";
import type { Host } from "../host/host.ts";
import type { ToolFacts } from "../mcp/registry.ts";
import type { ToolDefinition } from "../model/message.ts";
import { textTokens } from "../session/estimate_tokens.ts";
import { firstTools } from "./first_tools.ts";
import type { Invocation } from "./flags.ts";
import { promptSources } from "./prompt_sources.ts";
import { exitCodeOf, withServers } from "./with_servers.ts";

/**
 * `skep tools`: the tools as the model sees them at first, and what each costs of its context, in bytes and
 * in about as many tokens; in words also those that it does not see, and why. Exits with 2 when a server
 * is not there, after the tools of the others.
 */
export function run(invocation: Invocation, host: Host): Promise<number> {
  return withServers(invocation, host, async ({ settings, persona }, registry) => {
    const { cwd, isJson, limits } = settings;
    const { builtIns } = await promptSources(persona, { cwd }, settings, host);
    const inventory = await registry.inventory();
    const facts = new Map(inventory.map((each) => [each.name, each]));
    const tools = firstTools(registry, builtIns);
    for (const tool of tools) {
      await host.print(
        isJson ? `${JSON.stringify(tool)}\n` : inWords(tool, notesOf(facts.get(tool.name))),
      );
    }
    if (!isJson) await host.print(summary(tools, inventory, limits.maxTools));
    return exitCodeOf(registry);
  });
}

function inWords(tool: ToolDefinition, notes: readonly string[]): string {
  const [summary = ""] = tool.description.split("\n");
  const { properties = {}, required = [] } = tool.inputSchema;
  const names = Object.keys(properties as object)
    .map((name) => (required as string[]).includes(name) ? name : `[${name}]`);
  const lines = [
    [tool.name, ...names].join(" "),
    ...(summary === "" ? [] : [`  ${summary}`]),
    `  ${sizeOf([tool])}`,
    ...notes.map((note) => `  (${note})`),
  ];
  return asLines(lines);
}

/** What was done to a tool, its name first. */
function notesOf(facts: ToolFacts | undefined): readonly string[] {
  if (facts === undefined) return []; // a tool of skep's own
  return [...ownName(facts), ...facts.notes];
}

/** What the server calls a tool, when the model calls it something else. */
function ownName({ server, own, name, state }: ToolFacts): string[] {
  return state === "hook" || name === `${server}__${own}`
    ? []
    : [`its server calls it ${JSON.stringify(own)}`];
}

/** What the model is not shown, and what all that it is shown comes to. */
function summary(
  tools: readonly ToolDefinition[],
  inventory: readonly ToolFacts[],
  maxTools: number,
): string {
  const others = inventory.filter(({ state }) => state !== "listed");
  const lines = others.map((each) =>
    `  ${nameOf(each)}: ${[why(each, maxTools), ...ownName(each)].join("; ")}`
  );
  const rest = others.length === 0 ? "" : `; not shown: ${others.length}`;
  return asLines([
    ...(lines.length === 0 ? [] : ["", "Not shown to the model:", ...lines]),
    "",
    `${tools.length} tools, ${sizeOf(tools)} of each request${rest}`,
  ]);
}

function nameOf({ server, own, name, state }: ToolFacts): string {
  return state === "hook" ? `${server} ${own}` : name;
}

function why({ state, bytes }: ToolFacts, maxTools: number): string {
  switch (state) {
    case "hidden":
      return `hidden for want of room (${bytes} bytes), find_tool finds it`;
    case "left out":
      return `left out, past the limit of ${maxTools} tools`;
    case "switched off":
      return "switched off by its server's entry";
    case "hook":
      return "for hooks";
    case "listed":
      return "listed";
    default:
      return state satisfies never;
  }
}

function sizeOf(tools: readonly ToolDefinition[]): string {
  const texts = tools.map((tool) => JSON.stringify(tool));
  const bytes = texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  return `${bytes} bytes, about ${texts.reduce((sum, text) => sum + textTokens(text), 0)} tokens`;
}

/** No text of a server may look like a line of ours. */
function asLines(lines: readonly string[]): string {
  return lines.map((line) => `${showExactly(line)}\n`).join("");
}
