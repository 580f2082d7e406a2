type Json = Readonly<Record<string, unknown>>;

/** A host that names this experimental capability lends its person's editor. */
export const EDITOR_CAPABILITY = "skep/editor";

/** What a host says of a file: text that its editor has and the disk has not, nothing, or what went wrong. */
export interface HostAnswer {
  readonly text?: string;
  /** The rest of a sentence about the editor. */
  readonly problem?: string;
}

/** The editor of the person, as far as the host lends it. These are the only requests of this server to its host. */
export class HostEditor {
  readonly #send: (message: Json) => void;
  readonly #waiting = new Map<string, (answer: HostAnswer) => void>();
  #asked = 0;

  /** @param send Sends one message to the host. */
  constructor(send: (message: Json) => void) {
    this.#send = send;
  }

  /** The text of a file that is not saved. @param path Canonical. @throws the signal's reason. */
  read(path: string, signal: AbortSignal): Promise<HostAnswer> {
    return this.#ask("skep/unsaved", { path }, signal);
  }

  /** Replaces such a text, `before`, by another one. @throws the signal's reason. */
  write(path: string, before: string, text: string, signal: AbortSignal): Promise<HostAnswer> {
    return this.#ask("skep/editor_write", { path, before, text }, signal);
  }

  /** Takes a message that answers one of the requests. @returns false for any other. */
  settle({ id, method, result, error }: Json): boolean {
    const settle = method === undefined && typeof id === "string" && this.#waiting.get(id);
    if (!settle) return false;
    settle(answerIn(result, error));
    return true;
  }

  async #ask(method: string, params: Json, signal: AbortSignal): Promise<HostAnswer> {
    signal.throwIfAborted();
    const id = `editor-${++this.#asked}`;
    const { promise, resolve, reject } = Promise.withResolvers<HostAnswer>();
    const leave = () => {
      this.#send({ method: "notifications/cancelled", params: { requestId: id } });
      reject(signal.reason);
    };
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", leave);
    try {
      this.#send({ id, method, params });
      return await promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(id);
    }
  }
}

function answerIn(result: unknown, error: unknown): HostAnswer {
  const { text, problem } = Object(result);
  if (error !== undefined || result === undefined) return { problem: "cannot be asked" };
  return {
    ...(typeof text === "string" ? { text } : {}),
    ...(typeof problem === "string" ? { problem } : {}),
  };
}
