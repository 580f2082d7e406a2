import type { Registry } from "../mcp/registry.ts";
import { isDevServer } from "../sandbox/command.ts";
import type { Plan } from "./session_state.ts";

/**
 * Gives the dev server the list that it had when the session was left: it keeps one in its private
 * folder, which ends with it. No other server gets one: what its `todo` does is not known.
 *
 * @returns what a person must be told: that it did not take the list.
 * @throws {SkepError} `CANCELLED`.
 */
export async function giveBackPlan(
  registry: Pick<Registry, "specs" | "tools" | "call">,
  { tool, todos }: Plan,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isThere = registry.tools().some(({ name }) => name === tool) &&
    registry.specs().some((spec) => tool === `${spec.name}__todo` && isDevServer(spec));
  if (!isThere || todos.length === 0) return undefined;
  const { isError, content } = await registry.call(tool, { todos }, signal);
  if (!isError) return undefined;
  const said = content.flatMap((part) => part.type === "text" ? [part.text] : []).join(" ");
  return `The todo list of this session could not be given back: ${said}`;
}
