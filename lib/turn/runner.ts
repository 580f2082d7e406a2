import type { Message, ToolCall, ToolResult } from "../model/message.ts";
import type { CallResult } from "../mcp/registry.ts";
import { within } from "../mcp/within.ts";
import { ask } from "./ask.ts";
import { callTool, type InPlace, parseInput } from "./call_tool.ts";
import { EventQueue } from "./event_queue.ts";
import { Gate } from "./gate.ts";
import type { TurnOptions } from "./run.ts";
import type { Effect, Steer, TurnEvent } from "./state.ts";
import type { Update } from "./update.ts";

/** Performs effects, and turns what comes of them into events. */
export class Runner {
  readonly events = new EventQueue<TurnEvent>();
  readonly #options: TurnOptions;
  readonly #signal: AbortSignal;
  readonly #gate: Gate;
  readonly #tasks = new Set<Promise<void>>();
  /** Calls that run, of those tasks. */
  readonly #acting = new Set<Promise<void>>();
  /** Calls that were shown to the client and have no end yet. */
  readonly #openCalls = new Set<string>();
  /** What was told last of a call, by its id. */
  readonly #told = new Map<string, string>();
  /** Aborted when the turn has ended. */
  readonly #over = new AbortController();
  #round = 0;
  #said = "";
  #takesSteers = true;
  #isSettled = false;

  constructor(options: TurnOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#gate = new Gate(options.limits.maxParallelCalls);
  }

