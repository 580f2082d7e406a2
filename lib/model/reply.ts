import type { Message, Reasoning, Text, ToolCall, Usage } from "./message.ts";
import type { ModelPart, StopReason } from "./model.ts";

/** The name of a call that came without one. No tool is called so: a server's has its server's name. */
export const NAMELESS = "unnamed_call";

/** A whole reply. */
export interface CollectedReply {
  readonly message: Extract<Message, { role: "assistant" }>;
  readonly usage?: Usage;
  readonly stop: { readonly reason: StopReason; readonly raw?: string };
}

/**
 * Puts a reply together from its parts, as they arrive: increments of text are joined, those of
 * reasoning by their block, calls stay where they came. A call's id that is empty, or was used before,
 * gets a new one, since results are matched by it; one without a name is {@linkcode NAMELESS}.
 */
export class ReplyBuilder {
  readonly #modelId: string;
  readonly #content: (Text | Reasoning | ToolCall)[] = [];
  readonly #takenIds: Set<string>;
  /** Place in the content of each block of reasoning. */
  readonly #blocks = new Map<string, number>();
  #usage: Usage | undefined;
  #stop: CollectedReply["stop"] | undefined;

  /**
   * @param modelId Who replies: kept in the message.
   * @param takenIds Ids that calls may not get, such as those of the history (`callIds()`).
   */
  constructor(modelId: string, takenIds: Iterable<string> = []) {
    this.#modelId = modelId;
    this.#takenIds = new Set(takenIds);
  }

  /** Takes the next part. */
  add(part: ModelPart): void {
    switch (part.type) {
      case "text":
        return this.#addText(part.text);
      case "reasoning":
        return this.#addReasoning(part);
      case "call":
        return void this.#content.push({
          ...part,
          id: this.#freeId(part.id),
          name: part.name.trim() === "" ? NAMELESS : part.name,
        });
      case "usage":
        return void (this.#usage = part.usage);
      case "warning":
        return; // it is about the request: for people, not for the history
      case "stop":
        return void (this.#stop = part.raw === undefined
          ? { reason: part.reason }
          : { reason: part.reason, raw: part.raw });
      default:
        return part satisfies never;
    }
  }

  /** What was said so far. Blocks that came out empty are left out. */
  get content(): CollectedReply["message"]["content"] {
    return this.#content.filter((part) =>
      part.type === "call" || part.text !== "" ||
      (part.type === "reasoning" && part.metadata !== undefined)
    );
  }

  /** The last usage that was told; undefined when none was. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** How the reply ended; undefined until it has. */
  get stop(): CollectedReply["stop"] | undefined {
    return this.#stop;
  }

  /** What was said so far, as an entry of the history. */
  get message(): CollectedReply["message"] {
    return { role: "assistant", content: this.content, model: this.#modelId };
  }

  #addText(text: string): void {
    const last = this.#content.at(-1);
    if (last?.type === "text") {
      this.#content[this.#content.length - 1] = { type: "text", text: last.text + text };
    } else {
      this.#content.push({ type: "text", text });
    }
  }

  #addReasoning({ block, text, metadata }: Extract<ModelPart, { type: "reasoning" }>): void {
    const place = this.#blocks.get(block) ?? this.#content.length;
    this.#blocks.set(block, place);
    const before = this.#content[place];
    const said = before?.type === "reasoning" ? before : undefined;
    const known = metadata ?? said?.metadata;
    this.#content[place] = {
      type: "reasoning",
      text: (said?.text ?? "") + text,
      ...(known === undefined ? {} : { metadata: known }),
    };
  }

  #freeId(wanted: string): string {
    const base = wanted.trim() === "" ? "call" : wanted;
    let id = base;
    for (let n = 2; this.#takenIds.has(id); n++) id = `${base}-${n}`;
    this.#takenIds.add(id);
    return id;
  }
}

/**
 * Reads a stream of parts to its end.
 *
 * @throws what the stream throws. A stream always ends in a stop, else it throws.
 */
export async function collectReply(
  parts: AsyncIterable<ModelPart>,
  modelId: string,
): Promise<CollectedReply> {
  const reply = new ReplyBuilder(modelId);
  for await (const part of parts) reply.add(part);
  const { message, usage, stop = { reason: "error" } } = reply; // no stop breaks the stream's promise
  return { message, stop, ...(usage === undefined ? {} : { usage }) };
}
