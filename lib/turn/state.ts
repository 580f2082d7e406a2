import type { StopReason } from "../model/model.ts";
import type { Image, Message, Text, ToolCall, ToolResult } from "../model/message.ts";
import type { TurnStop } from "./update.ts";

/** What the model answered in one round. */
export interface Reply {
  readonly content: Extract<Message, { role: "assistant" }>["content"];
  readonly stop: StopReason;
  /** The provider's own word for `stop`. */
  readonly raw?: string;
}

/** What a person says while a turn runs: it joins the history before the next round. */
export type Steer = readonly (Text | Image)[];

/** What a turn that goes on has behind it. */
export interface Progress {
  /** Of the request that is under way, or was last; the first is 1. */
  readonly round: number;
  /** Replies that were cut off at the output limit. */
  readonly cutOffs: number;
  /** Times that the history was made shorter. */
  readonly recoveries: number;
  /** Times that the turn was kept from ending. */
  readonly rejections: number;
  /** What was said and is not in the history yet. */
  readonly steers: readonly Steer[];
}

/** Where a turn stands: each state holds only what is true in it. */
export type Turn =
  /** The model was asked and has not answered. */
  | Progress & { readonly state: "asking" }
  /**
   * The calls of the reply are running. By call id: `results` of those that are done, `ran` of those that
   * ran and that somebody still looks at.
   */
  | Progress & {
    readonly state: "acting";
    readonly calls: readonly ToolCall[];
    readonly ran: ReadonlyMap<string, ToolResult>;
    readonly results: ReadonlyMap<string, ToolResult>;
  }
  /** The history is longer than the model's context, says `error`; it is made shorter. */
  | Progress & { readonly state: "recovering"; readonly error: unknown }
  /** The model is done; those who may object are asked. */
  | Progress & { readonly state: "checking" }
  | { readonly state: "ended"; readonly stop: TurnStop }
  | { readonly state: "failed"; readonly error: unknown };

/** A turn in one of its states. */
export type TurnIn<State extends Turn["state"]> = Extract<Turn, { state: State }>;

/** A turn that is not over. */
export type OpenTurn = Extract<Turn, Progress>;

/** What can happen to a turn. */
export type TurnEvent =
  | { readonly type: "replied"; readonly reply: Reply }
  /** A call ran; the result counts if the turn ends before the call has. */
  | { readonly type: "call_ran"; readonly result: ToolResult }
  | { readonly type: "call_ended"; readonly result: ToolResult }
  | { readonly type: "steered"; readonly steer: Steer }
  /** Whether the history could be made shorter. */
  | { readonly type: "recovered"; readonly isShorter: boolean }
  /** The objections to the end as messages for the history; none: it may end. */
  | { readonly type: "checked"; readonly objections: readonly Message[] }
  /** `said` is what the model had answered by then, `told` what was told last of each call that runs. */
  | {
    readonly type: "cancelled";
    readonly said: string;
    readonly told?: ReadonlyMap<string, string>;
  }
  /** The model threw, or the turn's own code did; `said` is what the model had answered by then. */
  | { readonly type: "failed"; readonly error: unknown; readonly said?: string };

/** What is to be done about it, in this order. */
export type Effect =
  /** Send the history to the model. */
  | { readonly type: "ask" }
  /** Run these calls, starting them in this order. */
  | { readonly type: "act"; readonly calls: readonly ToolCall[] }
  /** Add to the history. */
  | { readonly type: "append"; readonly message: Message }
  /** Add to the history what is for the model alone. */
  | { readonly type: "inject"; readonly message: Message }
  /** Make the history shorter, which the model's context does not hold; `attempt` counts from 1. */
  | { readonly type: "recover"; readonly attempt: number }
  /** Ask those who may object to the turn's end. */
  | { readonly type: "check" };

/** The bounds that a turn keeps. */
export interface TurnLimits {
  /** Rounds in one turn; 0 is no bound. */
  readonly maxRounds: number;
  readonly maxCallsPerRound: number;
  readonly maxTokenRecoveries: number;
  readonly maxContextRecoveries: number;
  /** 0: nobody is asked. */
  readonly maxStopRejections: number;
}
