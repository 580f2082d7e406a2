import { messageOf } from "../errors.ts";
import { frames } from "../host/frames.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import type { Agent } from "./agent.ts";
import { toRpcError } from "./error.ts";
import { type Incoming, readIncoming } from "./incoming.ts";
import { type AgentInfo, initialize, UNKNOWN_CLIENT } from "./initialize.ts";
import { type ByteWriter, Outbound } from "./outbound.ts";
import type { RpcRequest } from "./rpc.ts";
import type { SessionsOptions } from "./sessions.ts";

/** What it takes to serve one client. */
export interface AcpOptions extends SessionsOptions {
  /** What the client sends, a message a line. */
  readonly input: ReadableStream<Uint8Array>;
  /** Where the client reads; nothing else may write there. */
  readonly output: ByteWriter;
  /** Who answers. Every client waits for it before it shows anything. */
  readonly agentInfo: () => AgentInfo | Promise<AgentInfo>;
  readonly limits:
    & SessionsOptions["limits"]
    & Pick<Limits, "maxFrameBytes" | "maxOutboundFrameBytes" | "maxUnreadBytes" | "endAcpMs">;
  readonly world: Pick<Host, "sleep" | "warn">;
  /** Ends the connection as the end of the input does. */
  readonly signal: AbortSignal;
}

/**
 * Serves one ACP client: reads its requests until the input ends, the output breaks or `signal` is
 * aborted, then cancels what runs, closes the sessions, sends what is left to send, and resolves.
 * Whatever a client sends, it gets an answer and the connection lives on.
 *
 * `initialize` is answered here; the rest of the agent, and with it the SDK, is loaded only after
 * that: a client waits for this answer before it shows anything.
 *
 * @example
 * ```ts
 * import { DEFAULT_LIMITS } from "../limits.ts";
 * import { serveAcp } from "./serve_acp.ts";
 *
 * const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
 * let answer = "";
 * await serveAcp({
 *   input: new Blob([JSON.stringify(request), "\n"]).stream(),
 *   output: { write: (bytes) => Promise.resolve(answer += new TextDecoder().decode(bytes)) },
 *   open: () => Promise.reject(new Error("this example opens no session")),
 *   resolveModel: (id) => Promise.reject(new Error(`this example has no model ${id}`)),
 *   models: () => Promise.resolve([]),
 *   agentInfo: () => ({ name: "skep", title: "Guide", version: "0.1.0" }),
 *   limits: DEFAULT_LIMITS,
 *   world: { sleep: () => Promise.resolve(), warn: () => {} },
 *   signal: new AbortController().signal,
 * });
 * if (!answer.includes('"protocolVersion":1')) throw new Error(answer);
 * ```
 */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { limits, world } = options;
  const broken = new AbortController();
  const stop = AbortSignal.any([options.signal, broken.signal]);
  const outbound = new Outbound(options.output, limits, (error) => {
    world.warn(`The client is gone: ${messageOf(error)}`);
    broken.abort();
  });
  const front = new Front(options, outbound);
  try {
    for await (const incoming of readInput(options, stop)) {
      await front.take(incoming);
      await outbound.room(stop);
    }
  } finally {
    const ended = front.close().then(() => outbound.flushed());
    if (!await endsWithin(ended, limits.endAcpMs, world)) {
      world.warn(`The connection was left with work undone after ${limits.endAcpMs} ms`);
    }
    front.end();
  }
}

async function* readInput(
  { input, limits, world }: AcpOptions,
  stop: AbortSignal,
): AsyncGenerator<Incoming, void, void> {
  const bytes = input.pipeThrough(new TransformStream<Uint8Array>(), { signal: stop });
  try {
    for await (const frame of frames(bytes, limits.maxFrameBytes, true)) {
      const incoming = readIncoming(frame, limits.maxFrameBytes);
      const isCut = incoming.kind === "invalid" && frame.kind === "text" && frame.isUnfinished;
      if (isCut) world.warn("The client's last line was cut off: it is dropped");
      else yield incoming;
    }
  } catch (error) {
    if (!stop.aborted) world.warn(`Cannot read from the client: ${messageOf(error)}`);
  }
}

/** What stands before the agent: answers what needs no session, and loads the agent for the rest. */
class Front {
  readonly #options: AcpOptions;
  readonly #outbound: Outbound;
  #client = UNKNOWN_CLIENT;
  #loading: Promise<Agent> | undefined;
  #isClosed = false;

  constructor(options: AcpOptions, outbound: Outbound) {
    this.#options = options;
    this.#outbound = outbound;
  }

  async take(incoming: Incoming): Promise<void> {
    switch (incoming.kind) {
      case "request":
        if (incoming.message.method === "initialize") {
          return await this.#initialize(incoming.message);
        }
        return (await this.#load()).deliver(incoming.message);
      case "notification": // while the agent is not loaded there is no session that it could be about
        return (await this.#loading)?.deliver(incoming.message);
      case "response": // only the agent asks
        return (await this.#loading)?.settle(incoming.id, incoming.answered);
      case "invalid": {
        const { id, error } = incoming;
        this.#outbound.send({ jsonrpc: "2.0", id, error });
        return;
      }
      default:
        return incoming satisfies never;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const agent = await this.#loading?.catch(() => undefined); // whoever asked for it was told
    await agent?.close();
  }

  end(): void {
    this.#loading?.then((agent) => agent.end()).catch(() => {});
  }

  async #initialize({ id, params }: RpcRequest): Promise<void> {
    const { kept, logins } = this.#options;
    try {
      const { result, client } = initialize(params, {
        agentInfo: await this.#options.agentInfo(),
        keepsSessions: kept !== undefined,
        logins: logins?.methods ?? [],
      });
      this.#client = client;
      this.#outbound.send({ jsonrpc: "2.0", id, result });
    } catch (thrown) {
      this.#outbound.send({ jsonrpc: "2.0", id, error: toRpcError(thrown) });
    }
    this.#outbound.flushed().then(() => this.#prepare());
  }

  /** Loads the agent for the session that comes next. Should that fail, the request for it will say so. */
  #prepare(): void {
    if (!this.#isClosed) this.#load().catch(() => {});
  }

  #load(): Promise<Agent> {
    return this.#loading ??= import("./agent.ts").then(({ connectAgent }) =>
      connectAgent(this.#options, this.#outbound, () => this.#client)
    );
  }
}

async function endsWithin(
  ended: Promise<unknown>,
  ms: number,
  { sleep }: Pick<Host, "sleep">,
): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, timer.signal).then(() => false, () => true);
  const inTime = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return inTime;
}
