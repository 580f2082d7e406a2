import type { Approver } from "../approval/approvals.ts";
import type { Mode } from "../approval/rules.ts";
import type { Effort } from "../model/effort.ts";
import type { Image, Text, ToolDefinition } from "../model/message.ts";
import type { ModelFacts } from "../model/facts.ts";
import type { Editor } from "../mcp/editor_files.ts";
import type { Elicitor } from "../mcp/elicitation.ts";
import type { Model } from "../model/model.ts";
import type { Skill } from "../persona/skill.ts";
import type { ServerStatus } from "../mcp/registry.ts";
import type { ServerSpec, UnusableEntry } from "../sandbox/spec.ts";
import type { SessionServers } from "./session_servers.ts";
import type { TurnStop, Update } from "../turn/update.ts";

/** What a session is opened with. */
export interface SessionRequest {
  /** Absolute path of the workspace, canonical. */
  readonly cwd: string;
  /** The path by which the client knows it, where that goes through a link. */
  readonly namedCwd?: string;
  /** Folders that it works in besides, absolute and canonical: servers get them as they get the workspace. */
  readonly addedFolders?: readonly string[];
  /** Servers beside the persona's: the client's own. One of a persona's name is renamed, never the persona's. */
  readonly servers: readonly ServerSpec[];
  /** The client's entries that cannot be used: the model is told of them. */
  readonly unusable?: readonly UnusableEntry[];
  /** Replaces the persona's prompt, when the client gives one. */
  readonly systemPrompt?: string;
  /** Asks a person about calls; absent: nobody is there. */
  readonly approver?: Approver;
  /** What lists call a new session; absent: the first line of its first prompt. */
  readonly title?: string;
  /** It is kept before anything is said in it: its client has its id, and may open it again by that. */
  readonly isKeptAtOnce?: boolean;
  /** Goes on with a kept session, or with a copy of it under an id of its own. */
  readonly resume?: { readonly id: string; readonly isFork?: boolean };
  /** Told of what a person must know that comes up after the session was opened; absent: stderr is. */
  readonly onNotice?: (text: string) => void;
  /** Asks a person for a server; absent: nobody is there. */
  readonly elicitor?: Elicitor;
  /** The person's editor, for unsaved text of files in the workspace; absent: there is none. */
  readonly editor?: Editor;
  /** Gives up opening: what was started is stopped, and `CANCELLED` is thrown. */
  readonly signal?: AbortSignal;
}

/** How a prompt is taken. */
export interface PromptOptions {
  /** Wait for the turns before it instead of being refused. */
  readonly isQueued?: boolean;
  /** Waits until the turn may begin, when those before it have ended; what it gives is disposed of at the turn's end. */
  readonly slot?: (cancelled: AbortSignal) => Promise<Disposable>;
  /** Cancels this prompt alone. */
  readonly signal?: AbortSignal;
}

/** How a compaction is asked for. */
export interface CompactOptions extends Omit<PromptOptions, "slot"> {
  /** What its summary is to keep above all. */
  readonly focus?: string | undefined;
}

/** What a client that comes to a session is shown of it: what was said to it, and what it did, in order. */
export type Replayed =
  | { readonly type: "prompt"; readonly content: readonly (Text | Image)[] }
  /** A turn ended otherwise than well. `error`: why it failed, where that is known. */
  | {
    readonly type: "stopped";
    readonly stop: Exclude<TurnStop, "end_turn"> | "failed" | "interrupted";
    readonly error?: string;
  }
  | Extract<Update, { readonly type: "text" | "thought" | "call" | "call_ended" | "usage" }>;

/** One conversation: its history, its servers, its model. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  /** What a person must be told once: servers that failed, servers without confinement. */
  readonly notices: readonly string[];
  readonly isRunning: boolean;
  /** The id of the turn that runs, or of what else is under way; undefined when nothing is. */
  readonly turnId: string | undefined;
  readonly modelId: string;
  /** What is known of that model; undefined for one that has no bounds. */
  readonly modelFacts: ModelFacts | undefined;
  /** How long its model thinks, where a person chose it. */
  readonly effort: Effort | undefined;
  /** What lists call it, once that is known. */
  readonly title: string | undefined;
  /** `plan`: it only looks. */
  readonly mode: Mode;
  /** For calls that come from now on. */
  setMode(mode: Mode): void;
  /** From now on, for turns that start after it. `effort` is what the model was opened with, where one was chosen. */
  setModel(model: Model, effort?: Effort): void;
  /**
   * Runs one turn, to its end. Turns of one session are serial: one that comes right after a cancel
   * waits for the cancelled turn's end, one that is queued for the ends of those before it.
   *
   * @throws {SkepError} `SESSION_BUSY` while a turn runs that was not cancelled, for a prompt that is
   * not queued, and when too many wait; and what a model throws.
   */
  prompt(
    content: readonly (Text | Image)[],
    onUpdate: (update: Update) => void,
    options?: PromptOptions,
  ): Promise<TurnStop>;
  /**
   * Says something to the running turn: it joins the history before the next round, and a turn that
   * would end goes on with it. Said while the history is made shorter, it joins that. Once taken it is
   * never lost.
   *
   * @param turnId The turn that it is meant for; the one that runs unless given.
   * @returns the turn's id; undefined when no such turn runs, then nothing was taken.
   * @throws {SkepError} `SESSION_BUSY` when too many wait for the next round.
   */
  steer(content: readonly (Text | Image)[], turnId?: string): string | undefined;
  /** Ends as `cancelled` the turn that runs, within two seconds, and those that wait; nothing when none does. */
  cancel(): void;
  tools(): ToolDefinition[];
  servers(): ServerStatus[];
  /** The skills that the model can load, as they were found last. */
  skills(): readonly Pick<Skill, "name" | "description">[];
  /** Looks for the skills again. */
  findSkills(): Promise<void>;
  /**
   * Makes the history that goes to the model shorter, now: its older part becomes a summary. Waits for
   * the turns before it; prompts that come meanwhile wait for it.
   *
   * @returns false when there is nothing to summarise, or, which is told as an update, when a summary would
   * be no shorter.
   * @throws {SkepError} `CANCELLED`; `SESSION_BUSY` when too many wait; and what kept the summary from
   * being written. The history is then as it was.
   */
  compact(
    onUpdate: (update: Update) => void,
    options?: CompactOptions,
  ): Promise<boolean>;
  /**
   * Names something that the model must always have before it, whatever is compacted.
   *
   * @throws {SkepError} `SESSION_BUSY` while a turn runs; `STORE_FAILED`.
   */
  pin(text: string): Promise<void>;
  /** Its servers, to be changed while it runs: the next round has what there is then. */
  readonly mcp: SessionServers;
  /** All that was said and done so far, whatever of it the model still has before it. */
  replay(): AsyncIterable<Replayed>;
  /**
   * Closes it when it can be opened again by its id and is then as it is now. Not to be called while
   * something is asked of it.
   *
   * @returns false when it runs, or is not kept whole: then it stays open.
   */
  rest(): Promise<boolean>;
  /** Cancels what runs and stops the servers. */
  close(): Promise<void>;
}
