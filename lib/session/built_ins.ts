import type { CallResult } from "../mcp/registry.ts";
import type { ToolDefinition } from "../model/message.ts";
import type { TurnTools } from "../turn/run.ts";

/** A tool that the runtime itself offers, beside those of the servers. */
export interface BuiltIn {
  readonly definition: ToolDefinition;
  /** Whether it is listed now, and so can be called; absent: always. */
  isListed?(): boolean;
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallResult>;
}

/** The servers' tools with the runtime's own after them; a server's tool never hides a built-in one. */
export function withBuiltIns(servers: TurnTools, builtIns: readonly BuiltIn[]): TurnTools {
  const own = new Map(builtIns.map((tool) => [tool.definition.name, tool]));
  return {
    tools: () => [
      ...servers.tools().filter((tool) => !own.has(tool.name)),
      ...builtIns.filter((tool) => tool.isListed?.() ?? true).map((tool) => tool.definition),
    ],
    wake: (name, signal) => servers.wake?.(name, signal) ?? Promise.resolve(false),
    whyNot: (name) => servers.whyNot?.(name),
    mayHave: (name) => servers.mayHave?.(name) ?? false,
    call: (name, args, signal, ...more) =>
      own.get(name)?.run(args, signal) ?? servers.call(name, args, signal, ...more),
  };
}
