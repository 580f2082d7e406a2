import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { CHAT_DIALECT } from "./chat_dialect.ts";
import { type Dialect, type EventReader, usageOf } from "./dialect.ts";
import { isRecord } from "./is_record.ts";

type Detail = Record<string, unknown>;
type Message = LanguageModelV4Prompt[number];

/** Where a reply's `reasoning_details` stand in the history. */
const OWN = "openrouter";

/**
 * Chat Completions as OpenRouter speaks it: what a model thought comes as `reasoning_details`, of
 * whatever maker's form, and goes back to that model to the letter. It says itself what a reply cost.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export const OPENROUTER_DIALECT: Dialect = {
  ...CHAT_DIALECT,
  replayedReasoning: "signed_by_model",
  shape(options, { settings: { effort } }) {
    const prompt = options.prompt.map(withDetails);
    const reasoning = effort === undefined ? {} : { reasoning: { effort } };
    const providerOptions = { ...options.providerOptions, openrouter: reasoning };
    return { ...options, prompt, ...(effort === undefined ? {} : { providerOptions }) };
  },
  readEvents: () => new DetailReader(),
  readUsage(raw) {
    const details = raw.prompt_tokens_details as Detail | null | undefined;
    return {
      ...CHAT_DIALECT.readUsage(raw),
      ...usageOf({ cacheWriteTokens: details?.cache_write_tokens }),
      ...(typeof raw.cost === "number" && raw.cost >= 0 ? { costUsd: raw.cost } : {}),
    };
  },
};

/** Puts the details of a message's reasoning where the package copies them into the request. */
function withDetails(message: Message): Message {
  if (message.role !== "assistant") return message;
  const details = message.content.flatMap((part) => {
    const own = part.type === "reasoning"
      ? part.providerOptions?.[OWN]?.reasoning_details
      : undefined;
    return Array.isArray(own) ? own : [];
  });
  const content = message.content.filter((part) => part.type !== "reasoning");
  if (details.length === 0) return { ...message, content };
  const openaiCompatible = { reasoning_details: details };
  return { ...message, content, providerOptions: { ...message.providerOptions, openaiCompatible } };
}

/** Puts the details together from their increments: those of one index and type are one. */
class DetailReader implements EventReader {
  readonly #details: Detail[] = [];

  take(event: unknown): void {
    const choices = isRecord(event) && Array.isArray(event.choices) ? event.choices : [];
    const delta: unknown = isRecord(choices[0]) ? choices[0].delta : undefined;
    const increments = isRecord(delta) ? delta.reasoning_details : undefined;
    if (!Array.isArray(increments)) return;
    for (const increment of increments.filter(isRecord)) this.#add(increment);
  }

  get metadata(): LanguageModelV4CallOptions["providerOptions"] | undefined {
    if (this.#details.length === 0) return undefined;
    return { [OWN]: { reasoning_details: this.#details as never } };
  }

  #add(increment: Readonly<Detail>): void {
    const open = this.#details.findLast(({ index, type }) =>
      index !== undefined && index === increment.index && type === increment.type
    );
    if (open === undefined) return void this.#details.push({ ...increment });
    for (const [field, value] of Object.entries(increment)) {
      const isText = field === "text" || field === "summary" || field === "data";
      if (isText && typeof value === "string") open[field] = `${open[field] ?? ""}${value}`;
      else if (value !== null && value !== undefined) open[field] = value;
    }
  }
}
