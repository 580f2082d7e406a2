import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Outbound } from "./outbound.ts";
import type { RpcId, RpcNotification, RpcRequest } from "./rpc.ts";

/**
 * The two streams between our frame layer and the SDK. They stand in for the SDK's own, which close
 * the connection on a long line; and they know which requests have no reply yet, so that the end of
 * the input can wait for them: the SDK itself drops what runs when its stream ends.
 */
export class Link {
  /** What the SDK connects to. */
  readonly stream: Stream;
  readonly #outbound: Outbound;
  readonly #afterReply = new Map<RpcId, () => void>();
  #input!: ReadableStreamDefaultController<AnyMessage>;
  #unanswered = 0;
  #idle: (() => void)[] = [];

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
    this.stream = {
      readable: new ReadableStream({ start: (controller) => void (this.#input = controller) }),
      writable: new WritableStream({ write: (message) => this.#send(message) }),
    };
  }

  /** Hands a message of the client's to the SDK. */
  deliver(message: RpcRequest | RpcNotification): void {
    if ("id" in message) this.#unanswered++;
    this.#input.enqueue(message);
  }

  /** Does `action` right after the reply to a request has been sent. */
  afterReply(id: RpcId, action: () => void): void {
    this.#afterReply.set(id, action);
  }

  /** Resolves when every request has its reply. */
  async answered(): Promise<void> {
    if (this.#unanswered === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    await promise;
  }

  /** Ends the SDK's input, upon which it closes. */
  end(): void {
    this.#input.close();
  }

  #send(message: AnyMessage): void {
    this.#outbound.send(message);
    if ("method" in message) return;
    this.#unanswered--;
    const action = this.#afterReply.get(message.id);
    this.#afterReply.delete(message.id);
    action?.();
    if (this.#unanswered === 0) { for (const resolve of this.#idle.splice(0)) resolve(); }
  }
}
