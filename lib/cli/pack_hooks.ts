import { SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { plainText } from "../mcp/plain_text.ts";
import { serverLog } from "../mcp/server_log.ts";
import type { Text } from "../model/message.ts";
import type { HookPoint } from "../persona/hooks.ts";
import type { Persona } from "../persona/persona.ts";
import { hookVerdict } from "../session/hook_verdict.ts";
import { hookBlock, isDecision } from "../session/objections.ts";
import type { PackHooks } from "../session/pack_hooks.ts";
import { type HookWorld, runPackHook } from "./run_pack_hook.ts";

/**
 * Runs a pack's script for the session's start, and gives what runs those for its prompts and its end. What they
 * write to stdout the model reads, with the first prompt and with each; that of the end is logged.
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
  const { name } = persona;
  const run = (point: HookPoint, input: string, stop: AbortSignal) =>
    runPackHook(point, persona, input, world, stop);
  const started = await run("on_start", "", signal);
  if (started.failure !== undefined) {
    const message =
      `Cannot start a session: the hook on_start of ${name} failed: ${started.failure}`;
    throw new SkepError("SERVER_FAILED", message, { server: "hook_on_start", stage: "init" });
  }
  let opening = blocks("on_start", started.said);
  return {
    message: async (prompt, stop) => {
      const { failure, said } = await run("on_message", prompt, stop);
      if (failure !== undefined && stop.aborted) {
        throw new SkepError("CANCELLED", "The prompt was given up", {});
      }
      const server = "hook_on_message";
      // What begins as a decision and is none was meant to be one.
      const answer = { server, isClosed: isDecision(said), text: said };
      const why = failure ?? hookVerdict([answer])?.reason;
      if (why !== undefined) {
        const message = `The prompt was refused by the hook on_message of ${name}: ${
          plainText(why)
        }`;
        throw new SkepError("PROMPT_DENIED", message, { server });
      }
      const before = opening;
      opening = [];
      return { before, after: blocks("on_message", said) };
    },
    stop: async () => {
      const { failure, said } = await run("on_stop", "", new AbortController().signal);
      if (failure !== undefined) {
        world.host.warn(`The hook on_stop of ${name} failed: ${failure}`);
      }
      if (said === "") return;
      const log = serverLog(
        { server: "hook_on_stop", redact: (text) => text }, // done already
        world.limits.maxServerLogBytes,
        world.onLog,
      );
      for (const line of said.split("\n")) log("log", line);
    },
  };
}

/** What a script says, for the model; a decision was heeded, and is no news. */
function blocks(point: HookPoint, said: string): readonly Text[] {
  if (said === "" || isDecision(said)) return [];
  return [hookBlock({ server: `hook_${point}`, hook: point, text: said })];
}
