import { isSkepError, messageOf, SkepError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Message, Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import { ask } from "../turn/ask.ts";
import type { Compaction } from "../turn/update.ts";
import type { ArtifactStore } from "./artifacts.ts";
import { type ContextBudget, contextBudget } from "./context_budget.ts";
import { type Along, ContextGauge } from "./context_gauge.ts";
import { messageTokens, resultTokens } from "./estimate_tokens.ts";
import { isSummary, keptFacts, summaryMessage, summaryOf } from "./kept_facts.ts";
import { referenceResults } from "./reference_results.ts";
import type { Compacted } from "./session_hooks.ts";
import type { SessionRecord } from "./session_record.ts";
import { shrinkHistory } from "./shrink_history.ts";
import { splitHistory } from "./split_history.ts";
import { summaryRequest } from "./summary_request.ts";

/** What compactions of a session work with. */
export interface CompactorOptions {
  /** Changed in its place. */
  readonly history: Message[];
  readonly model: () => Model;
  /** Writes the summaries; the session's own model unless given. */
  readonly summaryModel?: Model;
  readonly artifacts?: Pick<ArtifactStore, "put" | "flush">;
  readonly pinned: () => readonly string[];
  /** Keeps what happens. @throws {SkepError} `STORE_FAILED`. */
  readonly record: (record: SessionRecord) => Promise<void>;
  readonly addUsage: (usage: Usage, model: string) => void;
  /** What hooks say after it. */
  readonly postCompact: (facts: Compacted, signal: AbortSignal) => Promise<string | undefined>;
  /** Called when what was in the history is not there any more. */
  readonly onDropped: () => void;
  readonly limits: Limits;
}

/** One place where a history is made shorter. */
interface Step {
  readonly along: Along;
  readonly budget: ContextBudget;
  readonly signal: AbortSignal;
  readonly onUpdate: (compaction: Compaction) => void;
  /** The prompt of the turn that runs: it stays, word for word. */
  readonly task: Message | undefined;
  /** What a person asks the summary to keep above all. */
  readonly focus?: string | undefined;
}

/** What a caller gives of one. */
export type CompactionCall = Omit<Step, "budget">;

/** How a summary is tried for: parts of the context that its request may take. */
const TRIES = [0.8, 0.8, 0.4, 0.2];

/** Keeps a session's history within its model's context. */
export class Compactor {
  readonly gauge: ContextGauge;
  readonly #options: CompactorOptions;
  /** Of the turn that runs. */
  #compactions = 0;
  /** A summary failed: it is tried again when the request has grown to this. */
  #retryFrom = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.gauge = new ContextGauge(options.history);
  }

  /** A turn begins. */
  beginTurn(): void {
    this.#compactions = 0;
  }

  /**
   * Called before each request: one that would be too large for the model is made smaller first. A
   * failure leaves the history as it is, as long as that fits.
   *
   * @throws {SkepError} `CONTEXT_TOO_LONG` when what must stay is too large; `CANCELLED`; `STORE_FAILED`.
   */
  async gate(call: CompactionCall): Promise<void> {
    const { limits, model } = this.#options;
    const { facts } = model();
    if (facts === undefined || limits.maxCompactions === 0) return;
    const budget = contextBudget(facts, limits);
    for (const share of [1, 0.25]) {
      let tokens = this.gauge.measure(call.along);
      if (tokens < budget.threshold) return;
      if (await this.#referNewest(call, budget.threshold)) {
        tokens = this.gauge.measure(call.along);
        if (tokens < budget.threshold) return;
      }
      if (share === 1 && tokens < this.#retryFrom) break;
      if (this.#compactions >= limits.maxCompactions) break;
      this.#compactions++;
      const narrowed = { ...budget, recent: Math.floor(budget.recent * share) };
      const isShorter = await this.#compact({ ...call, budget: narrowed }, tokens);
      if (!isShorter) break;
    }
    const left = this.gauge.measure(call.along);
    // Estimates are high: only what is over by the mildest one is refused without asking.
    if (left * 3 / 4 <= budget.window) return;
    const { id } = model();
    const message =
      `Cannot ask ${id}: the request has about ${left} tokens after its history was ` +
      `compacted, and the model's context holds ${budget.window}. ${this.#advice(left)}`;
    throw new SkepError("CONTEXT_TOO_LONG", message, { provider: id });
  }

  /**
   * Makes the history shorter now, whatever its size.
   *
   * @returns false when there is nothing to summarise, or, which is told, when a summary would be no shorter.
   * @throws what kept the summary from being written: the history is then as it was.
   */
  async now(call: CompactionCall): Promise<boolean> {
    const { limits, model } = this.#options;
    return await this.#now(call, model().facts?.contextTokens ?? limits.maxContextTokens);
  }

  async #now(call: CompactionCall, contextTokens: number): Promise<boolean> {
    const { limits, history } = this.#options;
    const tokens = this.gauge.measure(call.along);
    const budget = contextBudget({ contextTokens }, limits);
    const recent = Math.min(budget.recent, Math.floor(tokens / 4));
    const cut = splitHistory(history, recent);
    if (!hasOlder(history.slice(0, cut), call.task)) return false;
    call.onUpdate({ state: "started" });
    const step = { ...call, budget: { ...budget, recent } };
    try {
      return await this.#summarise(step, cut, tokens);
    } catch (error) {
      call.onUpdate(endOf(error, call.signal));
      throw error;
    }
  }

  /**
   * The provider refused the history as too long, whatever was counted: a summary first, then what
   * `shrinkHistory()` takes out, which is marked.
   */
  async recover(call: CompactionCall, attempt: number): Promise<boolean> {
    const { history } = this.#options;
    const tokens = this.gauge.measure(call.along);
    // Whatever the model's context is said to hold, it held less than this.
    const room = Math.floor(tokens / 2);
    if (await this.#referNewest(call, room)) return true;
    if (attempt === 1) {
      try {
        if (await this.#now(call, room)) return true;
      } catch (error) {
        if (call.signal.aborted) throw error;
      }
    }
    const before = [...history];
    if (!shrinkHistory(history, attempt, (message) => message === call.task)) return false;
    const dropped = before.length - history.length;
    if (dropped > 0) {
      history.splice(history.findIndex((message) => !isSummary(message)), 0, marker(dropped));
    }
    if (tokensOf(history) >= tokensOf(before)) {
      history.splice(0, history.length, ...before);
      return false;
    }
    await this.#settle({ how: "trimmed", droppedMessages: dropped }, tokens, call);
    return true;
  }

  /** Takes as little as will do: references first, then a summary, then what has to go. */
  async #compact(step: Step, tokens: number): Promise<boolean> {
    const { history } = this.#options;
    const { budget, onUpdate, signal } = step;
    const cut = splitHistory(history, budget.recent);
    const old = history.slice(0, cut);
    if (!hasOlder(old, step.task)) return false;
    const gain = tokensOf(old.filter((message) => message !== step.task));
    if (gain < budget.window / 50) return false; // a summary would hardly be shorter
    onUpdate({ state: "started" });
    const target = Math.floor(budget.threshold * 2 / 3);
    if (await this.#refer(cut, target, tokens, step)) return true;
    try {
      if (await this.#summarise(step, cut, tokens)) return true;
    } catch (error) {
      onUpdate(endOf(error, signal));
      if (signal.aborted || isSkepError(error, "STORE_FAILED")) throw error;
    }
    const left = this.gauge.measure(step.along);
    this.#retryFrom = left + Math.ceil(budget.window / 50);
    if (left < budget.window - Math.ceil(budget.window / 20)) return false; // it still fits
    return await this.#trim(step, cut, tokens);
  }

  /**
   * Puts references in the place of the results that the model has not read yet, where they leave no room
   * for what is older: nobody's summary of that would help. Each keeps its beginning and its end.
   */
  async #referNewest(call: CompactionCall, room: number): Promise<boolean> {
    const { artifacts, limits, history } = this.#options;
    const newest = newestResults(history);
    const tokens = this.gauge.measure(call.along);
    const free = room - new ContextGauge([]).measure(call.along);
    if (artifacts === undefined || tokensOf(newest) <= free / 2) return false;
    const large = newest.flatMap(({ results }) => results.flatMap(({ content }) => content))
      .filter((block) => block.type === "image" || block.text.length >= limits.minReferencedBytes);
    const keptBytes = Math.floor(Math.max(0, free) / 4 / Math.max(1, large.length)) * 3;
    const referred = referenceResults(newest, artifacts, limits, keptBytes);
    if (tokensOf(referred) >= tokensOf(newest)) return false;
    call.onUpdate({ state: "started" });
    await artifacts.flush();
    newest.forEach((message, index) => history[history.indexOf(message)] = referred[index]!);
    await this.#settle({ how: "results", droppedMessages: 0 }, tokens, call);
    return true;
  }

  /** What makes the request shorter that is too long: the largest thing in it is named. */
  #advice(tokens: number): string {
    const results = newestResults(this.#options.history).flatMap(({ results }) => results);
    const largest = results.toSorted((a, b) => resultTokens(b) - resultTokens(a))[0];
    if (largest !== undefined && resultTokens(largest) > tokens / 4) {
      return `The result of ${largest.name} alone has ${
        resultTokens(largest)
      }: ask for less of it at once, ` +
        "or use a model with a larger context";
    }
    return "Use a model with a larger context, fewer tools, or a shorter prompt";
  }

  /** Puts references in the place of large older results, if that is enough. */
  async #refer(cut: number, target: number, tokens: number, step: Step): Promise<boolean> {
    const { artifacts, limits, history } = this.#options;
    if (artifacts === undefined) return false;
    const old = history.slice(0, cut);
    const referred = referenceResults(old, artifacts, limits);
    if (referred.every((message, index) => message === old[index])) return false;
    await artifacts.flush(); // what is referred to is there before the reference is
    history.splice(0, cut, ...referred);
    this.gauge.reset();
    if (this.gauge.measure(step.along) > target) return false;
    await this.#settle({ how: "results", droppedMessages: 0 }, tokens, step);
    return true;
  }

  /** @returns false when a summary would be no shorter: that is told, and all is as it was. */
  async #summarise(step: Step, cut: number, tokens: number): Promise<boolean> {
    const { history, record, postCompact, onDropped } = this.#options;
    const old = history.slice(0, cut);
    await record({ type: "compacting" });
    const summary = await this.#ask(old, step);
    const said = await postCompact({ summary, droppedItems: old.length }, step.signal);
    if (!this.#replaceIfShorter(summary, old, step, said)) {
      const reason = `its older part has about ${tokensOf(old)} tokens, and a summary of that ` +
        "would be no shorter. It stays as it is";
      step.onUpdate({ state: "failed", reason });
      return false;
    }
    onDropped();
    await this.#settle({ how: "summary", droppedMessages: old.length }, tokens, step);
    return true;
  }

  /** @returns false when that would gain nothing: then all is as it was. */
  async #trim(step: Step, cut: number, tokens: number): Promise<boolean> {
    const { history, onDropped } = this.#options;
    const old = history.slice(0, cut);
    const text =
      `${old.length} older messages were taken out of the context, and no summary of them could ` +
      "be written. Ask the person, or look again, for what you miss.";
    const before = old.flatMap((message) => summaryOf(message) ?? []);
    if (!this.#replaceIfShorter([text, ...before].join("\n\n"), old, step)) return false;
    onDropped();
    await this.#settle({ how: "trimmed", droppedMessages: old.length }, tokens, step);
    return true;
  }

  /** Puts a summary in the place of the older messages. False: it would take as much, and nothing was changed. */
  #replaceIfShorter(
    summary: string,
    old: readonly Message[],
    { budget, task }: Step,
    hooks?: string,
  ): boolean {
    const { history, pinned } = this.#options;
    const facts = keptFacts(
      old.filter((message) => message !== task),
      Math.floor(budget.window / 16),
    );
    const kept = task !== undefined && old.includes(task) ? [task] : [];
    const replaced = [summaryMessage(summary, facts, pinned(), hooks), ...kept];
    if (tokensOf(replaced) >= tokensOf(old)) return false;
    history.splice(0, old.length, ...replaced);
    return true;
  }

  /** Keeps the new history, and tells of it. */
  async #settle(
    done: { readonly how: "summary" | "results" | "trimmed"; readonly droppedMessages: number },
    tokensBefore: number,
    { along, onUpdate }: CompactionCall,
  ): Promise<void> {
    const { history, record } = this.#options;
    this.gauge.reset();
    const tokensAfter = this.gauge.measure(along);
    this.#retryFrom = Math.ceil(tokensAfter * 1.05); // one that helped too little is not tried at once again
    await record({ type: "compacted", ...done, history: [...history] });
    onUpdate({ state: "done", ...done, tokensBefore, tokensAfter });
  }

  /** @throws why no summary could be had, after smaller requests for it too. */
  async #ask(old: readonly Message[], { signal, focus }: Step): Promise<string> {
    const { summaryModel, model, limits, addUsage } = this.#options;
    const writer = summaryModel ?? model();
    const window = writer.facts?.contextTokens ?? limits.maxContextTokens;
    const most = Math.min(limits.maxSummaryTokens, Math.floor(window / 4));
    let failure: unknown;
    for (const share of TRIES) {
      const request = summaryRequest(old, Math.floor(window * share) - most, most, focus);
      const { event, usage } = await ask(writer, request, signal, () => {});
      if (usage !== undefined) addUsage(usage, writer.id);
      if (signal.aborted) throw new SkepError("CANCELLED", "The compaction was cancelled", {});
      if (event.type === "replied") {
        const text = event.reply.content.flatMap((part) => part.type === "text" ? [part.text] : [])
          .join("").trim();
        if (text !== "") return text;
        failure = new SkepError("PROVIDER_FAILED", `${writer.id} wrote an empty summary`, {
          provider: writer.id,
        });
      } else if (event.type === "failed") {
        failure = event.error;
        // Neither a refused key nor a model that is not there gets better by asking again.
        const isFinal = isSkepError(failure, "PROVIDER_AUTH_FAILED") ||
          isSkepError(failure, "PROVIDER_MODEL_NOT_FOUND");
        if (isFinal) break;
      }
    }
    throw failure;
  }
}

/** How a compaction ended that something was thrown in. */
function endOf(error: unknown, { aborted }: AbortSignal): Compaction {
  return aborted ? { state: "cancelled" } : { state: "failed", reason: messageOf(error) };
}

/** Whether there is anything that a summary would be shorter than. */
function hasOlder(old: readonly Message[], task: Message | undefined): boolean {
  return old.some((message) => message !== task && !isSummary(message));
}

/** The results that the model has not read yet. */
function newestResults(history: readonly Message[]): Extract<Message, { role: "tool" }>[] {
  const read = history.findLastIndex(({ role }) => role === "assistant");
  return history.slice(read + 1).filter((message) => message.role === "tool");
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function marker(messages: number): Message {
  const text =
    `[${messages} older messages were taken out here: the model's context did not hold them.]`;
  return { role: "user", content: [{ type: "text", text }] };
}
