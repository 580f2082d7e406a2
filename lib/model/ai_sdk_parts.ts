import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Dialect, EventReader } from "./dialect.ts";
import type { ModelPart, StopReason } from "./model.ts";

/** A stream that ended before the reply did. */
export class CutStream extends Error {
  override readonly name = "CutStream";
}

/** Words for a stop that the packages do not know, or whose meaning they drop. */
const STOP_WORDS: Readonly<Record<string, StopReason>> = {
  pause_turn: "pause",
  error: "error",
  end_turn: "end",
  eos: "end",
  eos_token: "end",
  stop_sequence: "end",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "context_full",
};

/**
 * A package's stream as our parts. A call, and what comes after it, is given out only at the end of
 * the reply: the packages show complete calls of a reply that breaks off. Warnings come with the first
 * part of the reply, so that a request which fails before it can still be sent again.
 *
 * @throws {CutStream} when the stream ends without saying why the reply did.
 * @throws what an `error` part of the stream holds, whatever it is, and what the stream itself throws.
 */
export async function* toParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  dialect: Dialect,
): AsyncGenerator<ModelPart, void, void> {
  const reading = new Reading(dialect.readEvents?.());
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "finish") {
        const stop = stopOf(part.finishReason, reading);
        yield* reading.metadata();
        yield* reading.end();
        yield* reading.usage(part.usage.raw, dialect);
        yield stop;
        return;
      }
      yield* reading.take(part);
    }
    throw new CutStream("the stream ended without a stop");
  } catch (error) {
    yield* reading.usage(undefined, dialect); // a reply that breaks off is paid for all the same
    throw error;
  }
}

/** What a stream has shown so far, and what of it is held back. */
class Reading {
  hasCalls = false;
  #held: ModelPart[] = [];
  readonly #blocks = new Map<string, { name: string; metadata: SharedV4ProviderMetadata }>();
  #blockCount = 0;
  #isMetadataGiven = false;
  #model: string | undefined;

  constructor(readonly events: EventReader | undefined) {}

  *take(part: LanguageModelV4StreamPart): Generator<ModelPart, void, void> {
    if (part.type === "raw") return this.events?.take(part.rawValue);
    if (part.type === "response-metadata") {
      this.#model = part.modelId ?? this.#model;
      return;
    }
    if (part.type === "stream-start") {
      this.#held = part.warnings.map((warning) => ({ type: "warning", message: textOf(warning) }));
      return;
    }
    const ours = this.#convert(part);
    if (ours === undefined) return;
    this.#held.push(ours);
    this.hasCalls ||= ours.type === "call";
    if (!this.hasCalls) yield* this.end();
  }

  *end(): Generator<ModelPart, void, void> {
    const held = this.#held;
    this.#held = [];
    yield* held;
  }

  /** What the reply took: by the package, else by the events that came. */
  *usage(
    told: Readonly<Record<string, unknown>> | undefined,
    dialect: Dialect,
  ): Generator<ModelPart, void, void> {
    const raw = told ?? this.events?.usage;
    const model = this.#model ?? this.events?.model;
    if (raw === undefined) return;
    const named = model === undefined || model === "" ? {} : { model };
    yield { type: "usage", usage: dialect.readUsage(raw), ...named };
  }

  /** What the events say must go back with the reasoning, as a part of the reply's last block of it. */
  *metadata(): Generator<ModelPart, void, void> {
    const metadata = this.events?.metadata;
    if (metadata === undefined || this.#isMetadataGiven) return;
    this.#isMetadataGiven = true;
    yield { type: "reasoning", text: "", metadata, block: `${Math.max(1, this.#blockCount)}` };
  }

  #convert(part: LanguageModelV4StreamPart): ModelPart | undefined {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? undefined : { type: "text", text: part.delta };
      case "reasoning-start":
        // The packages use an id again for a later block.
        this.#blocks.set(part.id, { name: `${++this.#blockCount}`, metadata: {} });
        return this.#reasoning(part, "");
      case "reasoning-delta":
        return this.#reasoning(part, part.delta);
      case "reasoning-end": {
        const { name: block, metadata } = this.#block(part);
        if (Object.keys(metadata).length === 0) return undefined;
        return { type: "reasoning", text: "", metadata, block };
      }
      case "tool-call": {
        if (part.providerExecuted) return undefined;
        const { toolCallId: id, toolName: name, input, providerMetadata: metadata } = part;
        return { type: "call", id, name, input, ...(metadata === undefined ? {} : { metadata }) };
      }
      default:
        return undefined; // pings, sources, increments of a call that comes whole later
    }
  }

  #reasoning(part: ReasoningPart, text: string): ModelPart | undefined {
    const block = this.#block(part).name;
    return text === "" ? undefined : { type: "reasoning", text, block };
  }

  /** The block that a part belongs to, the part's metadata added: it may come with any of them. */
  #block({ id, providerMetadata = {} }: ReasoningPart): {
    readonly name: string;
    readonly metadata: SharedV4ProviderMetadata;
  } {
    const block = this.#blocks.get(id) ?? { name: `${++this.#blockCount}`, metadata: {} };
    this.#blocks.set(id, block);
    for (const [provider, values] of Object.entries(providerMetadata)) {
      block.metadata[provider] = { ...block.metadata[provider], ...values };
    }
    return block;
  }
}

type ReasoningPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

function stopOf(
  { unified, raw: told }: LanguageModelV4FinishReason,
  { hasCalls, events }: Pick<Reading, "hasCalls" | "events">,
): ModelPart {
  const raw = told ?? events?.stop;
  if (unified === "interrupted" || (unified === "error" && !raw) || (unified === "other" && !raw)) {
    throw new CutStream("the reply ended without a reason");
  }
  const said = raw === undefined || raw === "" ? {} : { raw };
  const word = raw !== undefined && Object.hasOwn(STOP_WORDS, raw) ? STOP_WORDS[raw] : undefined;
  const reason = word ?? reasonOf(unified);
  // Some servers say "stop" after calls all the same.
  const isForCalls = hasCalls && (reason === "end" || reason === "calls");
  return { type: "stop", reason: isForCalls ? "calls" : reason, ...said };
}

function reasonOf(unified: LanguageModelV4FinishReason["unified"]): StopReason {
  switch (unified) {
    case "stop":
      return "end";
    case "tool-calls":
      return "calls";
    case "length":
      return "max_tokens";
    case "content-filter":
      return "refusal";
    case "error":
      return "error";
    default:
      return "other";
  }
}

function textOf(warning: SharedV4Warning): string {
  switch (warning.type) {
    case "other":
      return warning.message;
    case "deprecated":
      return `${warning.setting}: ${warning.message}`;
    default:
      return `${warning.feature}: ${warning.details ?? warning.type}`;
  }
}
