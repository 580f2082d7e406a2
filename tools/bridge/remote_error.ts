/** The server, or what stands before it, did not do what was asked. The message is a whole sentence. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";

  /** @param status The answer's status; undefined when there was none, or it was not at fault. */
  constructor(message: string, readonly status?: number, options?: ErrorOptions) {
    super(message, options);
  }
}
