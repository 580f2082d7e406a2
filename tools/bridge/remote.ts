import type { Json } from "./rpc.ts";

/** The far end of a bridge: one server, spoken to over HTTP. What it says goes to the host as it comes. */
export interface Remote {
  /**
   * Sends a message of the host's. For a request it resolves when its answer was handed on.
   *
   * @throws {RemoteError} when it was not taken, or its answer will not come.
   */
  deliver(message: Json, signal: AbortSignal): Promise<void>;
  /** Resolves with the reason when nothing can be sent any more; never for one that makes a new session. */
  readonly ended: Promise<string>;
  /** Stops reading, and tells the server that the session is over. */
  close(): Promise<void>;
}

/** Hands a message of the server's to the host. */
export type Emit = (message: Json) => void;
