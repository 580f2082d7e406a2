import type { Message, Text } from "../model/message.ts";

/** What a summary of the older messages begins with. */
export const SUMMARY_HEAD = "[Context summary]\n" +
  "The older part of this session is replaced by what follows. Go on from here.\n\n";
/** What stands above what a person pinned. */
export const PINNED_HEAD = "[Pinned by the person]";

/** The exact forms, from beginning to end, of what skep itself says in a person's place. */
const REMARKS = [
  /^\[Pinned by the person\]\n/,
  /^\[Hook output — untrusted\]\n\{"hook":/,
  /^\{"hook":"(?:[^"\\]|\\.)*","server":"(?:[^"\\]|\\.)*","text":"(?:[^"\\]|\\.)*"\}$/,
  /^\[Your reply was cut off: it [^\n]* Think briefly\.\]$/,
  /^\[\d+ older messages were taken out here: the model's context did not hold them\.\]$/,
];

/**
 * What a person said in a message, without what skep put beside it; empty when all of it is skep's. Only
 * whole forms are known: a person's text may begin with a bracket as well.
 */
export function saidIn({ content }: Extract<Message, { role: "user" }>): string {
  return content.filter((block): block is Text => block.type === "text" && !isRemark(block.text))
    .map(({ text }) => text).join("\n");
}

function isRemark(text: string): boolean {
  return REMARKS.some((form) => form.test(text));
}
