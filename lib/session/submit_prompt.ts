import type { Image, Text } from "../model/message.ts";
import type { PackHooks } from "./pack_hooks.ts";
import type { SessionHooks } from "./session_hooks.ts";

type Content = readonly (Text | Image)[];

/**
 * A prompt as it goes into the history: with what the pack's scripts and the servers' hooks add to it. Each of
 * them hears what the person said, and nothing that another one added.
 *
 * @returns undefined when it was cancelled before.
 * @throws {SkepError} `PROMPT_DENIED`.
 */
export async function submitPrompt(
  content: Content,
  { packHooks, hooks }: {
    readonly packHooks: PackHooks | undefined;
    readonly hooks: Pick<SessionHooks, "submit"> | undefined;
  },
  signal: AbortSignal,
): Promise<Content | undefined> {
  try {
    const said = await packHooks?.message(textOf(content), signal);
    const heard = hooks === undefined ? content : await hooks.submit(content, signal);
    return said === undefined ? heard : [...said.before, ...heard, ...said.after];
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function textOf(content: Content): string {
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}
