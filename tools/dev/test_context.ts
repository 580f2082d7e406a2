// What unit tests of the tools share.
import { DEFAULT_LIMITS, type Limits } from "../../lib/limits.ts";
import { ServerState } from "./server_state.ts";
import type { ToolContext } from "./tool.ts";
import type { World } from "./world.ts";

/** A call's context with nothing behind it but what the test gives. */
export async function testContext(
  tool: string,
  world: Partial<World> = {},
  limits: Partial<Limits> = {},
): Promise<ToolContext> {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return {
    tool,
    cwd: "/w",
    home: undefined,
    limits: all,
    world: world as World,
    fetch: () => Promise.reject(new Error("there is no network")),
    state: await ServerState.open(undefined, all, world as World),
    ownCommand: () => [],
    editor: undefined,
    progress: () => {},
  };
}
