import type { Limits } from "../limits.ts";
import { byteLength, elideEnd, elideMiddle, READ_ARTIFACT } from "../mcp/elide.ts";
import type { Image, Message, Text } from "../model/message.ts";
import type { ArtifactStore } from "./artifacts.ts";

/** What of a result stays before its reference. */
const HEAD_BYTES = 400;

/**
 * Puts references in the place of large results: the whole is kept as an artifact, which the model can
 * read again. The messages that have none stay the very same.
 *
 * @param keptBytes What of each stays, its end too; a short beginning alone unless given.
 */
export function referenceResults<M extends Message>(
  messages: readonly M[],
  artifacts: Pick<ArtifactStore, "put">,
  { minReferencedBytes }: Pick<Limits, "minReferencedBytes">,
  keptBytes = 0,
): (M | Extract<Message, { role: "tool" }>)[] {
  const refer = (block: Text | Image): Text | Image => {
    const bytes = block.type === "text" ? byteLength(block.text) : Infinity;
    if (bytes < minReferencedBytes || bytes <= keptBytes) return block;
    const id = artifacts.put(block);
    const whole = `${READ_ARTIFACT} "${id}"`;
    if (block.type === "image") {
      return { type: "text", text: `[An image (${block.mediaType}) was here: ${whole} shows it]` };
    }
    if (keptBytes > HEAD_BYTES) {
      return { type: "text", text: elideMiddle(block.text, keptBytes, id) };
    }
    const mark = `\n[${bytes} bytes were here: ${whole} gives all of them]`;
    return { type: "text", text: elideEnd(block.text, HEAD_BYTES + mark.length, mark) };
  };
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    let isSame = true;
    const results = message.results.map((result) => {
      const content = result.content.map(refer);
      if (content.every((block, index) => block === result.content[index])) return result;
      isSame = false;
      return { ...result, content };
    });
    return isSame ? message : { role: "tool", results };
  });
}
