import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type Dialect, PLAIN_CALL_IDS, usageOf } from "./dialect.ts";
import { flatSchema } from "./flat_schema.ts";
import { isRecord } from "./is_record.ts";
import { fitOpenAIEffort, isOpenAIReasoner } from "./openai_effort.ts";

type Details = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The Responses API. Nothing is stored at the provider: reasoning comes encrypted, and goes back to the
 * model that it came from, since no other can read it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export const RESPONSES_DIALECT: Dialect = {
  resultImages: "after_results",
  replayedReasoning: "signed_by_model",
  callIds: PLAIN_CALL_IDS,
  wantsToolsForCalls: false,
  options: { toolChoice: { type: "auto" }, providerOptions: { openai: { store: false } } },
  shape(options, { model, settings: { effort }, facts, notice }) {
    const shaped = withFlatSchemas(options);
    const isReasoner = isOpenAIReasoner(model) || (effort !== undefined && effort !== "none");
    if (!isReasoner) return shaped;
    // The package knows OpenAI's own names alone, and else leaves all that is about reasoning out.
    let openai: NonNullable<LanguageModelV4CallOptions["providerOptions"]>[string] = {
      ...shaped.providerOptions?.openai,
      forceReasoning: true,
    };
    if (effort !== undefined) {
      const fit = fitOpenAIEffort(model, effort, facts.efforts);
      if (fit.notice !== undefined) notice(fit.notice);
      const summary = fit.effort === "none" ? {} : { reasoningSummary: "auto" };
      if (fit.effort !== undefined) openai = { ...openai, reasoningEffort: fit.effort, ...summary };
    }
    return { ...shaped, providerOptions: { ...shaped.providerOptions, openai } };
  },
  readEvents: () => {
    let stop: string | undefined;
    let usage: Readonly<Record<string, unknown>> | undefined;
    return {
      take: (event) => {
        if (!isRecord(event) || !isRecord(event.response)) return;
        const { status, incomplete_details: details, usage: told } = event.response;
        if (isRecord(told)) usage = told;
        if (status === "completed") stop = status;
        if (isRecord(details) && typeof details.reason === "string") stop = details.reason;
      },
      get stop() {
        return stop;
      },
      get usage() {
        return usage;
      },
    };
  },
  readUsage(raw) {
    const input = raw.input_tokens_details as Details;
    const output = raw.output_tokens_details as Details;
    return usageOf({
      inputTokens: raw.input_tokens,
      cachedInputTokens: raw.cache_read_input_tokens ?? input?.cached_tokens,
      cacheWriteTokens: input?.cache_write_tokens,
      outputTokens: raw.output_tokens,
      reasoningTokens: output?.reasoning_tokens,
      totalTokens: raw.total_tokens,
    });
  },
};

function withFlatSchemas(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const tools = options.tools?.map((tool) =>
    tool.type === "function"
      // The API holds a tool for strict unless it is told otherwise, and rewrites its schema then.
      ? { ...tool, inputSchema: flatSchema(tool.inputSchema), strict: false }
      : tool
  );
  return tools === undefined ? options : { ...options, tools };
}
