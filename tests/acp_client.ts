// What the tests of lib/acp share: a client in memory, and a session that does what a test says.
import { type AcpOptions, serveAcp } from "../lib/acp/serve_acp.ts";
import { SkepError } from "../lib/errors.ts";
import { DEFAULT_LIMITS } from "../lib/limits.ts";
import type { Model } from "../lib/model/model.ts";
import type { SessionServers } from "../lib/session/session_servers.ts";
import type { Session } from "../lib/session/session.ts";
import type { TurnStop, Update } from "../lib/turn/update.ts";
import { checkFrame } from "./acp_schema.ts";

/** A frame of the agent's. */
export type Frame = Readonly<Record<string, unknown>>;

/** A turn as a test plays it; `cancelled` is aborted by a cancel. */
export type PlayTurn = (
  prompt: Parameters<Session["prompt"]>[0],
  onUpdate: (update: Update) => void,
  cancelled: AbortSignal,
) => Promise<TurnStop>;

/** A session whose turns are played by `play`, one at a time, and which notes what is done to it. */
export class FakeSession implements Session {
  readonly cwd = "/work";
  readonly notices: readonly string[];
  readonly log: string[] = [];
  modelId = "offline:plain";
  modelFacts: Session["modelFacts"];
  mode: Session["mode"] = "normal";
  effort: Session["effort"];
  title: Session["title"];
  known: ReturnType<Session["skills"]> = [];
  /** What it finds when it looks for skills again; undefined: the same. */
  found: ReturnType<Session["skills"]> | undefined;
  compaction: Session["compact"] = () => Promise.resolve(true);
  #turn: AbortController | undefined;

  constructor(readonly id: string, private play: PlayTurn, notices: readonly string[] = []) {
    this.notices = notices;
  }

  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  get turnId(): string | undefined {
    return this.isRunning ? "run_1" : undefined;
  }

  steer(content: Parameters<Session["steer"]>[0]): string | undefined {
    this.log.push(`steer ${JSON.stringify(content)}`);
    return this.turnId;
  }

  setMode(mode: Session["mode"]): void {
    this.mode = mode;
  }

  setModel(model: Model): void {
    this.modelId = model.id;
    this.modelFacts = model.facts;
  }

