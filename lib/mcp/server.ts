import { isSkepError, messageOf } from "../errors.ts";
import type { Launch } from "../sandbox/launch.ts";
import { delivered, type DenialReader, failed, unanswered, undelivered } from "./call_result.ts";
import { cancelled, orCancelled } from "./cancelled.ts";
import type { Answer, Connection } from "./connection.ts";
import { endNotice } from "./end_notice.ts";
import { type Health, type HealthEvent, isLive, statusOf, stepHealth } from "./health.ts";
import type { CallResult, Keep, Progress, ServerStatus } from "./registry.ts";
import { looksOnly } from "./looks_only.ts";
import { keepWhole } from "./keep_whole.ts";
import { LeftBehind } from "./left_behind.ts";
import { serverLog, type WriteLog } from "./server_log.ts";
import type { ServerOptions } from "./server_options.ts";
import { plainText } from "./plain_text.ts";
import { ServerProcess } from "./server_process.ts";
import { TrapWatch } from "./trap_watch.ts";
import type { ListedTool, ToolList } from "./tool_list.ts";

/** The child of a server that runs, and how it is spoken to once it is initialized. */
interface Running {
  readonly process: ServerProcess;
  readonly connection?: Connection;
}

/** One server of a session: its process, its tools, its restarts. */
export class Server {
  readonly name: string;
  readonly #launch: Launch;
  readonly #options: ServerOptions;
  readonly #log: WriteLog;
  #health: Health = { state: "idle" };
  #running: Running | undefined;
  /** Undefined until they are known. */
  #list: ToolList | undefined;
  #restarting: Promise<void> | undefined;
  /** The stop of a server that rests now. */
  #resting: Promise<string> | undefined;
  /** skep ends it now for the sake of a call that was cancelled. */
  #isForCancel = false;
  /** True after a call was given up: the server may be stuck in it. */
  #isSuspect = false;
  /** Calls in a row that ran out of time. */
  #late = 0;
  /** Calls that wait for their answer. */
  #waiting = 0;
  readonly #traps: TrapWatch;
  readonly #leftBehind: LeftBehind;
  #clearing: Promise<void> | undefined;
  /** Whether it still answers, after a call was cancelled. */
  #probing: Promise<void> | undefined;

  /**
   * @param launch Released by {@linkcode Server.close}.
   * @param known Its tools, from an earlier start: then it may wait for its first call.
   */
  constructor(launch: Launch, options: ServerOptions, known?: ToolList) {
    this.name = launch.server;
    this.#launch = launch;
    this.#options = options;
    this.#log = serverLog(launch, options.limits.maxServerLogBytes, options.onLog);
    this.#leftBehind = new LeftBehind(options.world, options.limits);
    this.#traps = new TrapWatch(launch, options, this.#log);
    if (known !== undefined) this.#take(known);
  }

