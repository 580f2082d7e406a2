import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Answer, Question } from "../approval/approvals.ts";
import { isSkepError } from "../errors.ts";
import type { Limits } from "../limits.ts";
import type { Replayed } from "../session/session.ts";
import type { Update } from "../turn/update.ts";
import { resolve } from "@std/path";
import type { Editor } from "../mcp/editor_files.ts";
import type { Elicitor } from "../mcp/elicitation.ts";
import { readText, readWritten } from "./editor_answers.ts";
import { readElicitAnswer, toElicitRequest } from "./ask_for_server.ts";
import { readPermission, toPermissionRequest } from "./ask_permission.ts";
import type { Entry } from "./entry.ts";
import type { ClientFacts } from "./initialize.ts";
import type { Outbound } from "./outbound.ts";
import type { Requests } from "./requests.ts";
import { goose, toBlock, toNotice, toSessionUpdates } from "./session_update.ts";
import { toTotals } from "./usage_totals.ts";

/** What it takes to tell a client of sessions. */
export interface ClientOptions {
  readonly limits: Pick<Limits, "maxToolTitleBytes">;
}

/** The client, as the sessions see it: it is told of them, and asked. */
export class Client {
  readonly #options: ClientOptions;
  readonly #outbound: Outbound;
  readonly #requests: Requests;
  readonly #facts: () => ClientFacts;

  /** @param facts What is known of it now: it may introduce itself late, or again. */
  constructor(
    options: ClientOptions,
    outbound: Outbound,
    requests: Requests,
    facts: () => ClientFacts,
  ) {
    this.#options = options;
    this.#outbound = outbound;
    this.#requests = requests;
    this.#facts = facts;
  }

  /** True while more waits for it than it may. */
  get isBehind(): boolean {
    return this.#outbound.isFull;
  }

  /** True when it agreed on version 2: it is buzz-acp, and knows what buzz-agent says beside ACP. */
  get isBuzz(): boolean {
    return this.#facts().protocolVersion === 2;
  }

  /** True when it wants what ACP does not have, or not yet. */
  get takesUnstable(): boolean {
    return this.#facts().takesUnstable;
  }

  /** Tells of what happens in a turn. */
  report(entry: Entry, update: Update): void {
    const { takesNotices, takesCompactions } = this.#facts();
    const { id, cwd } = entry.session;
    const updates = toSessionUpdates(update, {
      cwd,
      namedCwd: entry.namedCwd ?? cwd,
      callIds: entry.callIds,
      compactionIds: entry.compactionIds,
      takesNotices,
      takesCompactions,
      isBuzz: this.isBuzz,
      maxTitleBytes: this.#options.limits.maxToolTitleBytes,
      contextWindow: (model) => entry.contextTokens(model),
    });
    for (const sessionUpdate of updates) this.tell(id, sessionUpdate);
    if (update.type === "usage" && this.isBuzz) this.#tellTotals(id, update);
  }

  /** Shows again what was said and done before. */
  replay(entry: Entry, replayed: Replayed): void {
    if (replayed.type === "stopped") {
      const { error, stop } = replayed;
      if (stop === "failed") {
        this.notice(entry.session.id, `The turn failed: ${error ?? "unknown"}`);
      }
      return;
    }
    if (replayed.type !== "prompt") return this.report(entry, replayed);
    const messageId = `prompt-${crypto.randomUUID()}`;
    for (const block of replayed.content) {
      const update = { sessionUpdate: "user_message_chunk" as const, messageId };
      this.tell(entry.session.id, { ...update, content: toBlock(block) });
    }
  }

  /** Resolves when it may be sent more, or `signal` is aborted. */
  async room(signal: AbortSignal): Promise<void> {
    await this.#outbound.room(signal);
  }

  /** Tells of something that a person should know. */
  notice(sessionId: string, text: string): void {
    this.tell(sessionId, toNotice(text, this.#facts().takesNotices));
  }

  /** Tells that a steer was taken, to who knows of such. */
  queuedSteer(
    sessionId: string,
    steer: { readonly messageId: string; readonly runId: string },
  ): void {
    if (this.isBuzz) this.tell(sessionId, goose({ queuedSteer: steer }));
  }

  /** Sends an update. It goes past the SDK, whose own queue has no bound and costs several promises an update. */
  tell(sessionId: string, update: SessionUpdate): void {
    const params = { sessionId, update };
    this.#outbound.send({ jsonrpc: "2.0", method: "session/update", params });
  }

  /** What asks its person for the servers of a session that is being opened. */
  elicitor(sessionId: () => Promise<string>): Elicitor {
    return {
      modes: this.#facts().elicits,
      ask: async (question, signal) => {
        const params = toElicitRequest(question, await sessionId());
        return readElicitAnswer(await this.#requests.send("elicitation/create", params, signal));
      },
    };
  }

  /** The editor that it is, for a session that is being opened in `cwd`; undefined when it is none. */
  editor(cwd: string, sessionId: () => Promise<string>): Editor | undefined {
    const { reads, writes } = this.#facts().editsFiles;
    if (!reads) return undefined;
    const { maxToolTitleBytes: maxBytes } = this.#options.limits;
    const ask = async (method: string, path: string, more: object, signal: AbortSignal) => {
      const params = { sessionId: await sessionId(), path: resolve(cwd, path), ...more };
      return await this.#requests.send(method, params, signal);
    };
    return {
      canWrite: writes,
      read: async (path, signal) =>
        readText(await ask("fs/read_text_file", path, {}, signal), maxBytes),
      write: async (path, content, signal) =>
        readWritten(await ask("fs/write_text_file", path, { content }, signal), maxBytes),
    };
  }

  /**
   * Asks its person about a call. What does not fit into a frame is denied: nobody may allow what is not
   * shown whole (T76).
   *
   * @throws {SkepError} `CANCELLED`, by the signal or by the person.
   */
  async ask(
    { session, callIds }: Entry,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer> {
    const params = toPermissionRequest(question, {
      sessionId: session.id,
      toolCallId: callIds.of(question.callId),
      maxTitleBytes: this.#options.limits.maxToolTitleBytes,
    });
    const method = "session/request_permission";
    try {
      return readPermission(await this.#requests.send(method, params, signal));
    } catch (error) {
      if (!isSkepError(error, "FRAME_TOO_LARGE")) throw error;
      this.notice(
        session.id,
        `A call of ${question.tool} was denied, too long to be shown: ${error.message}`,
      );
      return { kind: "unasked" };
    }
  }

  /** The session's counts so far, as clients that agreed on version 2 know them from buzz-agent. */
  #tellTotals(sessionId: string, update: Extract<Update, { type: "usage" }>): void {
    const totals = toTotals(update);
    if (totals === undefined) return;
    const params = { sessionId, update: totals };
    this.#outbound.send({ jsonrpc: "2.0", method: "_goose/unstable/session/update", params });
  }
}
