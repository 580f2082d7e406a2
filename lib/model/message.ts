/** A piece of what a person, a model or a tool says. */
export type Text = { readonly type: "text"; readonly text: string };

/** A picture: its bytes in standard base64, and their media type, such as `image/png`. */
export type Image = { readonly type: "image"; readonly data: string; readonly mediaType: string };

/**
 * What the model thought before it answered. `metadata` is the provider's own (a signature, an id):
 * it is kept as it came and sent back to that provider only.
 */
export type Reasoning = {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A call that the model asks for. `input` is the arguments as the model wrote them: JSON text, or nearly. */
export type ToolCall = {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** What a call came to. Every call of an assistant message is followed by exactly one result. */
export type ToolResult = {
  readonly callId: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: readonly (Text | Image)[];
  /** What the runtime adds for the model alone, behind the content: no word of the tool's. */
  readonly note?: string;
  /** Its server gave no answer: it was not run, not let through, cut off or cancelled. For clients. */
  readonly isUndelivered?: boolean;
};

/** One entry of the history that goes to a model. `model` names who wrote an assistant message. */
export type Message =
  | { readonly role: "user"; readonly content: readonly (Text | Image)[] }
  | {
    readonly role: "assistant";
    readonly content: readonly (Text | Reasoning | ToolCall)[];
    readonly model?: string;
  }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A tool as a model is told of it. `inputSchema` is a JSON Schema of type `object`. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tokens of one or more requests. An absent count is unknown, which is not zero. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly inputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
  /**
   * By the provider's own count, never put together from the others; of several requests only when each
   * that told any tokens told this as well.
   */
  readonly totalTokens?: number;
  /** What failed attempts took, as far as the provider told; it is a part of the counts above. */
  readonly failedInputTokens?: number;
  readonly failedOutputTokens?: number;
  /** What summaries of the history took; it is a part of the counts above. */
  readonly summaryInputTokens?: number;
  readonly summaryOutputTokens?: number;
  /** US dollars, by the provider's own count or by its list prices. */
  readonly costUsd?: number;
}