  async prompt(...[content, onUpdate, options]: Parameters<Session["prompt"]>): Promise<TurnStop> {
    if (options?.isQueued) this.log.push("queued");
    if (this.isRunning) throw new SkepError("SESSION_BUSY", "busy", { sessionId: this.id });
    this.#turn = new AbortController();
    options?.signal?.addEventListener("abort", () => this.cancel());
    try {
      using _slot = await options?.slot?.(this.#turn.signal);
      this.log.push("prompt");
      return await this.play(content, onUpdate, this.#turn.signal);
    } finally {
      this.#turn = undefined;
    }
  }

  cancel(): void {
    this.log.push("cancel");
    this.#turn?.abort();
  }

  tools(): [] {
    return [];
  }

  get mcp(): SessionServers {
    throw new Error("this session has no servers");
  }

  servers(): [] {
    return [];
  }

  skills(): ReturnType<Session["skills"]> {
    return this.known;
  }

  findSkills(): Promise<void> {
    this.known = this.found ?? this.known;
    return Promise.resolve();
  }

  async compact(...[onUpdate, signal]: Parameters<Session["compact"]>): Promise<boolean> {
    this.log.push("compact");
    return await this.compaction(onUpdate, signal);
  }

  pin(text: string): Promise<void> {
    this.log.push(`pin ${text}`);
    return Promise.resolve();
  }

  async *replay(): ReturnType<Session["replay"]> {}

  rest(): Promise<boolean> {
    this.log.push("rest");
    return Promise.resolve(!this.isRunning);
  }

  close(): Promise<void> {
    this.log.push("close");
    this.#turn?.abort();
    return Promise.resolve();
  }
}

/** A turn that says the prompt's text again. */
export const echo: PlayTurn = (prompt, onUpdate) => {
  const text = prompt.map((part) => part.type === "text" ? part.text : `<${part.mediaType}>`);
  onUpdate({ type: "text", message: "m1", text: text.join("|") });
  return Promise.resolve("end_turn");
};

/** A turn that lasts until it is cancelled. */
export const untilCancelled: PlayTurn = (_prompt, onUpdate, cancelled) => {
  onUpdate({ type: "text", message: "m1", text: "working" });
  const { promise, resolve } = Promise.withResolvers<TurnStop>();
  cancelled.addEventListener("abort", () => resolve("cancelled"));
  return promise;
};

/** A client of {@linkcode serveAcp} in memory. Each frame it gets is held against ACP's schema. */
export class MemoryClient implements AsyncDisposable {
  /** Every frame of the agent's, in order; what tells of commands is kept apart, as each session has it. */
  readonly frames: Frame[] = [];
  /** The names of the commands, as often as they were told, and how many frames had come before. */
  readonly commands: { readonly names: readonly string[]; readonly behind: number }[] = [];
  readonly warnings: string[] = [];
  /** Settles as `serveAcp()` does. */
  readonly served: Promise<void>;
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  readonly #methods = new Map<unknown, string>();
  readonly #stop = new AbortController();
  #arrived = Promise.withResolvers<void>();
  #nextId = 1;
  #version = 1;
  #partial = "";

  constructor(options: Partial<AcpOptions> = {}) {
    this.served = serveAcp({
      input: this.#input.readable,
      output: { write: (bytes) => this.#receive(bytes) },
      open: () => Promise.resolve(new FakeSession("s1", echo)),
      resolveModel: (id) =>
        Promise.reject(new SkepError("MODEL_UNKNOWN", `Unknown model "${id}"`, { model: id })),
      models: () => Promise.resolve([]),
      agentInfo: () => ({ name: "skep", title: "Guide", version: "0.1.0" }),
      limits: DEFAULT_LIMITS,
      world: { sleep: never, warn: (line) => void this.warnings.push(line) },
      signal: this.#stop.signal,
      ...options,
    });
    this.served.catch(() => {}); // a test that expects a failure looks at `served` itself
  }

  /** Writes a line as it is, or a message as JSON. */
  async line(content: string | Uint8Array | object): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(text + "\n");
    await this.#writer.write(bytes);
  }

  /** Sends a request and gives its result or error. */
  async request(method: string, params?: unknown): Promise<Frame> {
    const id = this.#nextId++;
    this.#methods.set(id, method);
    await this.line({ jsonrpc: "2.0", id, method, params });
    const reply = await this.frame((frame) => frame.id === id);
    return (reply.result ?? reply.error ?? null) as Frame;
  }

  async notify(method: string, params?: unknown): Promise<void> {
    await this.line({ jsonrpc: "2.0", method, params });
  }

  /** Opens a session and gives its id. */
  async open(params: object = {}): Promise<string> {
    return (await this.request("session/new", { cwd: "/work", ...params })).sessionId as string;
  }

  /** Prompts with one text. */
  prompt(sessionId: string, text: string): Promise<Frame> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The first frame, come or to come, that is wanted. */
  async frame(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (let at = 0;; at++) {
      while (at >= this.frames.length) await this.#arrived.promise;
      if (isWanted(this.frames[at]!)) return this.frames[at]!;
    }
  }

  /** The updates so far. */
  updates(): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame.method === "session/update")
      .map((frame) => (frame.params as { update: Record<string, unknown> }).update);
  }

  /** The text of the messages so far. */
  said(): string {
    const chunks = this.updates().filter((update) =>
      update.sessionUpdate === "agent_message_chunk"
    );
    return chunks.map((update) => (update.content as { text: string }).text).join("");
  }

  /** Aborts the signal that `serveAcp()` was given. */
  abort(): void {
    this.#stop.abort();
  }

  /** Ends the input and waits for the end of `serveAcp()`. */
  async end(): Promise<void> {
    await this.#writer.close().catch(() => {}); // it may have been cancelled
    await this.served;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #receive(bytes: Uint8Array): Promise<void> {
    const lines = (this.#partial + new TextDecoder().decode(bytes)).split("\n");
    this.#partial = lines.pop()!;
    for (const line of lines) {
      const frame: Frame = JSON.parse(line);
      if (this.#methods.get(frame.id) === "initialize" && "result" in frame) {
        this.#version = (frame.result as { protocolVersion: number }).protocolVersion;
      }
      checkFrame(frame, (id) => this.#methods.get(id), this.#version);
      const { update } = Object(frame.params);
      if (update?.sessionUpdate === "available_commands_update") {
        const names = update.availableCommands.map(({ name }: { name: string }) => name);
        this.commands.push({ names, behind: this.frames.length });
      } else this.frames.push(frame);
    }
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    return Promise.resolve();
  }
}

/** A sleep that ends only with its signal. */
export function never(_ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
