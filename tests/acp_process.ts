// `skep acp` as a child, and a client that speaks JSON-RPC to it a line at a time.
import { checkFrame } from "./acp_schema.ts";
import { type ChildOptions, type Running, startSkep } from "./harness.ts";

/** A message as it stands on the wire. */
// deno-lint-ignore no-explicit-any -- a test looks at whatever came
export type WireMessage = Record<string, any>;

/**
 * A client over the stdio of a running agent. Every line that the agent writes must be a message (T23),
 * and every message ACP's, by the schema of the SDK.
 */
export class AcpProcess {
  #nextId = 1;
  #version = 1;
  readonly #methods = new Map<unknown, string>();
  readonly #read: WireMessage[] = [];
  /** Where in the agent's output the first line begins that was not read. */
  #at = 0;

  /** @param running Disposed of by whoever started it. */
  constructor(readonly running: Running) {}

  /** Every message so far, in order. */
  messages(): WireMessage[] {
    const { stdout } = this.running;
    for (let end; (end = stdout.indexOf("\n", this.#at)) !== -1; this.#at = end + 1) {
      this.#read.push(this.#checked(stdout.slice(this.#at, end)));
    }
    return [...this.#read];
  }

  /** Sends a request and waits for its result, or its error. */
  async request(method: string, params: unknown = {}): Promise<WireMessage> {
    return await this.answer(await this.send(method, params));
  }

  /** Sends a request; gives its id. */
  async send(method: string, params: unknown): Promise<number> {
    const id = this.#nextId++;
    this.#methods.set(id, method);
    await this.running.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return id;
  }

  /** Waits for the answer to a request. */
  async answer(id: number): Promise<WireMessage> {
    await this.running.until(() => this.messages().some((message) => message.id === id));
    const { result, error } = this.messages().find((message) => message.id === id)!;
    return result ?? { error };
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.running.write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  /** Opens a session; gives its id. */
  async open(cwd: string, params: Readonly<Record<string, unknown>> = {}): Promise<string> {
    await this.request("initialize", { protocolVersion: 1 });
    const answer = await this.request("session/new", { cwd, mcpServers: [], ...params });
    if (answer.sessionId === undefined) throw new Error(`No session: ${JSON.stringify(answer)}`);
    return answer.sessionId;
  }

  /** Sends a prompt of one text; gives the request's id. */
  async prompt(sessionId: string, text: string): Promise<number> {
    return await this.send("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Prompts, and waits for the turn's end. */
  async turn(sessionId: string, text: string): Promise<WireMessage> {
    return await this.answer(await this.prompt(sessionId, text));
  }

  /** The updates so far. */
  updates(): WireMessage[] {
    return this.messages().filter(({ method }) => method === "session/update")
      .map(({ params }) => params.update);
  }

  /** The last update of that kind so far. */
  lastUpdate(kind: string): WireMessage | undefined {
    return this.updates().findLast(({ sessionUpdate }) => sessionUpdate === kind);
  }

  /** Answers a request of the agent's. */
  async reply(id: unknown, result: unknown): Promise<void> {
    await this.running.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }

  /** The text of the answers so far. */
  said(): string {
    return this.updates().filter((update) => update.sessionUpdate === "agent_message_chunk")
      .map((update) => update.content.text).join("");
  }

  #checked(line: string): WireMessage {
    const message: WireMessage = JSON.parse(line);
    if (this.#methods.get(message.id) === "initialize" && message.result !== undefined) {
      this.#version = message.result.protocolVersion;
    }
    checkFrame(message, (id) => this.#methods.get(id), this.#version);
    return message;
  }
}

/** Starts `skep acp`. `await using` of its `running` ends it. */
export async function startAcp(
  args: readonly string[] = [],
  options: ChildOptions = {},
): Promise<AcpProcess> {
  return new AcpProcess(await startSkep(["acp", ...args], options));
}
