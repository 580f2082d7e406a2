import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type Dialect, isCount, PLAIN_CALL_IDS, usageOf } from "./dialect.ts";
import { splitExtraFields } from "./extra_fields.ts";
import { flatSchema } from "./flat_schema.ts";

/** The makers on Bedrock whose models keep the start of a request where they are told to. */
const CACHES = /(^|\.)(anthropic\.|amazon\.nova)/;
const CACHE_POINT = { amazonBedrock: { cachePoint: { type: "default" } } };

/**
 * Bedrock's Converse. Tokens: `inputTokens` leaves out what was read from or written to the cache.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export const BEDROCK_DIALECT: Dialect = {
  resultImages: "in_result",
  replayedReasoning: "signed_by_model",
  callIds: PLAIN_CALL_IDS,
  wantsToolsForCalls: true,
  options: { toolChoice: { type: "auto" } },
  shape(options, { model, settings: { effort, isCaching, extraFields } }) {
    const cached = isCaching && CACHES.test(model) ? withCachePoints(options) : options;
    const { sent } = splitExtraFields(extraFields ?? {});
    const shaped = Object.keys(sent).length === 0 ? cached : withModelFields(cached, sent);
    // The package knows how each maker's models are told to think, and reports what it changes.
    return withTools({ ...shaped, ...(effort === undefined ? {} : { reasoning: effort }) });
  },
  readUsage(raw) {
    const { inputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = raw;
    const all = [inputTokens, read, written].filter(isCount).reduce((sum, count) => sum + count, 0);
    return usageOf({
      inputTokens: isCount(inputTokens) ? all : undefined,
      cachedInputTokens: read,
      cacheWriteTokens: written,
      outputTokens: raw.outputTokens,
      totalTokens: raw.totalTokens,
    });
  },
};

/** A body that is signed cannot be added to: fields of the model's own have a place of theirs in it. */
function withModelFields(
  options: LanguageModelV4CallOptions,
  fields: Readonly<Record<string, unknown>>,
): LanguageModelV4CallOptions {
  const amazonBedrock = { additionalModelRequestFields: fields as never };
  return { ...options, providerOptions: { ...options.providerOptions, amazonBedrock } };
}

function withCachePoints(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message, index): (typeof options.prompt)[number] =>
    message.role === "system" || index >= options.prompt.length - 2
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHE_POINT } }
      : message
  );
  return { ...options, prompt };
}

/** Where tools are told not to be called, the package would leave out all calls of the history. */
function withTools(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { toolChoice, ...rest } = options;
  const tools = options.tools?.map((tool) =>
    tool.type === "function" ? { ...tool, inputSchema: flatSchema(tool.inputSchema) } : tool
  );
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools }),
    ...(toolChoice === undefined || toolChoice.type === "none" ? {} : { toolChoice }),
  };
}
