import type { Image, Message, Text, ToolDefinition, ToolResult } from "../model/message.ts";

/**
 * Bytes of UTF-8 that count as one token. English has about four, code and JSON about three, which is on
 * the safe side for both; a script of three bytes a character has about one token a character.
 */
const BYTES_PER_TOKEN = 3;
/** What a picture takes, whatever its bytes: providers scale it down to about this much. */
const IMAGE_TOKENS = 2000;
/** What a message, a call or a result takes around its words. */
const FRAME_TOKENS = 8;

/** About how many tokens a text takes of a model's context: rather too many than too few. */
export function textTokens(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Both halves of a surrogate pair count two of its four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit & 0xf800) !== 0xd800 ? 2 : 1;
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The same of a message, with all that is in it. */
export function messageTokens(message: Message): number {
  switch (message.role) {
    case "user":
      return FRAME_TOKENS + sum(message.content, contentTokens);
    case "assistant":
      return FRAME_TOKENS + sum(message.content, (part) => {
        const own = part.type === "text" || part.metadata === undefined
          ? 0
          : textTokens(JSON.stringify(part.metadata));
        if (part.type !== "call") return own + textTokens(part.text);
        return own + FRAME_TOKENS + textTokens(part.name + part.input);
      });
    case "tool":
      return FRAME_TOKENS + sum(message.results, resultTokens);
    default:
      return message satisfies never;
  }
}

/** The same of one result. */
export function resultTokens({ content, note = "" }: ToolResult): number {
  return FRAME_TOKENS + textTokens(note) + sum(content, contentTokens);
}

const definitions = new WeakMap<ToolDefinition, number>();

/** The same of the tools that go along; a definition is looked at once. */
export function toolTokens(tools: readonly ToolDefinition[]): number {
  return sum(tools, (tool) => {
    const known = definitions.get(tool) ?? FRAME_TOKENS + textTokens(JSON.stringify(tool));
    definitions.set(tool, known);
    return known;
  });
}

function contentTokens(block: Text | Image): number {
  return block.type === "text" ? textTokens(block.text) : IMAGE_TOKENS;
}

function sum<T>(items: readonly T[], tokensOf: (item: T) => number): number {
  return items.reduce((all, item) => all + tokensOf(item), 0);
}
