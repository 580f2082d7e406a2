import type { ModelFacts } from "./facts.ts";
import type { Message, ToolDefinition, Usage } from "./message.ts";

/** Everything that one request to a model holds. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
  /** Why a tool that is not among them cannot be called, as a clause; for an interpreter, no provider is told. */
  readonly whyNot?: (tool: string) => string | undefined;
  /** True when a tool that is not among them may be there once it is called; for an interpreter as well. */
  readonly mayHave?: (tool: string) => boolean;
  /** False: the model is not told to think, whatever the settings say, as for a summary. */
  readonly isThinking?: boolean;
}

/**
 * Why a reply ended. `other` is a reason that the provider gave and nobody knows; `pause` asks to be
 * called again with the reply so far; `error` is a reply that the provider itself broke off.
 */
export type StopReason =
  | "end"
  | "calls"
  | "max_tokens"
  | "context_full"
  | "refusal"
  | "pause"
  | "error"
  | "other";

/**
 * A part of a reply, in the order in which it arrives. `text` and `reasoning` are increments; a `call`
 * is whole; `usage` may come more than once, each replacing the one before. `stop` is the last part
 * and always comes, else the stream throws. Calls may be run only after `stop`: a reply that breaks
 * off has shown calls that the model never finished.
 */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "reasoning";
    readonly text: string;
    /** Given with the last increment of a block, when the provider has any. */
    readonly metadata?: Readonly<Record<string, unknown>>;
    /** Tells increments of one block from those of the next. */
    readonly block: string;
  }
  | {
    readonly type: "call";
    readonly id: string;
    readonly name: string;
    readonly input: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  }
  | {
    readonly type: "usage";
    /** Of the whole request, its failed attempts included and marked. */
    readonly usage: Usage;
    /** Who answered, by the provider's name for it: what was asked for may be an alias. */
    readonly model?: string;
  }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "stop"; readonly reason: StopReason; readonly raw?: string };

/** One model of one provider. */
export interface Model {
  /** As a person writes it: `provider:model`. */
  readonly id: string;
  /** One line for people when the model is not what they may expect (the offline one); else undefined. */
  readonly notice?: string;
  /** What is known of it; absent for a model that has no bounds. */
  readonly facts?: ModelFacts;
  /**
   * Sends one request and gives the reply's parts as they arrive.
   *
   * @throws {SkepError} `PROVIDER_FAILED`, `PROVIDER_AUTH_FAILED`, `PROVIDER_MODEL_NOT_FOUND`,
   * `CONTEXT_TOO_LONG`; `CANCELLED` when the signal was aborted.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** A model whose facts are known, if only as a guess. */
export type KnownModel = Model & { readonly facts: ModelFacts };
