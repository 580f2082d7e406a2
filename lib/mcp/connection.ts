import { setImmediate } from "node:timers/promises";
import { messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Launch } from "../sandbox/launch.ts";
import { cancelled } from "./cancelled.ts";
import { Deadline } from "./deadline.ts";
import type { EditorFiles } from "./editor_files.ts";
import { ELICIT_REQUEST } from "./elicitation.ts";
import {
  LAST_OUTPUT,
  LAST_OUTPUT_CAPABILITY,
  type LastOutput,
  LastOutputs,
} from "./last_outputs.ts";
import { listTools } from "./list_tools.ts";
import { McpClient } from "./mcp_client.ts";
import { toProgress } from "./progress.ts";
import { Questions, type QuestionsOptions } from "./questions.ts";
import type { Progress } from "./registry.ts";
import type { RawResult } from "./result.ts";
import type { ToolList } from "./tool_list.ts";
import type { PipeTransport } from "./transport.ts";
import {
  ANY_RESULT,
  EDITOR_WRITE_REQUEST,
  LOG_MESSAGE,
  ROOTS_REQUEST,
  TOKEN_REQUEST,
  TOOLS_CHANGED,
  UNSAVED_REQUEST,
} from "./wire.ts";
import { within } from "./within.ts";

/** What a {@linkcode Connection} says of itself, is bounded by and reports to. */
export interface ConnectionOptions extends Pick<Launch, "token">, QuestionsOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** The answer to `roots/list`: the folders to work in, as `file:` addresses. */
  readonly roots: readonly { readonly uri: string; readonly name: string }[];
  /** The person's editor, as far as this server may use it; absent: there is none for it. */
  readonly editorFiles?: Pick<EditorFiles, "read" | "write">;
  readonly limits: Limits;
  readonly world: Pick<Host, "sleep">;
  /** Gets the tools whenever they were read: once before `connect()` resolves, then when they changed. */
  readonly onTools: (list: ToolList) => void;
}

/**
 * How a call ended. `rejected` is an error of the protocol. No answer came when it is `late` (its
 * `message` is what the server told of it when it was given up), and none will when it is `lost`: then the server can no longer be talked to.
 */
export type Answer =
  | { readonly kind: "result"; readonly result: RawResult }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "late"; readonly message?: string }
  | { readonly kind: "lost" };

/** The SDK's own timeout, which cannot be told from a server's answer -32001: ours comes long before it. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** One server, spoken to through the SDK's client with loose schemas. */
export class Connection {
  readonly #client: McpClient;
  readonly #transport: PipeTransport;
  readonly #options: ConnectionOptions;
  /** Aborted when the transport is closed. */
  readonly #gone = new AbortController();
  readonly #questions: Questions;
  readonly #lastOutputs: LastOutputs;
  #reading: Promise<void> | undefined;
  #isRefreshing = false;
  #isStale = false;
  /** Calls that wait for their answer. */
  #calls = 0;

