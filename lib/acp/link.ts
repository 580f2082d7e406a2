import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Outbound } from "./outbound.ts";
import { messageOf } from "../errors.ts";
import { RPC_CODES, type RpcId, type RpcNotification, type RpcRequest } from "./rpc.ts";

/**
 * The two streams between our frame layer and the SDK. They stand in for the SDK's own, which close
 * the connection on a long line; and they know which requests have no reply yet, so that the end of
 * the input can wait for them: the SDK itself drops what runs when its stream ends.
 */
export class Link {
  /** What the SDK connects to. */
  readonly stream: Stream;
  readonly #outbound: Pick<Outbound, "send">;
  readonly #onDefect: (where: string, thrown: unknown) => void;
  readonly #afterReply = new Map<RpcId, () => void>();
  #input!: ReadableStreamDefaultController<AnyMessage>;
  #unanswered = 0;
  #idle: (() => void)[] = [];

  /**
   * @param onDefect Told of what is thrown where nothing should be. Nobody else would hear of it: the SDK takes
   * an error of this stream for its end, and answers nothing any more.
   */
  constructor(
    outbound: Pick<Outbound, "send">,
    onDefect: (where: string, thrown: unknown) => void,
  ) {
    this.#outbound = outbound;
    this.#onDefect = onDefect;
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
    if ("method" in message) {
      this.#guarded(`sending ${message.method}`, () => this.#outbound.send(message));
      return;
    }
    const { id } = message;
    this.#unanswered--;
    const action = this.#afterReply.get(id);
    this.#afterReply.delete(id);
    const problem = this.#guarded("sending a reply", () => this.#outbound.send(message));
    if (problem === undefined) {
      if (action !== undefined) this.#guarded("what follows a reply", action);
    } else {
      const error = { code: RPC_CODES.internalError, message: `cannot send the reply: ${problem}` };
      this.#outbound.send({ jsonrpc: "2.0", id, error });
    }
    if (this.#unanswered === 0) { for (const resolve of this.#idle.splice(0)) resolve(); }
  }

  /** Does something; gives the message of what it throws. */
  #guarded(where: string, act: () => void): string | undefined {
    try {
      act();
      return undefined;
    } catch (error) {
      this.#onDefect(where, error);
      return messageOf(error);
    }
  }
}