  /** The tools that can be called, now or after a start. */
  get tools(): readonly ListedTool[] {
    return isLive(this.#health) ? this.#list?.tools ?? [] : [];
  }

  /** What the runtime alone can call, now or after a start. */
  get hooks(): readonly ListedTool[] {
    return isLive(this.#health) ? this.#list?.hooks ?? [] : [];
  }

  /** What it said, when it was initialized last, on how to use it; without what steers a terminal. */
  get instructions(): string | undefined {
    return this.#list?.instructions;
  }

  /** No call to the server can change anything but its own private folders, by its grant. */
  get looksOnly(): boolean {
    return looksOnly(this.#launch.grant);
  }

  /** The server's state for people. */
  get status(): Pick<ServerStatus, "state" | "reason"> {
    return statusOf(this.#health, this.#list?.fault);
  }

  /** Starts the child; {@linkcode Server.connect} does the rest. */
  spawn(): void {
    const { limits, world } = this.#options;
    try {
      const child = world.spawn(this.#launch.command);
      const { redact } = this.#launch;
      const process = new ServerProcess(child, { limits, world, log: this.#log, redact });
      this.#running = { process };
      this.#step({ type: "spawned" });
    } catch (error) {
      this.#end(`cannot be started: ${messageOf(error)}`);
    }
  }

  /**
   * Initializes the server that was just spawned and reads its tools. It is healthy then, or ended, which
   * it is as soon as the signal is aborted.
   */
  async connect(signal?: AbortSignal): Promise<void> {
    const process = this.#running?.process;
    if (process === undefined || this.#health.state !== "starting") return;
    try {
      // The SDK takes 160 to 210 ms to load, during which the servers start.
      const { Connection } = await import("./connection.ts");
      const { token } = this.#launch;
      const connection = new Connection(process.transport, {
        ...this.#options,
        ...(token === undefined ? {} : { token }),
        server: this.name,
        log: this.#log,
        onTools: (list) => this.#take({ ...list, ...this.#saidBy(connection) }),
      });
      const { closing } = this.#options;
      await connection.connect(signal === undefined ? closing : AbortSignal.any([closing, signal]));
      this.#running = { process, connection };
      this.#step({ type: "connected" });
      this.#isSuspect = false;
      this.#late = 0;
      process.ended.then((reason) => this.#lose(process, reason));
    } catch (error) {
      // A server that ended by itself has the better reason, which comes back.
      this.#end(await process.stop(messageOf(error)));
    }
  }

  /** Stops a server that nobody has called so far; its first call starts it again. */
  async rest(): Promise<void> {
    const running = this.#running;
    if (this.#health.state !== "healthy" || running === undefined || this.#waiting > 0) return;
    this.#step({ type: "rested" });
    this.#running = undefined;
    this.#resting = running.process.stop("rests until its first call");
    await this.#resting;
  }

  /** True until a server whose tools are only remembered has told them itself. */
  get isWaiting(): boolean {
    return this.#health.state === "idle" || this.#health.state === "starting";
  }

  /** Starts a server that waits for its first call. @throws {SkepError} `CANCELLED`. */
  async wake(signal: AbortSignal): Promise<void> {
    if (this.isWaiting) await this.#revive(signal);
  }

  /**
   * Calls a tool or a hook by the server's own name for it. A server that ended is started again first.
   *
   * @param keep Keeps what of its result is cut. @param onProgress Is told how far it is.
   * @throws {SkepError} `CANCELLED` when the signal was aborted.
   */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    keep?: Keep,
    onProgress?: (progress: Progress) => void,
  ): Promise<CallResult> {
    await this.#revive(signal);
    const { process, connection } = this.#running ?? {};
    if (process === undefined || connection === undefined) {
      const { state, reason } = this.status;
      const why = "reason" in this.#health ? reason : undefined;
      return undelivered(this.#sentence(why ?? `is ${state}`));
    }
    if (![...this.tools, ...this.hooks].some(({ name }) => name === tool)) {
      return undelivered(this.#sentence(`does not offer "${tool}" any more`));
    }
    const answer = await this.#ask(connection, tool, args, signal, onProgress);
    const { limits } = this.#options;
    switch (answer.kind) {
      case "late":
        this.#isSuspect = true;
        this.#late++;
        return unanswered(tool, limits, answer.message && this.#launch.redact(answer.message));
      case "lost": {
        const reason = await orCancelled(process.ended, signal);
        const text = this.#sentence(`${reason} (before it answered "${tool}")`);
        return { ...this.#deliver(failed(text)), isUndelivered: true };
      }
      case "rejected":
        return this.#deliver(failed(this.#sentence(`rejected the call: ${answer.message}`)));
      case "result":
        return this.#deliver(await keepWhole(answer.result, this.#launch, keep), keep);
      default:
        return answer satisfies never;
    }
  }

  async #ask(
    connection: Connection,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<Answer> {
    this.#waiting++;
    this.#leftBehind.begin();
    const beganMs = this.#options.world.nowMs();
    try {
      const answer = await connection.call(tool, args, signal, (note) =>
        onProgress?.(
          note.message === undefined
            ? note
            : { ...note, message: this.#launch.redact(note.message) },
        ));
      // Before anything is waited for: a server may end right behind its answer.
      if (answer.kind === "result" || answer.kind === "rejected") this.#answered();
      if (answer.kind === "result") await connection.settle(signal);
      return answer;
    } catch (error) {
      this.#isSuspect ||= isSkepError(error, "CANCELLED");
      this.#leftBehind.cancelled(beganMs);
      this.#clearing ??= this.#clear().finally(() => this.#clearing = undefined);
      throw error;
    } finally {
      this.#waiting--;
      if (this.#isSuspect) this.#probing ??= this.#probe().finally(() => this.#probing = undefined);
      this.#traps.look();
    }
  }

  /** Ends a server that is stuck in a call that was cancelled: nobody waits for what it does there. */
  async #probe(): Promise<void> {
    const { process, connection } = this.#running ?? {};
    if (process === undefined || connection === undefined || this.#waiting > 0) return;
    const { closing } = this.#options;
    const isStuck = await this.#isStuck(connection, closing).catch(() => undefined); // it closes
    if (isStuck === undefined || this.#waiting > 0) return;
    this.#isForCancel = this.#late === 0;
    this.#lose(process, await process.stop(isStuck));
  }

  /** Nothing goes on of a call that was cancelled: MCP has no answer to a cancel that would say so. */
  async #clear(): Promise<void> {
    const process = this.#running?.process;
    if (process === undefined || this.#launch.kind === "bundled") return; // ours clears by itself
    const reason = await this.#leftBehind.end(process, this.#options.closing);
    if (reason === undefined) return;
    this.#isForCancel = true;
    this.#lose(process, await process.stop(reason));
  }

  #answered(): void {
    this.#late = 0;
    this.#step({ type: "answered" });
  }

  /** Ends a server that gives no answers; its next call starts it again. */
  async giveUp(reason: string): Promise<void> {
    const process = this.#running?.process;
    if (process === undefined || this.#health.state !== "healthy") return;
    this.#lose(process, await process.stop(reason));
  }

  /** Stops the server and everything in its group, then removes its private folders. */
  async close(): Promise<void> {
    await this.#restarting;
    await this.#resting;
    await this.#running?.process.stop(STOPPED);
    this.#running = undefined;
    this.#health = { state: "exhausted", reason: STOPPED };
    await Promise.all([this.#traps.looked, this.#probing, this.#clearing]);
    try {
      await this.#launch.release();
    } catch (error) {
      this.#options.onNotice(
        this.#sentence(`left its private folders behind: ${messageOf(error)}`),
      );
    }
  }

  /** Makes sure that the server answers, as far as that can be: it is healthy then, or ended. */
  async #revive(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled();
    const { process, connection } = this.#running ?? {};
    if (process?.transport.isOver && this.#health.state === "healthy") {
      // It is ending right now: the call is for the next one.
      this.#lose(process, await orCancelled(process.ended, signal));
    } else if (process !== undefined && connection !== undefined && this.#waiting === 0) {
      // One that does one thing at a time is silent while it works on another call: that is none.
      const isStuck = await this.#isStuck(connection, signal);
      if (isStuck !== undefined) {
        this.#isForCancel = this.#late === 0;
        this.#lose(process, await orCancelled(process.stop(isStuck), signal));
      }
    }
    const { state } = this.#health;
    if (state === "dead" || state === "idle") {
      this.#restarting ??= this.#restart().finally(() => {
        this.#restarting = undefined;
      });
    }
    if (this.#restarting !== undefined) await orCancelled(this.#restarting, signal);
  }

  /** Why a server that runs is of no use any more; undefined when it is. */
  async #isStuck(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#isSuspect) return undefined;
    const { lateCalls } = this.#options.limits;
    if (this.#late >= lateCalls) return `let ${lateCalls} calls in a row run out of time`;
    this.#isSuspect = !await connection.isResponsive(signal);
    return this.#isSuspect ? "is stuck in a call that was given up" : undefined;
  }

  async #restart(): Promise<void> {
    const { closing, limits, world } = this.#options;
    const health = this.#health;
    await this.#resting;
    if (health.state === "dead") {
      const waitMs = Math.min(health.restartAtMs - world.nowMs(), limits.restartMaxMs * 2); // a clock may be set back
      if (waitMs > 0) await world.sleep(waitMs, closing).catch(() => {}); // closing: seen below
      const count = health.ends === 0 ? "" : ` ${health.ends} of ${limits.restartAttempts - 1}`;
      this.#log("health", `restart${count}`);
    }
    if (closing.aborted) return;
    this.spawn();
    await this.connect();
  }

  #saidBy(connection: Connection): Pick<ToolList, "instructions"> {
    const said = plainText(this.#launch.redact(connection.instructions ?? "")).trim();
    return said === "" ? {} : { instructions: said };
  }

  #take(list: ToolList): void {
    this.#list = list;
    this.#options.onTools(this.name, list, this.#launch, this.#health.state === "starting");
  }

  #step(event: HealthEvent): void {
    this.#health = stepHealth(this.#health, event, this.#options.limits);
  }

  /** Takes note that a healthy server ended; nothing when that is known already. */
  #lose(process: ServerProcess, reason: string): void {
    if (this.#running?.process === process) this.#end(reason);
  }

  #end(words: string): void {
    const reason = this.#launch.redact(words);
    const { closing, onNotice, world } = this.#options;
    const isForCancel = this.#isForCancel;
    this.#isForCancel = false;
    this.#running = undefined;
    this.#step({
      type: "ended",
      reason,
      isKnown: this.#list !== undefined,
      isForCancel,
      nowMs: world.nowMs(),
      random: Math.random(),
    });
    if (closing.aborted) return;
    this.#log("health", reason);
    if (isLive(this.#health)) return;
    onNotice(
      this.#sentence(endNotice(reason, this.#launch, this.#options, this.#list !== undefined)),
    );
  }

  #deliver(raw: Parameters<DenialReader["findDenial"]>[1], keep?: Keep): CallResult {
    const refused = this.#launch.takeRefused?.() ?? [];
    const more = { refused, ...(keep && { keep }) };
    return delivered(raw, this.#launch, this.#options, this.#options.limits, more);
  }

  #sentence(rest: string): string {
    return this.#launch.redact(`Server "${this.name}" ${rest}`);
  }
}

const STOPPED = "was stopped with its session";