  /** @param transport The server's, not spoken to so far. */
  constructor(transport: PipeTransport, options: ConnectionOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#questions = new Questions(options);
    this.#lastOutputs = new LastOutputs(options.limits, options.world.sleep);
    const { editorFiles } = options;
    this.#client = new McpClient(options.clientInfo, {
      roots: {},
      ...this.#questions.capability,
      experimental: {
        "skep/hooks": {}, // our own servers list their hooks to a host that names them
        ...(editorFiles && { "skep/editor": {} }),
      },
    });
    this.#client.onclose = () => this.#gone.abort();
    this.#client.onerror = (error) => options.log("protocol", error.message);
    const { token } = options;
    if (token !== undefined) {
      this.#client.setRequestHandler(
        TOKEN_REQUEST,
        async ({ params }) => ({ token: await token(params) }),
      );
    }
    if (editorFiles !== undefined) this.#lend(editorFiles);
    this.#client.setRequestHandler(
      ELICIT_REQUEST,
      ({ params }, { signal }) =>
        this.#questions.answer(params, AbortSignal.any([signal, this.#gone.signal])),
    );
    this.#client.setRequestHandler(ROOTS_REQUEST, () => ({ roots: [...options.roots] }));
    this.#client.setNotificationHandler(LOG_MESSAGE, ({ params: { level, data } }) => {
      const text = typeof data === "string" ? data : JSON.stringify(data ?? null);
      options.log("log", `${level}: ${text}`);
    });
    this.#client.setNotificationHandler(
      LAST_OUTPUT,
      ({ params }) => this.#lastOutputs.told(params),
    );
    this.#client.setNotificationHandler(TOOLS_CHANGED, () => this.#refresh());
  }

  /**
   * Initializes the server and reads its tools.
   *
   * @throws {SkepError} `SERVER_FAILED`, its message the rest of a sentence about the server;
   * `CANCELLED` when the signal was aborted.
   */
  async connect(signal: AbortSignal): Promise<void> {
    await this.#step(
      "init",
      signal,
      (signal) => this.#client.initialize(this.#transport, { signal, timeout: SDK_TIMEOUT_MS }),
    );
    await this.#read(signal);
  }

  /**
   * Calls a tool by the server's own name for it. Progress gives it its whole time anew (T16). When it is
   * given up the server is told, and what such a call had come to is told as the last progress, where the
   * server says that.
   *
   * @throws {SkepError} `CANCELLED` when the signal is aborted.
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<Answer> {
    const { limits, world } = this.#options;
    using deadline = new Deadline(limits.toolTimeoutS * 1000, signal, world.sleep);
    using _ = this.#questions.during(deadline);
    using last = this.#beginLast(deadline.signal);
    let told = 0;
    this.#calls++;
    try {
      const _meta = last?.meta;
      const result = await this.#client.request(
        { method: "tools/call", params: { name, arguments: { ...args }, ...(_meta && { _meta }) } },
        ANY_RESULT,
        {
          signal: deadline.signal,
          timeout: SDK_TIMEOUT_MS,
          onprogress: (note) => {
            if (!this.#questions.areOpen) deadline.extend();
            told = note.progress;
            onProgress?.(toProgress(note, limits));
          },
        },
      );
      return { kind: "result", result };
    } catch (error) {
      if (deadline.isLate || signal.aborted) {
        const message = await last?.take(this.#gone.signal);
        if (deadline.isLate) return { kind: "late", ...(message && { message }) };
        if (message) onProgress?.({ progress: told + 1, message });
        throw cancelled();
      }
      if (this.#transport.isOver) return { kind: "lost" };
      return { kind: "rejected", message: plainMessage(error) };
    } finally {
      this.#calls--;
    }
  }

  /**
   * Lets a change of the tools that came with an answer take effect before the answer is given, so that
   * the next round lists them (T30).
   */
  async settle(signal: AbortSignal): Promise<void> {
    const { limits, world } = this.#options;
    const isChanging = this.#client.server?.capabilities.tools?.listChanged === true;
    if (isChanging) await setImmediate(); // the notification may be right behind the answer
    if (this.#reading === undefined) return;
    await within(this.#reading, limits.pingServerMs, world.sleep, signal);
  }

  /** Undefined where the server tells none, and where the call is not sent any more. */
  #beginLast({ aborted }: AbortSignal): LastOutput | undefined {
    const told = this.#client.server?.capabilities.experimental?.[LAST_OUTPUT_CAPABILITY];
    return told === undefined || aborted ? undefined : this.#lastOutputs.begin();
  }

  /** What the server said on how to use it, once it is initialized. */
  get instructions(): string | undefined {
    return this.#client.server?.instructions;
  }

  /** Tells whether the server still answers, which one that is stuck in a call does not. */
  async isResponsive(signal: AbortSignal): Promise<boolean> {
    const { limits, world } = this.#options;
    using deadline = new Deadline(limits.pingServerMs, signal, world.sleep);
    try {
      await this.#client.ping({ signal: deadline.signal, timeout: SDK_TIMEOUT_MS });
      return true;
    } catch {
      if (signal.aborted) throw cancelled();
      return !deadline.isLate && !this.#transport.isOver; // an error is an answer too
    }
  }

  /** Answers what the server asks about a person's editor, which it may while it is called. */
  #lend(editor: Pick<EditorFiles, "read" | "write">): void {
    const idle = { problem: "is asked while a tool is called, and none is" };
    const stopped = (signal: AbortSignal) => AbortSignal.any([signal, this.#gone.signal]);
    this.#client.setRequestHandler(
      UNSAVED_REQUEST,
      async ({ params }, { signal }) => (
        { ...this.#calls === 0 ? idle : await editor.read(params, stopped(signal)) }
      ),
    );
    this.#client.setRequestHandler(
      EDITOR_WRITE_REQUEST,
      async ({ params }, { signal }) => (
        { ...this.#calls === 0 ? idle : await editor.write(params, stopped(signal)) }
      ),
    );
  }

  /** Reads the tools again; changes that come meanwhile are one more read, after a pause. */
  async #refresh(): Promise<void> {
    this.#isStale = true;
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    const { limits, world } = this.#options;
    while (this.#isStale && !this.#gone.signal.aborted) {
      this.#isStale = false;
      this.#reading = this.#reread();
      await this.#reading;
      this.#reading = undefined;
      if (this.#isStale) await pause(limits.relistPauseMs, this.#gone.signal, world.sleep);
    }
    this.#isRefreshing = false;
  }

  async #reread(): Promise<void> {
    try {
      await this.#read(this.#gone.signal);
    } catch (error) {
      if (this.#gone.signal.aborted) return; // the server ended, which is told elsewhere
      const message = `its changed tools cannot be read, the old ones stay: ${messageOf(error)}`;
      this.#options.log("health", message);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { limits, onTools } = this.#options;
    const list = await this.#step(
      "list",
      signal,
      (signal) => listTools(this.#client, { signal, timeout: SDK_TIMEOUT_MS }, limits),
    );
    onTools(list);
  }

  /** Runs a part of the start within its bound. */
  async #step<T>(
    stage: "init" | "list",
    caller: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { limits, server, world } = this.#options;
    const method = stage === "init" ? "initialize" : "tools/list";
    using deadline = new Deadline(limits.serverInitTimeoutS * 1000, caller, world.sleep);
    try {
      return await run(deadline.signal);
    } catch (cause) {
      if (caller.aborted) throw cancelled();
      const message = deadline.isLate
        ? `did not answer ${method} within ${limits.serverInitTimeoutS} s`
        : `failed at ${method}: ${plainMessage(cause)}`;
      throw new SkepError("SERVER_FAILED", message, { server, stage }, { cause });
    }
  }
}

/** Waits, or not any longer when there is nobody to wait for. */
function pause(ms: number, gone: AbortSignal, sleep: Host["sleep"]): Promise<void> {
  return sleep(ms, gone).catch(() => {}); // the loop sees that it is over
}

/** An error's message without what the SDK puts before it. */
function plainMessage(error: unknown): string {
  return messageOf(error).replace(/^MCP error -?\d+: /, "");
}
