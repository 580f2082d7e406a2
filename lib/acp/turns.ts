import type { PromptResponse } from "@agentclientprotocol/sdk";
import { isSkepError, SkepError } from "../errors.ts";
import type { CompactOptions, Session } from "../session/session.ts";
import { NOTHING_TO_SUMMARISE, type Update } from "../turn/update.ts";
import type { Client } from "./client.ts";
import { readCommand } from "./commands.ts";
import { invalid, isToBeQueued, readParams } from "./params.ts";
import { readPrompt } from "./read_prompt.ts";
import type { Announced, Sessions, SessionsOptions } from "./sessions.ts";
import { isRecord } from "./is_record.ts";
import { TurnSlots } from "./turn_slots.ts";

/** The method of buzz-agent and goose that steers. */
export const STEER = "_goose/unstable/session/steer";

/** The reply to {@linkcode STEER}. */
export interface SteerResult {
  readonly runId: string;
  readonly messageId: string;
}

/** What a client does with the turns of its sessions. Parameters are as they came. */
export class Turns {
  readonly #options: Pick<SessionsOptions, "limits" | "world">;
  readonly #sessions: Sessions;
  readonly #client: Client;
  readonly #slots: TurnSlots;

  constructor(
    options: Pick<SessionsOptions, "limits" | "world">,
    sessions: Sessions,
    client: Client,
  ) {
    this.#options = options;
    this.#sessions = sessions;
    this.#client = client;
    this.#slots = new TurnSlots(options.limits.maxRunningTurns);
  }

  /**
   * `session/prompt`: one turn, or a command, its updates streamed. None comes after its end.
   *
   * @throws {SkepError} `SESSION_UNKNOWN`, `SESSION_BUSY`, `INVALID_PARAMS`, and what the model throws.
   */
  async prompt(params: unknown, signal: AbortSignal): Promise<PromptResponse> {
    const method = "session/prompt";
    const given = readParams(method, params);
    const entry = this.#sessions.find(method, given);
    const content = readPrompt(given.prompt, this.#options.limits.maxPromptBytes);
    let isOver = false;
    let isCut = false;
    let isTalk = true;
    const onUpdate = (update: Update) => {
      if (isOver) return;
      if (!this.#client.isBehind) {
        this.#client.report(entry, update);
        if (update.type === "turn_started" && isTalk) this.#sessions.nameSession(entry, content);
        return;
      }
      if (isCut) return;
      isCut = true; // memory has an end: a client that does not read loses its turn
      this.#options.world.warn(
        `The client does not read: session ${entry.session.id} is cancelled`,
      );
      entry.cancel();
    };
    try {
      const isQueued = isToBeQueued(given);
      const session = entry.live ?? await entry.awake(signal); // at once when it can: a cancel may be next
      const asked = readCommand(content, session);
      if (asked.kind === "refused") {
        this.#client.notice(session.id, asked.why);
        return { stopReason: "end_turn" };
      }
      if (asked.kind === "compact") {
        isTalk = false;
        const { focus } = asked;
        return await this.#compact(session, onUpdate, { isQueued, signal, focus });
      }
      const slot = (cancelled: AbortSignal) => this.#slot(cancelled, onUpdate);
      const options = { isQueued, slot, signal };
      return { stopReason: await session.prompt(asked.content, onUpdate, options) };
    } catch (error) {
      if (isSkepError(error, "CANCELLED")) return { stopReason: "cancelled" };
      if (!isSkepError(error, "SESSION_BUSY")) throw error;
      const text = `${method}: prompt already in flight`;
      throw new SkepError("SESSION_BUSY", text, error.details, { cause: error });
    } finally {
      isOver = true;
      entry.touch();
      this.#sessions.tellCommands(entry); // skills that came up meanwhile are among them
      this.#sessions.findCommands(entry);
    }
  }

  /**
   * `_goose/unstable/session/steer`: says something to the turn that runs.
   *
   * @throws {SkepError} `INVALID_PARAMS`, `SESSION_UNKNOWN`; whoever steered then falls back to a cancel.
   */
  async steer(params: unknown): Promise<Announced<SteerResult>> {
    const method = STEER;
    const given = readParams(method, params);
    const content = readPrompt(given.prompt ?? [], this.#options.limits.maxPromptBytes, method);
    const entry = this.#sessions.find(method, given);
    // A prompt that wakes it is there before what is said to that.
    if (entry.isWaking) await entry.awake().catch(() => {}); // told to whoever woke it
    const { live } = entry;
    const running = live?.turnId;
    // Only clients of version 2 are told the run's id: for others it is the one that runs.
    const { expectedRunId = running } = given;
    if (live === undefined || running === undefined) throw invalid(method, "no active run");
    if (typeof expectedRunId !== "string" || expectedRunId.trim() === "") {
      throw invalid(method, "expectedRunId must be text that is not blank");
    }
    if (running !== expectedRunId) {
      throw invalid(method, `run "${expectedRunId}" is not the active one, which is "${running}"`);
    }
    const runId = live.steer(content, expectedRunId);
    if (runId === undefined) throw invalid(method, `run "${expectedRunId}" is ending`);
    const messageId = `steer_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    const result = { runId, messageId };
    return { result, announce: () => this.#client.queuedSteer(live.id, result) };
  }

  async #compact(
    session: Session,
    onUpdate: (update: Update) => void,
    options: CompactOptions,
  ): Promise<PromptResponse> {
    let isTold = false;
    const isShorter = await session.compact((update) => {
      isTold ||= update.type === "compaction" && update.compaction.state === "failed";
      onUpdate(update);
    }, options);
    if (!isShorter && !isTold) this.#client.notice(session.id, NOTHING_TO_SUMMARISE);
    return { stopReason: "end_turn" };
  }

  /** `session/cancel`. A session that is unknown or does nothing is no failure: the turn may just have ended. */
  cancel(params: unknown): void {
    this.#sessions.get(isRecord(params) ? params.sessionId : undefined)?.cancel();
  }

  /** Waits until the turn may begin, and shows meanwhile that it still will. */
  async #slot(signal: AbortSignal, onUpdate: (update: Update) => void): Promise<Disposable> {
    const { limits: { maxRunningTurns, keepaliveMs }, world } = this.#options;
    const begun = new AbortController();
    const show = async () => {
      while (true) {
        await world.sleep(keepaliveMs, begun.signal);
        onUpdate({ type: "keepalive" });
      }
    };
    try {
      return await this.#slots.take(signal, () => {
        const text = `This prompt waits: ${maxRunningTurns} turns run already, the limit ` +
          "(SKEP_MAX_RUNNING_TURNS sets it)";
        onUpdate({ type: "notice", text });
        show().catch(() => {}); // it has begun
      });
    } finally {
      begun.abort();
    }
  }
}
