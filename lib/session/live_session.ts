import { Approvals } from "../approval/approvals.ts";
import type { Mode } from "../approval/rules.ts";
import { messageOf, SkepError } from "../errors.ts";
import type { ServerStatus } from "../mcp/registry.ts";
import type { Image, Message, Text, ToolDefinition, Usage } from "../model/message.ts";
import type { Effort } from "../model/effort.ts";
import type { ModelFacts } from "../model/facts.ts";
import type { Model } from "../model/model.ts";
import { beginTurn, type TurnOptions, type TurnTools } from "../turn/run.ts";
import type { TurnStop, Update } from "../turn/update.ts";
import { addUsage, asSummary } from "../model/add_usage.ts";
import { type CompactionCall, Compactor } from "./compactor.ts";
import { hooksOf } from "./hooks_of.ts";
import type { KeptSession } from "./keep_session.ts";
import { pinnedMessage } from "./kept_facts.ts";
import { newId } from "./new_id.ts";
import type { SessionParts } from "./open_session.ts";
import { ReplyGuard } from "./reply_guard.ts";
import { replayMessage } from "./replay_history.ts";
import { replayRecords } from "./replay_records.ts";
import type { SessionRecord } from "./session_record.ts";
import type { SessionChange } from "./store.ts";
import { keptApprovals, turnJournal } from "./turn_journal.ts";
import { type Run, Runs } from "./runs.ts";
import type { CompactOptions, PromptOptions, Replayed, Session } from "./session.ts";
import { type Asks, SessionHooks } from "./session_hooks.ts";
import { SessionServers } from "./session_servers.ts";
import { sessionTools } from "./session_tools.ts";
import { submitPrompt } from "./submit_prompt.ts";
import { titleOf } from "./title_of.ts";
import { TurnLine } from "./turn_line.ts";

type Content = readonly (Text | Image)[];

/** A session in memory: its history and usage, its turns one after another. */
export class LiveSession implements Session {
  readonly id: string;
  readonly cwd: string;
  readonly notices: readonly string[];
  readonly mcp: SessionServers;
  mode: Mode;
  effort: Effort | undefined;
  title: string | undefined;
  readonly #parts: SessionParts;
  readonly #history: Message[];
  readonly #kept: KeptSession | undefined;
  readonly #line = new TurnLine();
  readonly #tools: TurnTools;
  /** Undefined when nobody's hooks are called: then nothing waits for any. */
  readonly #hooks: SessionHooks | undefined;
  readonly #ending = new AbortController();
  #model: Model;
  #usage: Usage;
  #turns: number;
  readonly #pinned: string[];
  readonly #compactor: Compactor;
  /** The prompt of the turn that runs, as it is in the history. */
  #task: Message | undefined;
  readonly #runs = new Runs((content) => this.#note({ type: "steer", content }));

