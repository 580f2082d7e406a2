import type { CallResult, Progress } from "../mcp/registry.ts";
import type { Usage } from "../model/message.ts";

/** What happens in a session while a turn runs, as it happens. */
export type Update =
  /** The turn has begun; whoever wants to say something to it names this id. */
  | { readonly type: "turn_started"; readonly turnId: string }
  /** An increment of the answer; `message` tells one reply's text from the next one's. */
  | { readonly type: "text"; readonly message: string; readonly text: string }
  /** An increment of what the model thinks. */
  | { readonly type: "thought"; readonly message: string; readonly text: string }
  /** The model asked for a call. `input` is undefined when its arguments are not an object. */
  | {
    readonly type: "call";
    readonly callId: string;
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>> | undefined;
  }
  /** The call was handed to its server. */
  | { readonly type: "call_started"; readonly callId: string }
  /** The call is so far, as its server says. */
  | { readonly type: "call_progress"; readonly callId: string; readonly progress: Progress }
  /** The call has its result. */
  | { readonly type: "call_ended"; readonly callId: string; readonly result: CallResult }
  /** Tokens of one round, and of the session so far. */
  | {
    readonly type: "usage";
    /** All that the round took, its failed attempts included and marked. */
    readonly round: Usage;
    readonly session: Usage;
    readonly model: string;
  }
  /** The history that goes to the model is made shorter; all of it stays in the session. */
  | { readonly type: "compaction"; readonly compaction: Compaction }
  /** The turn goes on, though there is nothing to tell. */
  | { readonly type: "keepalive" }
  /** Something a person should know: a server that failed, a setting that was not used. */
  | { readonly type: "notice"; readonly text: string };

/** Why a turn ended, in ACP's words. */
export type TurnStop = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** How far a compaction is. */
export type Compaction =
  | { readonly state: "started" }
  | {
    readonly state: "done";
    /** `results`: large results became references. `trimmed`: the oldest part is gone from it. */
    readonly how: "summary" | "results" | "trimmed";
    /** Messages that the summary stands for, or that are gone. */
    readonly droppedMessages: number;
    /** Tokens of the next request, as far as they can be told, before and after. */
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "cancelled" };

/** What a person is told who asks for a compaction of nothing. */
export const NOTHING_TO_SUMMARISE = "There is nothing to summarise yet";

/** A compaction as a person reads it; undefined when it is nothing to be told. */
export function compactionText(compaction: Compaction): string | undefined {
  switch (compaction.state) {
    case "started":
    case "cancelled":
      return undefined;
    case "done": {
      const { how, droppedMessages, tokensBefore, tokensAfter } = compaction;
      const what = {
        summary: `${droppedMessages} older messages became a summary`,
        results: "large results of calls became references",
        trimmed: `${droppedMessages} older messages were taken out`,
      }[how];
      return `The context was compacted: ${what} (about ${tokensBefore} tokens before, ${tokensAfter} now)`;
    }
    case "failed":
      return `The context could not be summarised: ${compaction.reason}`;
    default:
      return compaction satisfies never;
  }
}
