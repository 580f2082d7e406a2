import type { Registry } from "../mcp/registry.ts";
import type { ToolDefinition } from "../model/message.ts";
import { type BuiltIn, withBuiltIns } from "../session/built_ins.ts";
import { findToolTool } from "../session/find_tool_tool.ts";

/** The tools of a session's first request, as it lists them: the servers', then skep's own. */
export function firstTools(
  registry: Registry,
  builtIns: readonly BuiltIn[],
): readonly ToolDefinition[] {
  return withBuiltIns(registry, [...builtIns, findToolTool(registry)]).tools();
}
