import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type Dialect, isCount, PLAIN_CALL_IDS, usageOf } from "./dialect.ts";
import { geminiSchema } from "./gemini_schema.ts";
import { isRecord } from "./is_record.ts";

/** The first generation that can be asked for its thoughts. */
const THINKS = /gemini-(2\.5|[3-9]|\d\d|flash-latest|pro-latest)/;

/**
 * Gemini's API. Tokens: what it thought is counted beside what it said. What it signed goes back to the
 * model that signed it; the package marks the calls of others, which Gemini would refuse unmarked.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const GOOGLE_DIALECT: Dialect = {
  resultImages: "in_result",
  replayedReasoning: "signed_by_model",
  callIds: PLAIN_CALL_IDS,
  wantsToolsForCalls: false,
  options: {},
  // A name must not start with a digit or a dash.
  fitName: (name) => /^[A-Za-z_]/.test(name) ? name : `_${name}`,
  shape: (options, { model, settings: { effort } }) =>
    withThinking(withSchemas(options), model, effort),
  readEvents: () => {
    let model: string | undefined;
    let usage: Readonly<Record<string, unknown>> | undefined;
    return {
      take: (event) => {
        if (!isRecord(event)) return;
        if (typeof event.modelVersion === "string") model = event.modelVersion;
        if (isRecord(event.usageMetadata)) usage = event.usageMetadata;
      },
      get model() {
        return model;
      },
      get usage() {
        return usage;
      },
    };
  },
  readUsage(raw) {
    const { candidatesTokenCount: said, thoughtsTokenCount: thought } = raw;
    const output = [said, thought].filter(isCount);
    return usageOf({
      inputTokens: raw.promptTokenCount,
      cachedInputTokens: raw.cachedContentTokenCount,
      outputTokens: output.length === 0 ? undefined : output.reduce((sum, count) => sum + count, 0),
      reasoningTokens: thought,
      totalTokens: raw.totalTokenCount,
    });
  },
};

function withSchemas(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const tools = options.tools?.map((tool) =>
    tool.type === "function" ? { ...tool, inputSchema: geminiSchema(tool.inputSchema) } : tool
  );
  return tools === undefined ? options : { ...options, tools };
}

/** The package knows which levels or budgets each model takes, and reports what it changes. */
function withThinking(
  options: LanguageModelV4CallOptions,
  model: string,
  effort: LanguageModelV4CallOptions["reasoning"],
): LanguageModelV4CallOptions {
  if (!THINKS.test(model)) return options;
  const google = { thinkingConfig: { includeThoughts: effort !== "none" } };
  const providerOptions = { ...options.providerOptions, google };
  return { ...options, providerOptions, ...(effort === undefined ? {} : { reasoning: effort }) };
}