  constructor(parts: SessionParts) {
    const { kept, approvals = { rules: [] } } = parts;
    const isPlanning = approvals.rules.some(({ mode }) => mode === "plan");
    this.id = kept?.id ?? newId("ses");
    this.cwd = parts.cwd;
    this.notices = parts.notices;
    this.mcp = new SessionServers(
      parts.registry,
      parts.serverSource,
      (server, isOff) => this.#note({ type: "switched", server, isOff }),
    );
    this.mode = isPlanning ? "plan" : kept?.state.mode ?? "normal";
    this.#parts = parts;
    this.#kept = kept;
    this.#history = kept?.state.history ?? [];
    this.#usage = kept?.state.usage ?? {};
    this.#turns = kept?.state.turns ?? 0;
    this.#pinned = [...kept?.state.pinned ?? []];
    this.#model = parts.model;
    this.effort = kept?.state.effort;
    this.title = kept?.title || undefined;
    this.#hooks = hooksOf(parts, this.id);
    this.#hooks?.start(parts.cwd, this.#ending.signal);
    this.#tools = sessionTools(parts, {
      approvals: new Approvals(kept === undefined ? approvals : keptApprovals(approvals, kept)),
      hooks: this.#hooks,
      isPlanning: () => this.mode === "plan",
    });
    this.#compactor = this.#newCompactor();
  }

  get isRunning(): boolean {
    return this.#line.isBusy;
  }

  get turnId(): string | undefined {
    return this.#runs.first?.id;
  }

  get modelId(): string {
    return this.#model.id;
  }

  get modelFacts(): ModelFacts | undefined {
    return this.#model.facts;
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.#note({ type: "chosen", mode });
  }

  setModel(model: Model, effort?: Effort): void {
    this.#model = model;
    this.effort = effort;
    this.#note({ type: "chosen", model: model.id, effort: effort ?? null });
  }

  async prompt(
    content: Content,
    onUpdate: (update: Update) => void,
    { isQueued = false, slot, signal }: PromptOptions = {},
  ): Promise<TurnStop> {
    if (this.#ending.signal.aborted) {
      const message = `Session ${this.id} is closed`;
      throw new SkepError("SESSION_UNKNOWN", message, { sessionId: this.id });
    }
    this.#refuseWhenBusy(isQueued);
    return await this.#asRun((run) =>
      this.#line.run(async (cancel) => {
        using _slot = await slot?.(cancel);
        return await this.#run(run, content, onUpdate, cancel);
      }, signal)
    );
  }

  steer(content: Content, turnId?: string): string | undefined {
    const run = this.#runs.first;
    if (run === undefined || (turnId ?? run.id) !== run.id) return undefined;
    const { maxSteersPerTurn } = this.#parts.limits;
    if (run.steers >= maxSteersPerTurn) {
      throw this.#busy(`its turn has taken ${maxSteersPerTurn} messages already`);
    }
    return this.#runs.steer(run, content) ? run.id : undefined;
  }

  async compact(
    onUpdate: (update: Update) => void,
    { isQueued = false, signal: caller, focus }: CompactOptions = {},
  ): Promise<boolean> {
    this.#refuseWhenBusy(isQueued);
    let isShorter = false;
    const stop = await this.#asRun((run) =>
      this.#line.run(async (signal) => {
        onUpdate({ type: "turn_started", turnId: run.id });
        isShorter = await this.#compactor.now({ ...this.#compaction(onUpdate, signal), focus });
        return "end_turn";
      }, caller)
    );
    if (stop === "cancelled") throw new SkepError("CANCELLED", "It was cancelled", {});
    return isShorter;
  }

  async pin(text: string): Promise<void> {
    if (this.isRunning) throw this.#busy("a prompt is already in flight");
    const message = pinnedMessage(text);
    await this.#kept?.journal.tryAppend({ type: "pinned", text });
    await this.#kept?.journal.append({ type: "message", message, isHidden: true });
    this.#pinned.push(text);
    this.#history.push(message);
  }

  cancel(): void {
    this.#line.cancel();
  }

  tools(): ToolDefinition[] {
    return [...this.#tools.tools()];
  }

  servers(): ServerStatus[] {
    return this.#parts.registry.servers();
  }

  skills(): ReturnType<Session["skills"]> {
    return this.#parts.shelf?.skills ?? [];
  }

  async findSkills(): Promise<void> {
    await this.#parts.shelf?.refresh();
  }

  async *replay(): AsyncIterable<Replayed> {
    if (this.#kept !== undefined) {
      return yield* replayRecords(this.#kept.store, this.#kept.journal.id);
    }
    for (const [index, message] of [...this.#history].entries()) {
      yield* replayMessage(message, `${this.id}-${index + 1}`);
    }
  }

  async rest(): Promise<boolean> {
    const { journal } = this.#kept ?? {};
    if (journal === undefined || this.isRunning) return false;
    try {
      await journal.flush();
    } catch {
      return false; // it was told, and is tried again
    }
    if (journal.id !== this.id) return false; // it goes on under an id that its client does not know
    await this.close();
    return true;
  }

  async close(): Promise<void> {
    const { registry, packHooks, artifacts, limits, world } = this.#parts;
    this.cancel();
    this.#ending.abort();
    await this.#hooks?.end(limits.endHookMs, world);
    await Promise.all([this.#line.ended(), registry.close(), packHooks?.stop()]);
    if (this.#kept === undefined) return await artifacts?.remove();
    const { journal } = this.#kept;
    await journal.settle().catch(() => {}); // told when it came up
    await (journal.isKept ? artifacts?.flush() : artifacts?.remove());
  }

  /** Takes what is said meanwhile: it is for the run's turn, else for the next one. */
  async #asRun(job: (run: Run) => Promise<TurnStop>): Promise<TurnStop> {
    const run = this.#runs.take();
    try {
      return await job(run);
    } finally {
      for (const said of this.#runs.end(run)) this.#keepSaid(said);
    }
  }

  async #run(
    run: Run,
    content: Content,
    onUpdate: (update: Update) => void,
    signal: AbortSignal,
  ): Promise<TurnStop> {
    if (this.#parts.serverSource !== undefined) await this.mcp.look();
    const { id } = run;
    const heard = { packHooks: this.#parts.packHooks, hooks: this.#hooks };
    const submitted = await submitPrompt(content, heard, signal);
    await this.#keepPrompt(id, submitted ?? content, titleOf(content));
    this.#task = { role: "user", content: submitted ?? content };
    this.#history.push(this.#task);
    this.#compactor.beginTurn();
    if (submitted === undefined) return await this.#keepStop("cancelled", onUpdate);
    onUpdate({ type: "turn_started", turnId: id });
    const turn = beginTurn(this.#turnOptions(id, onUpdate), signal);
    this.#runs.begin(run, turn);
    try {
      return await this.#keepStop(await turn.ended, onUpdate);
    } catch (error) {
      await this.#keepStop("failed", onUpdate, messageOf(error));
      throw error;
    } finally {
      this.#task = undefined;
    }
  }

  #keepSaid(content: Content): void {
    const message: Message = { role: "user", content };
    this.#note({ type: "steer", content });
    this.#history.push(message);
    this.#note({ type: "message", message });
  }

  /** @throws {SkepError} `STORE_FAILED`: then nothing was taken. */
  async #keepPrompt(turn: string, content: Content, firstTitle: string): Promise<void> {
    const turns = ++this.#turns;
    const title = this.title ?? firstTitle; // the journal cuts it
    const change = { ...(title === "" ? {} : { title }), turns, model: this.#model.id };
    try {
      await this.#kept?.journal.tryAppend({ type: "prompt", turn, content }, change);
      if (title !== "") this.title = title;
    } catch (error) {
      this.#turns--;
      throw error;
    }
  }

  async #keepStop<Stop extends TurnStop | "failed">(
    stop: Stop,
    onUpdate: (update: Update) => void,
    why?: string,
  ): Promise<Stop> {
    const record = { type: "stop", stop, ...(why === undefined ? {} : { error: why }) } as const;
    await this.#kept?.journal.append(record).catch((error) => {
      onUpdate({ type: "notice", text: `Not all of this is kept yet: ${messageOf(error)}` });
    });
    return stop;
  }

  /** Keeps something that nothing waits for; what cannot be written now is with the next record. */
  #note(record: SessionRecord, change?: SessionChange): void {
    this.#kept?.journal.append(record, change).catch(() => {});
  }

  #newCompactor(): Compactor {
    const { limits, summaryModel, artifacts, folderHints } = this.#parts;
    return new Compactor({
      ...{ history: this.#history, limits, model: () => this.#model, pinned: () => this.#pinned },
      ...(summaryModel === undefined ? {} : { summaryModel }),
      ...(artifacts === undefined ? {} : { artifacts }),
      record: async (record) => await this.#kept?.journal.append(record),
      addUsage: (usage, model) => void this.#addUsage(asSummary(usage), model, "summary"),
      postCompact: async (facts, signal) => await this.#hooks?.postCompact(facts, signal),
      onDropped: () => folderHints?.forget?.(),
    });
  }

  #compaction(onUpdate: (update: Update) => void, signal: AbortSignal): CompactionCall {
    return {
      along: { system: this.#parts.system, tools: this.#tools.tools() },
      signal,
      onUpdate: (compaction) => onUpdate({ type: "compaction", compaction }),
      task: this.#task,
    };
  }

  #addUsage(usage: Usage, model: string, purpose: "turn" | "summary"): Usage {
    this.#usage = addUsage(this.#usage, usage);
    const record = { type: "usage", usage, model, purpose } as const;
    this.#note(record, { usage: this.#usage });
    return this.#usage;
  }

  #turnOptions(id: string, onUpdate: (update: Update) => void): TurnOptions {
    const { system, limits, registry, requiresReply, recover, world } = this.#parts;
    const compactor = this.#compactor;
    const guard = requiresReply
      ? new ReplyGuard(limits.maxReplyReminders, (tool) => registry.publishes(tool))
      : undefined;
    return {
      id,
      model: this.#model,
      system,
      history: this.#history,
      tools: guard?.watch(this.#tools) ?? this.#tools,
      limits,
      onUpdate,
      addUsage: (round) => {
        compactor.gauge.told(round, { system, tools: this.#tools.tools() });
        return this.#addUsage(round, this.#model.id, "turn");
      },
      gate: (_, signal) => compactor.gate(this.#compaction(onUpdate, signal)),
      recover: recover ??
        ((_, attempt, signal) => compactor.recover(this.#compaction(onUpdate, signal), attempt)),
      ...(this.#kept === undefined ? {} : { journal: turnJournal(this.#kept.journal) }),
      ...(this.#hooks === undefined && guard === undefined
        ? {}
        : { objections: this.#objections(id, guard) }),
      world,
    };
  }

  #objections(
    turnId: string,
    guard: ReplyGuard | undefined,
  ): NonNullable<TurnOptions["objections"]> {
    const hooks = this.#hooks ?? new SessionHooks(NOBODY, this.id);
    let asked = 0;
    return (signal) => {
      const idPrefix = `hook_${turnId}_${++asked}`;
      return hooks.objections(idPrefix, this.#tools.tools().length > 0, guard, signal);
    };
  }

  /** @throws {SkepError} `SESSION_BUSY`. */
  #refuseWhenBusy(isQueued: boolean): void {
    const { maxQueuedPrompts } = this.#parts.limits;
    const { length } = this.#line;
    if (!isQueued && length > 0) throw this.#busy("a prompt is already in flight");
    if (length > maxQueuedPrompts) throw this.#busy(`${maxQueuedPrompts} prompts wait already`);
  }

  #busy(what: string): SkepError {
    const message = `Cannot prompt session ${this.id}: ${what}`;
    return new SkepError("SESSION_BUSY", message, { sessionId: this.id });
  }
}

/** Hooks that ask nobody, for a reply guard that stands alone. */
const NOBODY: Asks = { run: () => Promise.resolve([]), has: () => false, closed: () => [] };