  /** Ends the turn, once the calls that run have told what they had come to, or a moment later. */
  cancel(): void {
    const end = () =>
      this.events.pushUrgent({ type: "cancelled", said: this.#said, told: this.#told });
    if (this.#acting.size === 0) return end();
    const { limits, world } = this.#options;
    const told = Promise.all(this.#acting);
    this.#start(within(told, limits.lastOutputMs, world.sleep, this.#over.signal).then(end, end));
  }

  /**
   * Takes what a person says to the turn; false when it is over. Before all other events, so that no
   * end of the turn that is already on its way comes before something that was taken.
   */
  steer(steer: Steer): boolean {
    if (this.#takesSteers) this.events.pushUrgent({ type: "steered", steer });
    return this.#takesSteers;
  }

  /** Takes no more steers: the turn has ended. */
  close(): void {
    this.#takesSteers = false;
  }

  /** Shows every now and then that the turn lives, to its end. */
  keepAlive(): void {
    const { limits, world } = this.#options;
    this.#start(
      (async () => {
        for (;;) {
          await world.sleep(limits.keepaliveMs, this.#over.signal);
          this.#emit({ type: "keepalive" });
        }
      })().catch((error) => {
        if (!this.#over.signal.aborted) throw error;
      }),
    );
  }

  /**
   * Performs effects in their order. When one cannot be kept in the journal nothing more is started: the
   * history still gets what belongs to it, and the turn fails.
   */
  async perform(effects: readonly Effect[]): Promise<void> {
    let isKept = true;
    for (const effect of effects) {
      if (effect.type === "append" || effect.type === "inject") {
        isKept = await this.#append(effect.message, effect.type === "inject") && isKept;
      } else if (isKept) this.#begin(effect);
    }
  }

  #begin(effect: Exclude<Effect, { type: "append" | "inject" }>): void {
    const { history, objections, recover } = this.#options;
    switch (effect.type) {
      case "ask":
        return this.#start(this.#ask());
      case "act":
        for (const call of effect.calls) {
          const acting = this.#act(call).finally(() => this.#acting.delete(acting));
          this.#acting.add(acting);
          this.#start(acting);
        }
        return;
      case "recover":
        return this.#start((async () => {
          const isShorter = await recover?.(history, effect.attempt, this.#signal) ?? false;
          this.events.push({ type: "recovered", isShorter });
        })());
      case "check":
        return this.#start((async () => {
          const said = await objections?.(this.#signal) ?? [];
          this.events.push({ type: "checked", objections: said });
        })());
      default:
        return effect satisfies never;
    }
  }

  /** Waits until everything that was started has ended; a cancelled turn waits only a moment. */
  async settle(): Promise<void> {
    this.close();
    this.#over.abort();
    const timer = new AbortController();
    const moment = this.#options.world.sleep(this.#options.limits.settleTurnMs, timer.signal).catch(
      () => {},
    );
    await Promise.race([Promise.all(this.#tasks), moment]);
    timer.abort();
    await moment;
    this.#isSettled = true;
  }

  async #ask(): Promise<void> {
    this.#round++;
    this.#said = "";
    const { id, model, system, history, limits, addUsage, gate, journal } = this.#options;
    const tools = this.#options.tools.tools();
    if (gate !== undefined) await gate({ system, tools }, this.#signal);
    if (this.#signal.aborted) return; // its event is on the way
    const request = {
      system,
      messages: history,
      tools,
      maxOutputTokens: limits.maxOutputTokens,
      whyNot: (name: string) => this.#options.tools.whyNot?.(name),
      mayHave: (name: string) => this.#options.tools.mayHave?.(name) ?? false,
    };
    const message = `${id}-${this.#round}`;
    const { event, usage } = await ask(model, request, this.#signal, (part) => {
      if (part.type === "text") this.#said += part.text;
      if (part.type === "text") journal?.said(part.text);
      if (part.type === "text") this.#emit({ type: "text", message, text: part.text });
      if (part.type === "reasoning") this.#emit({ type: "thought", message, text: part.text });
      if (part.type === "warning") this.#emit({ type: "notice", text: part.message });
    });
    if (usage !== undefined) {
      this.#emit({ type: "usage", round: usage, session: addUsage(usage), model: model.id });
    }
    this.events.push(event.type === "failed" ? { ...event, said: this.#said } : event);
  }

  async #act(call: ToolCall): Promise<void> {
    const { tools, journal } = this.#options;
    const inPlace: InPlace = (run) =>
      this.#gate.run(async () => {
        if (!this.#signal.aborted) {
          await journal?.call(call);
          this.#emit({ type: "call_started", callId: call.id });
        }
        return await run();
      });
    const ended = await callTool(call, tools, this.#signal, inPlace, {
      onProgress: (progress) => {
        if (progress.message !== undefined) this.#told.set(call.id, progress.message);
        if (this.#openCalls.has(call.id)) {
          this.#emit({ type: "call_progress", callId: call.id, progress });
        }
      },
      onRan: async (ran) => {
        const result = resultOf(call, ran);
        this.events.pushUrgent({ type: "call_ran", result });
        await journal?.result(result, ran.structured).catch(() => {});
      },
    });
    const result = resultOf(call, ended);
    // What could not be kept now is kept with the message that all the results make, or fails there.
    await journal?.result(result, ended.structured).catch(() => {});
    this.#endCall(call.id, ended);
    // Of a cancelled turn no further round comes: what follows is its end, with what each call came to.
    if (!this.#signal.aborted) this.events.push({ type: "call_ended", result });
    else if (!ended.isUndelivered) this.events.pushUrgent({ type: "call_ran", result });
  }

  /** Tells whether the journal has it; the history does in either case. */
  async #append(given: Message, isHidden: boolean): Promise<boolean> {
    const { history, model, journal } = this.#options;
    const message = given.role === "assistant" && !isHidden ? { ...given, model: model.id } : given;
    let isKept = true;
    try {
      await journal?.message(message, isHidden);
    } catch (error) {
      isKept = false;
      this.events.pushUrgent({ type: "failed", error });
    }
    history.push(message);
    if (!isHidden) this.#show(message);
    return isKept;
  }

  /** Shows a message's calls to the client, and the results that were not shown as they came. */
  #show(message: Message): void {
    if (message.role === "assistant") {
      for (const part of message.content) {
        if (part.type !== "call") continue;
        this.#openCalls.add(part.id);
        const input = parseInput(part.input);
        this.#emit({ type: "call", callId: part.id, tool: part.name, input });
      }
    }
    if (message.role === "tool") {
      for (const { callId, name: _, note: __, ...result } of message.results) {
        this.#endCall(callId, result);
      }
    }
  }

  #endCall(callId: string, result: CallResult): void {
    if (this.#openCalls.delete(callId)) this.#emit({ type: "call_ended", callId, result });
  }

  #emit(update: Update): void {
    // What a request took that was cancelled comes to light while the turn ends.
    if (this.#isSettled || (this.#over.signal.aborted && update.type !== "usage")) return;
    try {
      this.#options.onUpdate(update);
    } catch (error) {
      this.events.push({ type: "failed", error });
    }
  }

  #start(task: Promise<void>): void {
    const settled = task.catch((error) => this.events.push({ type: "failed", error }))
      .finally(() => this.#tasks.delete(settled));
    this.#tasks.add(settled);
  }
}

function resultOf({ id: callId, name }: ToolCall, ended: CallResult): ToolResult {
  const lost = ended.isUndelivered ? { isUndelivered: true } : {};
  return { callId, name, isError: ended.isError, content: ended.content, ...lost };
}
