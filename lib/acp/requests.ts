import { SkepError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Outbound } from "./outbound.ts";
import type { RpcId } from "./rpc.ts";

/** What a client answered. */
export type Answered =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** The requests that the agent sends to its client. */
export class Requests {
  readonly #outbound: Pick<Outbound, "send">;
  readonly #waiting = new Map<RpcId, (answered: Answered) => void>();
  #sent = 0;

  constructor(outbound: Pick<Outbound, "send">) {
    this.#outbound = outbound;
  }

  /**
   * Sends a request and waits for its answer, however long that takes.
   *
   * @throws {SkepError} `FRAME_TOO_LARGE` when it does not fit; `CANCELLED` as soon as the signal is aborted; an answer that comes then is ignored.
   */
  async send(method: string, params: unknown, signal: AbortSignal): Promise<Answered> {
    if (signal.aborted) throw cancelled();
    const id = `skep-${++this.#sent}`;
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const leave = () => reject(cancelled());
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", leave);
    try {
      if (!this.#outbound.send({ jsonrpc: "2.0", id, method, params })) {
        throw tooLarge(method, params);
      }
      return await promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(id);
    }
  }

  /** Takes an answer; one that nobody waits for is nothing. */
  settle(id: RpcId, answered: Answered): void {
    this.#waiting.get(id)?.(answered);
  }
}

function cancelled(): SkepError {
  return new SkepError("CANCELLED", "The request was cancelled", {});
}

function tooLarge(method: string, params: unknown): SkepError {
  const bytes = JSON.stringify(params).length;
  const limit = LIMITS.maxOutboundFrameBytes.value;
  const message = `Cannot send ${method} of ${bytes} bytes: the limit is ${limit}`;
  return new SkepError("FRAME_TOO_LARGE", message, { bytes, limit });
}
