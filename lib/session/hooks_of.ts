import { Hooks } from "./hooks.ts";
import type { SessionParts } from "./open_session.ts";
import { SessionHooks } from "./session_hooks.ts";

/** The hooks of a session; undefined when nobody's are called. */
export function hooksOf(
  { hooks, registry, limits, world }: SessionParts,
  id: string,
): SessionHooks | undefined {
  if (hooks === undefined || hooks.servers.length === 0) return undefined;
  return new SessionHooks(new Hooks(hooks, { registry, limits, world }), id);
}
