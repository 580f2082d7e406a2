import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { HookPoint } from "../persona/hooks.ts";
import type { Persona } from "../persona/persona.ts";
import type { PackHooks } from "../session/pack_hooks.ts";
import { type HookWorld, runPackHook } from "./run_pack_hook.ts";

/**
 * Runs a pack's script for the session's start, and gives what runs those for its prompts and its end.
 *
 * @returns undefined when the persona's pack has no scripts.
 * @throws {SkepError} `SERVER_FAILED` when the first script fails: the session does not start.
 */
export async function startPackHooks(
  persona: Persona,
  world: HookWorld & { readonly host: Pick<Host, "warn"> },
  signal: AbortSignal,
): Promise<PackHooks | undefined> {
  if (Object.keys(persona.hooks).length === 0) return undefined;
  const run = (point: HookPoint, input: string, stop: AbortSignal) =>
    runPackHook(point, persona, input, world, stop);
  const whyNot = await run("on_start", "", signal);
  if (whyNot !== undefined) {
    const message =
      `Cannot start a session: the hook on_start of ${persona.name} failed: ${whyNot}`;
    throw new SkepError("SERVER_FAILED", message, { server: "hook_on_start", stage: "init" });
  }
  return {
    message: async (prompt, stop) => {
      const why = await run("on_message", prompt, stop);
      if (why === undefined) return;
      if (stop.aborted) throw new SkepError("CANCELLED", "The prompt was given up", {});
      const message = `The prompt was refused by the hook on_message of ${persona.name}: ${why}`;
      throw new SkepError("PROMPT_DENIED", message, { server: "hook_on_message" });
    },
    stop: async () => {
      const why = await run("on_stop", "", new AbortController().signal);
      if (why !== undefined) world.host.warn(`The hook on_stop of ${persona.name} failed: ${why}`);
    },
  };
}
