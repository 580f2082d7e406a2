import type { ErrorCode } from "../errors.ts";
import type { Image, Text, ToolDefinition } from "../model/message.ts";
import type { OtherNames } from "./configured_names.ts";
import type { Health } from "./health.ts";
import type { Denial } from "../sandbox/denial.ts";
import type { Grant } from "../sandbox/grant.ts";
import type { ServerSpec } from "../sandbox/spec.ts";

/** What a call came to. */
export interface CallResult {
  readonly isError: boolean;
  readonly content: readonly (Text | Image)[];
  readonly denial?: Denial;
  /** The same for programs, when its server gave any: the model has what it needs in `content`. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** The call never reached its server, or its answer never came: no answer of the server's own. */
  readonly isUndelivered?: boolean;
  /** Its arguments are not what the tool takes, so its server was not asked. */
  readonly isMisfit?: boolean;
}

/**
 * Keeps what a result is too long for, whole, and gives the id to read it by. The text has no secrets
 * of the server's in it.
 */
export type Keep = (content: Text | Image) => string;

/** One server of a session, for people. */
export interface ServerStatus {
  readonly name: string;
  readonly state: Health["state"];
  /** Why it does not run or has no tools, where there is more to say than its state does. */
  readonly reason?: string;
  /** The code of the error that it was refused with. */
  readonly code?: ErrorCode;
  readonly tools: readonly string[];
}

/** A tool that is for the runtime alone. */
export interface ListedHook {
  readonly server: string;
  /** The server's own name for it, such as `_Stop`. */
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a server says on how to use it. */
export interface ServerNote {
  readonly server: string;
  readonly text: string;
}

/** One tool of a session, for people. */
export interface ToolFacts {
  readonly server: string;
  /** The server's own name for it. */
  readonly own: string;
  /** What the model calls it; empty for a hook. */
  readonly name: string;
  /**
   * `hidden`: not shown for want of room, `find_tool` finds it. `left out`: past the number of tools
   * that a session may have. `switched off`: by the server's entry.
   */
  readonly state: "listed" | "hidden" | "left out" | "switched off" | "hook";
  /** What it takes of each request. */
  readonly bytes: number;
  /** What was done to its description and schema, and what of its arguments is not checked. */
  readonly notes: readonly string[];
}

/** What a search among the tools that are not shown came to. */
export interface FoundTools {
  /** They are shown from the next round on. */
  readonly tools: readonly ToolDefinition[];
  /** How many more fit, which are not shown. */
  readonly more: number;
  /** How many are hidden in all. */
  readonly hidden: number;
}

/** Changes of the servers while a session runs. One at a time; each resolves when it is done. */
export interface RegistryChanges {
  /**
   * Starts one more server, under a name that none has.
   *
   * @throws {SkepError} `TOO_MANY` when the session has as many as it may; `CANCELLED` when the signal was
   * aborted: then it is not in the list.
   */
  add(spec: ServerSpec, signal?: AbortSignal): Promise<ServerStatus>;
  /** Stops a server and forgets it. @throws {SkepError} `SERVER_UNKNOWN`. */
  remove(name: string): Promise<void>;
  /** Stops a server; it stays in the list. @throws {SkepError} `SERVER_UNKNOWN`. */
  disable(name: string): Promise<ServerStatus>;
  /**
   * Starts a server anew, whatever it is: with its spec, or another one, whose name does not count.
   *
   * @throws {SkepError} `SERVER_UNKNOWN`; `CANCELLED` when the signal was aborted: then it is disabled.
   */
  reload(name: string, spec?: ServerSpec, signal?: AbortSignal): Promise<ServerStatus>;
}

/** How far a call is, as its server says. */
export interface Progress {
  /** It grows from one to the next. */
  readonly progress: number;
  /** What it grows to; absent: nobody knows. */
  readonly total?: number;
  readonly message?: string;
}

/** The servers of one session and their tools. */
export interface Registry extends RegistryChanges {
  /** The tools that are shown now, in the order of the servers. */
  tools(): ToolDefinition[];
  /**
   * Calls a tool by its qualified name. Failures of the tool, its server or its grant are results,
   * so that the model can read them.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted; the server is told.
   */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<CallResult>;
  /**
   * Starts the server that a tool's name begins with when it waits for its first call, so that its own
   * list decides whether there is such a tool. False: none waits.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted.
   */
  wake(tool: string, signal: AbortSignal): Promise<boolean>;
  /** What the servers that are there say on how to use them, in their order. */
  instructions(): ServerNote[];
  /** What was not there as it was asked for when the session started, in sentences for the model. */
  absences(): readonly string[];
  /** True when a server that waits for its first call may have a tool of that name: {@linkcode wake} tells. */
  mayHave(tool: string): boolean;
  /** Why a tool that somebody may know of cannot be called now, as a clause; undefined: nobody has it. */
  whyNot(tool: string): string | undefined;
  /** True when there are tools that are not shown, for want of room. */
  readonly hasHidden: boolean;
  /** Looks for tools that are not shown, and shows those that it finds. */
  find(query: string): FoundTools;
  /** Every tool of every server, in the order of the servers, and what became of it. */
  inventory(): Promise<ToolFacts[]>;
  /** What servers offer to the runtime alone, in the order of the servers. */
  hooks(): ListedHook[];
  /**
   * Calls a hook, as `call()` does a tool.
   *
   * @throws {SkepError} `CANCELLED` when the signal was aborted; the server is told.
   */
  callHook(
    hook: Pick<ListedHook, "server" | "name">,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallResult>;
  /** Ends a server that gives no answers, for that reason; its next call starts it again. */
  giveUp(server: string, reason: string): Promise<void>;
  /** True when no call of the tool can change anything, by its server's grant and word. */
  looksOnly(tool: string): boolean;
  /** What a tool may be called in rules, beside its listed name. */
  namesOf(tool: string): OtherNames;
  /** True when a call of the tool that succeeds publishes something, by its server's word. */
  publishes(tool: string): boolean;
  /** Every server, in the order in which they were asked for. */
  servers(): ServerStatus[];
  /** What the servers were started from, under the names that they are known by. */
  specs(): readonly ServerSpec[];
  /** What a server was granted; undefined when it is not prepared. */
  grantOf(server: string): Grant | undefined;
  /** Stops every server and what it started. */
  close(): Promise<void>;
}
