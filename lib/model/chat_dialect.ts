import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type CallIdRule, type Dialect, type Shaping, usageOf } from "./dialect.ts";
import { isRecord } from "./is_record.ts";
import { fitOpenAIEffort, isOpenAIReasoner } from "./openai_effort.ts";

type Details = Readonly<Record<string, unknown>> | null | undefined;

/** What servers made for OpenAI's own ids take; some models of others expect theirs back to the letter. */
const CHAT_CALL_IDS: CallIdRule = {
  fits: /^[A-Za-z0-9_-]{1,40}$/,
  make: (number) => `call_${number}`,
  keepsOwn: true,
};

/**
 * Chat Completions, as many servers speak it. Tokens: `prompt_tokens` has the cached ones in it.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export const CHAT_DIALECT: Dialect = {
  resultImages: "after_results",
  replayedReasoning: "this_turn",
  callIds: CHAT_CALL_IDS,
  wantsToolsForCalls: false,
  options: { toolChoice: { type: "auto" } },
  shape(given, { model, settings, facts, notice }) {
    const options = withoutTemperature(given, model, notice);
    if (settings.effort === undefined) return options;
    const fit = fitOpenAIEffort(model, settings.effort, facts.efforts);
    if (fit.notice !== undefined) notice(fit.notice);
    if (fit.effort === undefined) return options;
    const openaiCompatible = { reasoningEffort: fit.effort };
    return { ...options, providerOptions: { ...options.providerOptions, openaiCompatible } };
  },
  // The package tells the tokens at the end of a reply, which may break off behind them.
  readEvents: () => {
    let usage: Readonly<Record<string, unknown>> | undefined;
    return {
      take: (event) => {
        if (isRecord(event) && isRecord(event.usage)) usage = event.usage;
      },
      get usage() {
        return usage;
      },
    };
  },
  readUsage(raw) {
    const input = raw.prompt_tokens_details as Details;
    const output = raw.completion_tokens_details as Details;
    return usageOf({
      inputTokens: raw.prompt_tokens,
      cachedInputTokens: raw.cache_read_input_tokens ?? input?.cached_tokens,
      outputTokens: raw.completion_tokens,
      reasoningTokens: output?.reasoning_tokens,
      totalTokens: raw.total_tokens,
    });
  },
};

/** OpenAI's models that think refuse a request that has one. */
function withoutTemperature(
  { temperature, ...options }: LanguageModelV4CallOptions,
  model: string,
  notice: Shaping["notice"],
): LanguageModelV4CallOptions {
  if (temperature === undefined) return options;
  if (!isOpenAIReasoner(model)) return { ...options, temperature };
  notice(`${model} takes no temperature: it is left out`);
  return options;
}
