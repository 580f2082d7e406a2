import type { Mode, Rule } from "../approval/rules.ts";
import type { Effort } from "../model/effort.ts";
import { addUsage } from "../model/add_usage.ts";
import type { Image, Message, Text, ToolCall, ToolResult, Usage } from "../model/message.ts";
import { parseInput } from "../turn/call_tool.ts";
import type { SessionRecord } from "./session_record.ts";

type Content = readonly (Text | Image)[];

/** Told to the model of a call that was with its server: its program ended, or goes on without this session. */
export const MAY_HAVE_HAPPENED =
  "Interrupted: this call ran when the session was left. It may or " +
  "may not have happened, and was not run again. Look before you repeat it.";
/** Told to the model of a call that had not begun by then. */
export const NOT_BEGUN = "Not run: the session was left before this call began.";

/** A list of what is to do, as the tool `todo` of a server takes one. */
export interface Plan {
  /** As the model calls it. */
  readonly tool: string;
  readonly todos: readonly unknown[];
}

/** Where a session stands, by its records: folded one by one with {@linkcode SessionState.take}. */
export class SessionState {
  /** What goes to the model. */
  readonly history: Message[] = [];
  usage: Usage = {};
  turns = 0;
  /** The first prompt's text. */
  firstPrompt: Content | undefined;
  system: string | undefined;
  /** Where and with whom it began. */
  cwd: string | undefined;
  persona: string | undefined;
  model: string | undefined;
  /** How hard the model thinks, where a person chose it. */
  effort: Effort | undefined;
  mode: Mode | undefined;
  /** What a person allowed until the session's end. */
  readonly allowed: Rule[] = [];
  readonly pinned: string[] = [];
  /** Names of the servers that a person switched off. */
  readonly off = new Set<string>();
  /** The list that a `todo` tool took last; its server may have forgotten it. */
  plan: Plan | undefined;
  /** The turn that has no stop. */
  openTurn: string | undefined;
  #calls: readonly ToolCall[] = [];
  readonly #begun = new Set<string>();
  readonly #results = new Map<string, ToolResult>();
  readonly #steers: Content[] = [];

  /** What happened next. */
  take(record: SessionRecord): void {
    switch (record.type) {
      case "opened":
        this.system = record.system ?? this.system;
        this.cwd ??= record.cwd;
        this.persona ??= record.persona;
        return;
      case "prompt":
        this.openTurn = record.turn;
        this.turns++;
        this.firstPrompt ??= record.content;
        this.history.push({ role: "user", content: record.content });
        return;
      case "message":
        return this.#takeMessage(record.message, record.isHidden === true);
      case "steer":
        this.#steers.push(record.content);
        return;
      case "call":
        this.#begun.add(record.callId);
        return;
      case "result":
        this.#results.set(record.result.callId, record.result);
        return;
      case "answers": {
        const results = record.results.map((given) => this.#recorded(given));
        return this.#takeMessage({ role: "tool", results }, false);
      }
      case "usage":
        this.usage = addUsage(this.usage, record.usage);
        return;
      case "approval":
        this.allowed.push(...record.rules);
        return;
      case "chosen":
        this.model = record.model ?? this.model;
        if (record.effort !== undefined) this.effort = record.effort ?? undefined;
        this.mode = record.mode ?? this.mode;
        return;
      case "switched":
        if (record.isOff) this.off.add(record.server);
        else this.off.delete(record.server);
        return;
      case "pinned":
        this.pinned.push(record.text);
        return;
      case "imported":
        this.allowed.length = 0;
        return;
      case "compacting":
        return;
      case "compacted":
        this.history.splice(0, this.history.length, ...record.history);
        return;
      case "stop":
        this.openTurn = undefined;
        return;
      default:
        return record satisfies never;
    }
  }

  /**
   * What has to be recorded so that the session can go on: the calls that have no answer get one, what
   * was said so far and what was said to the turn joins the history, and the turn is over. Nothing when
   * the last turn had its stop.
   *
   * @param drafted What the reply that was under way had said.
   */
  repairs(drafted: string): SessionRecord[] {
    const records: SessionRecord[] = [];
    if (this.#calls.length > 0) {
      const results = this.#calls.map((call) => this.#results.get(call.id) ?? this.#answer(call));
      records.push({ type: "message", message: { role: "tool", results } });
    } else if (drafted !== "" && this.openTurn !== undefined) {
      const content = [{ type: "text", text: drafted }] as const;
      const model = this.model === undefined ? {} : { model: this.model };
      records.push({ type: "message", message: { role: "assistant", content, ...model } });
    }
    for (const content of this.#steers) {
      records.push({ type: "message", message: { role: "user", content } });
    }
    if (this.openTurn !== undefined) records.push({ type: "stop", stop: "interrupted" });
    return records;
  }

  #takeMessage(message: Message, isHidden: boolean): void {
    this.history.push(message);
    if (message.role === "user" && !isHidden) this.#steers.shift(); // only a steer joins a turn this way
    if (message.role === "tool") this.#takePlan(message.results);
    if (message.role === "assistant") {
      this.#calls = message.content.filter((part) => part.type === "call");
    }
    if (message.role === "assistant" || message.role === "tool") {
      this.#results.clear();
      this.#begun.clear();
    }
    if (message.role === "tool") this.#calls = [];
  }

  #takePlan(results: readonly ToolResult[]): void {
    for (const { callId, isError } of results) {
      const call = this.#calls.find(({ id }) => id === callId);
      if (isError || call?.name.endsWith("__todo") !== true) continue;
      const todos = parseInput(call.input)?.todos;
      if (Array.isArray(todos)) this.plan = { tool: call.name, todos };
    }
  }

  #recorded(given: ToolResult | Pick<ToolResult, "callId" | "note">): ToolResult {
    if ("content" in given) return given;
    const result = this.#results.get(given.callId);
    if (result === undefined) throw new TypeError(`the call ${given.callId} has no result`);
    return { ...result, ...given };
  }

  #answer({ id, name }: ToolCall): ToolResult {
    const text = this.#begun.has(id) ? MAY_HAVE_HAPPENED : NOT_BEGUN;
    const content = [{ type: "text", text }] as const;
    return { callId: id, name, isError: true, content, isUndelivered: true };
  }
}
