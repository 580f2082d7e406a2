import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Message, ToolCall, ToolDefinition, ToolResult, Usage } from "../model/message.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import type { CallResult, Progress } from "../mcp/registry.ts";
import { Runner } from "./runner.ts";
import type { Steer, TurnLimits } from "./state.ts";
import { startTurn, step } from "./turn.ts";
import type { TurnStop, Update } from "./update.ts";

/** The tools that a turn may use: asked anew in every round, so that what changed shows. */
export interface TurnTools {
  /** What can be called now. */
  tools(): readonly ToolDefinition[];
  /** Why a tool that is not among them cannot be called, as a clause; undefined: it is none. */
  whyNot?(name: string): string | undefined;
  /** True when a tool that is not listed may be there all the same: `wake` tells. */
  mayHave?(name: string): boolean;
  /** Starts what may have such a tool and waits for its first call; false: nothing does. */
  wake?(name: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Decides about one call before it takes a place among those that run. A result: it is not run, and
   * this is what the model gets.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted.
   */
  admit?(
    call: ToolCall,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallResult | undefined>;
  /** Runs one call to its result. @throws {SkepError} `CANCELLED` when the signal was aborted. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<CallResult>;
  /** Looks at the result of a call that ran, before the model gets it. Undefined: nobody does. */
  review?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    result: CallResult,
    signal: AbortSignal,
  ): Review | undefined;
}

/** A look at the result of a call that ran. */
export interface Review {
  /** What counts when the turn ends before the look does: the call ran all the same. */
  readonly unreviewed: CallResult;
  /** What came of it. @throws {SkepError} `CANCELLED` when the signal was aborted. */
  readonly reviewed: Promise<CallResult>;
}

/**
 * Keeps what a turn does, each step before anything follows from it. A rejection says that something
 * could not be kept: the turn then fails, and starts nothing more.
 */
export interface TurnJournal {
  /** A message joins the history; `isHidden`: it is for the model alone. */
  message(message: Message, isHidden: boolean): Promise<void>;
  /** The reply that is under way has said more. */
  said(text: string): void;
  /** A call goes to its server. */
  call(call: ToolCall): Promise<void>;
  /** A call has its result, which joins the history later; `structured` is for clients alone. */
  result(result: ToolResult, structured: CallResult["structured"]): Promise<void>;
}

/** What one turn works with. */
export interface TurnOptions {
  /** Unique in the program; the ids of the turn's messages start with it. */
  readonly id: string;
  readonly model: Model;
  readonly system: string;
  /** The history, its last message the prompt. The turn appends to it. */
  readonly history: Message[];
  readonly tools: TurnTools;
  /** `maxStopRejections` counts only with `objections`. */
  readonly limits:
    & TurnLimits
    & Pick<
      Limits,
      "maxParallelCalls" | "maxOutputTokens" | "settleTurnMs" | "keepaliveMs" | "lastOutputMs"
    >;
  readonly onUpdate: (update: Update) => void;
  /** Counts one round's tokens and gives the session's sum. */
  readonly addUsage: (round: Usage) => Usage;
  /**
   * Makes a history shorter that the model's context does not hold, in its place; `attempt` counts
   * from 1, each wants less than the one before. Tells whether it could.
   */
  readonly recover?: (history: Message[], attempt: number, signal: AbortSignal) => Promise<boolean>;
  /**
   * Called before each request, with what goes along with the history: may make it shorter in its place.
   *
   * @throws {SkepError} `CONTEXT_TOO_LONG`; `CANCELLED` when the signal was aborted.
   */
  readonly gate?: (
    request: Pick<ModelRequest, "system" | "tools">,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Absent: nothing is kept. */
  readonly journal?: TurnJournal;
  /** Asks whether the turn may end. What is said against it, as messages for the model. */
  readonly objections?: (signal: AbortSignal) => Promise<readonly Message[]>;
  readonly world: Pick<Host, "sleep">;
}

/** A turn that runs. */
export interface RunningTurn {
  /** How it ended; rejects with what the model threw. The history is valid in either case. */
  readonly ended: Promise<TurnStop>;
  /** Adds something that is read before the next round. False: the turn is over, it was not added. */
  steer(content: Steer): boolean;
}

/**
 * Starts a turn: what {@linkcode step} asks for is performed until it has ended. Once `ended` has
 * settled there is no further update. Cancelled through `signal`.
 */
export function beginTurn(options: TurnOptions, signal: AbortSignal): RunningTurn {
  const runner = new Runner(options, signal);
  return { ended: run(runner, options, signal), steer: (content) => runner.steer(content) };
}

/** Runs a turn to its end. @throws what the model threw. */
export function runTurn(options: TurnOptions, signal: AbortSignal): Promise<TurnStop> {
  return beginTurn(options, signal).ended;
}

async function run(
  runner: Runner,
  { limits, objections }: TurnOptions,
  signal: AbortSignal,
): Promise<TurnStop> {
  const bounds = objections === undefined ? { ...limits, maxStopRejections: 0 } : limits;
  const cancel = () => runner.cancel();
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  runner.keepAlive();
  try {
    let [turn, effects] = startTurn();
    for (;;) {
      if (turn.state === "ended" || turn.state === "failed") runner.close();
      await runner.perform(effects);
      if (turn.state === "failed") throw turn.error;
      if (turn.state === "ended") return turn.stop;
      [turn, effects] = step(turn, await runner.events.next(), bounds);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await runner.settle();
  }
}
