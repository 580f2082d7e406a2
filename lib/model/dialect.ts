import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelFacts } from "./facts.ts";
import type { Usage } from "./message.ts";
import type { ModelSettings } from "./settings.ts";

/** Where the providers of one protocol differ from each other. */
export interface Dialect {
  /**
   * Where images of tool results go: into the result, or, where a result is text alone, into a user
   * message after all results.
   */
  readonly resultImages: "in_result" | "after_results";
  /**
   * Which of its own reasoning the provider gets back: what it signed, be it by another of its models
   * or by this one alone; or what it thought since the last user message, which is all that chat
   * servers want; or none.
   */
  readonly replayedReasoning: "signed" | "signed_by_model" | "this_turn" | "none";
  /** What it takes as the id of a call. A chat server's own ids go back as they came. */
  readonly callIds: CallIdRule;
  /** A tool's name as the provider takes it, other than that of every other tool. Absent: as it is. */
  readonly fitName?: (name: string) => string;
  /** True when a history with calls in it is refused unless the request declares tools. */
  readonly wantsToolsForCalls: boolean;
  /** Sent with every request. */
  readonly options: Pick<LanguageModelV4CallOptions, "providerOptions" | "toolChoice">;
  /** Adds to a request what its model and the settings ask for: effort, caching, forms of schemas. */
  shape?(options: LanguageModelV4CallOptions, shaping: Shaping): LanguageModelV4CallOptions;
  /** Reads, of one reply, what the package drops of the provider's own events. */
  readEvents?(): EventReader;
  /** The tokens that the provider told of, from its own report. */
  readUsage(raw: Readonly<Record<string, unknown>>): Usage;
}

/** The ids of calls that a provider takes. */
export interface CallIdRule {
  readonly fits: RegExp;
  /** An id that fits, other than that of every other number. */
  readonly make: (number: number) => string;
  /** An id that the provider itself gave goes back as it came, whatever it looks like. */
  readonly keepsOwn: boolean;
}

/** What {@linkcode Dialect.shape} goes by. */
export interface Shaping {
  /** As the provider knows it. */
  readonly model: string;
  readonly settings: ModelSettings;
  readonly facts: ModelFacts;
  /** Tells a person of something that is sent otherwise than they asked for. */
  readonly notice: (text: string) => void;
}

/** What a package drops of a reply's events, as far as they have come. */
export interface EventReader {
  /** Takes the next event, as it was parsed. */
  take(event: unknown): void;
  /** The provider's own word for the stop, when the package hides it. */
  readonly stop?: string | undefined;
  /** The model that answers, by the provider's name for it, when the package does not say. */
  readonly model?: string | undefined;
  /** What goes back with the reply's reasoning; undefined when there is nothing. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The provider's report of tokens so far, for a reply that breaks off. */
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
}

/** Ids of at most 64 letters, digits, `_` and `-`. */
export const PLAIN_CALL_IDS: CallIdRule = {
  fits: /^[A-Za-z0-9_-]{1,64}$/,
  make: (number) => `call_${number}`,
  keepsOwn: false,
};

/** A {@linkcode Usage} of counts that may be missing or no counts at all: such ones are unknown. */
export function usageOf(counts: { readonly [Count in keyof Usage]: unknown }): Usage {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => isCount(count)));
}

/** Tells whether a provider's field holds a number of tokens. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
