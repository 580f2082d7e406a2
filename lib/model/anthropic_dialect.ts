import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { claudeThinking } from "./anthropic_effort.ts";
import { type Dialect, isCount, PLAIN_CALL_IDS, type Shaping, usageOf } from "./dialect.ts";
import { flatSchema } from "./flat_schema.ts";
import { isRecord } from "./is_record.ts";

/**
 * The Messages API. Tokens: `input_tokens` leaves out what was read from or written to the cache.
 *
 * @see https://docs.anthropic.com/en/api/messages
 */
export const ANTHROPIC_DIALECT: Dialect = {
  resultImages: "in_result",
  replayedReasoning: "signed",
  callIds: PLAIN_CALL_IDS,
  wantsToolsForCalls: true,
  // Else every tool gets a field that gateways in Anthropic's place do not know.
  options: { providerOptions: { anthropic: { toolStreaming: false } } },
  shape: (options, shaping) =>
    withThinking(withFlatSchemas(withCaching(options, shaping)), shaping),
  readEvents: () => {
    let usage: Readonly<Record<string, unknown>> | undefined;
    return {
      take: (event) => {
        // The start of a message tells the input's tokens; the end, which replaces it, may never come.
        if (!isRecord(event) || event.type !== "message_start" || !isRecord(event.message)) return;
        if (isRecord(event.message.usage)) usage = event.message.usage;
      },
      get usage() {
        return usage;
      },
    };
  },
  readUsage(raw) {
    const parts = [raw.input_tokens, raw.cache_read_input_tokens, raw.cache_creation_input_tokens];
    const total = parts.filter(isCount).reduce((sum, count) => sum + count, 0);
    const details = raw.output_tokens_details as { thinking_tokens?: unknown } | null | undefined;
    return usageOf({
      inputTokens: isCount(raw.input_tokens) ? total : undefined,
      cachedInputTokens: raw.cache_read_input_tokens,
      cacheWriteTokens: raw.cache_creation_input_tokens,
      outputTokens: raw.output_tokens,
      reasoningTokens: details?.thinking_tokens,
    });
  },
};

const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks the end of the system prompt, which covers the tools before it, and of the last two messages: two,
 * since the API looks back for an earlier mark over 20 blocks alone.
 */
function withCaching(
  options: LanguageModelV4CallOptions,
  { settings }: Shaping,
): LanguageModelV4CallOptions {
  if (!settings.isCaching) return options;
  const marked = options.prompt.map((message, index): LanguageModelV4Prompt[number] =>
    message.role === "system" || index >= options.prompt.length - 2
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHED } }
      : message
  );
  return { ...options, prompt: marked };
}

/** The API takes no alternatives at the top of a tool's schema. */
function withFlatSchemas(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const tools = options.tools?.map((tool) =>
    tool.type === "function" ? { ...tool, inputSchema: flatSchema(tool.inputSchema) } : tool
  );
  return tools === undefined ? options : { ...options, tools };
}

function withThinking(
  options: LanguageModelV4CallOptions,
  { model, settings: { effort }, notice }: Shaping,
): LanguageModelV4CallOptions {
  const { maxOutputTokens = 0, prompt, providerOptions } = options;
  if (effort === undefined) return options;
  const thinking = claudeThinking(model, effort, maxOutputTokens);
  if (thinking.notice !== undefined) notice(thinking.notice);
  const add = (fields: NonNullable<typeof providerOptions>[string]) => (
    {
      providerOptions: {
        ...providerOptions,
        anthropic: { ...providerOptions?.anthropic, ...fields },
      },
    }
  );
  if (thinking.effort !== undefined) {
    const adaptive = { type: "adaptive", display: "summarized" };
    return { ...options, ...add({ thinking: adaptive, effort: thinking.effort }) };
  }
  if (thinking.budgetTokens === undefined || isAnsweringUnthoughtCalls(prompt)) return options;
  // The package adds the budget to what may be given out; ours is meant as a part of it.
  return {
    ...options,
    ...add({ thinking: { type: "enabled", budgetTokens: thinking.budgetTokens } }),
    maxOutputTokens: maxOutputTokens - thinking.budgetTokens,
  };
}

/** With a budget, calls must stand behind reasoning: those of another model, or from before it, do not. */
function isAnsweringUnthoughtCalls(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  const message = prompt[last];
  if (message?.role !== "assistant" || prompt[last + 1]?.role !== "tool") return false;
  return message.content[0]?.type !== "reasoning";
}
