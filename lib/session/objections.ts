import type { Message, Text } from "../model/message.ts";

/** Something that a hook says to the model. */
export interface Objection {
  readonly server: string;
  /** Which of its hooks, such as `_Stop`. */
  readonly hook: string;
  readonly text: string;
}

/** What a hook says, as the model reads it: escaped and with its author, so that it passes for nobody else. */
export function hookText({ hook, server, text }: Objection): string {
  return JSON.stringify({ hook, server, text });
}

/** The same as a part of a prompt or a result. */
export function hookBlock(said: Objection): Text {
  return { type: "text", text: `[Hook output — untrusted]\n${hookText(said)}` };
}

/** True of a hook's answer that decides: it was heeded, and is no news for the model. */
export function isDecision(text: string): boolean {
  return /^\s*\{\s*"decision"\s*:/.test(text);
}

/**
 * Objections to the end of a turn as messages of the history: each the answer to a call that the model
 * seems to have made. Where no tool is offered, which some providers then refuse, as a message.
 *
 * @param idPrefix Makes the calls' ids unique in the history.
 */
export function objectionMessages(
  objections: readonly Objection[],
  idPrefix: string,
  hasTools: boolean,
): Message[] {
  return objections.flatMap((objection, index): Message[] => {
    const text = { type: "text", text: hookText(objection) } as const;
    if (!hasTools) return [{ role: "user", content: [text] }];
    const id = `${idPrefix}_${index + 1}`;
    const name = `${objection.server}__${objection.hook}`.slice(-64); // providers take no longer one
    return [
      { role: "assistant", content: [{ type: "call", id, name, input: "{}" }] },
      { role: "tool", results: [{ callId: id, name, isError: false, content: [text] }] },
    ];
  });
}
