/** What each error code carries, so that a caller branches on `code` and reads typed details. */
export interface ErrorDetails {
  /** The command line is wrong: an unknown command or flag, a missing or malformed value. */
  USAGE: { argument?: string };
  /** A setting or configuration file cannot be used. `source` names the file, variable or flag. */
  CONFIG_INVALID: { source: string };
  /** A persona or pack cannot be loaded. `path` is the file at fault. */
  PERSONA_INVALID: { path: string; line?: number };
  /** No persona of that name is shipped, and no pack lies at that path. */
  PERSONA_NOT_FOUND: { persona: string };
  /** One inbound frame is longer than its bound. */
  FRAME_TOO_LARGE: { bytes: number; limit: number };
  /** A permission entry is malformed or may never be granted. */
  GRANT_INVALID: { server: string; entry: string; value: string };
  /** The server asks for confinement that this machine cannot enforce. */
  GRANT_REFUSED: { server: string };
  /** Nobody has accepted what the servers of a pack ask for. `source` is the file that lists them. */
  GRANT_NOT_ACCEPTED: { source: string };
  /** A call was stopped by its server's grant. `through`: what the caller named, where that is a link to `value`. */
  ACCESS_DENIED: { server: string; access: string; value: string; through?: string };
  /** A prompt was refused by a server's hook. */
  PROMPT_DENIED: { server: string };
  /** A server's command cannot be started. */
  SERVER_SPAWN_FAILED: { server: string; command: string };
  /** A server started and then failed, timed out or broke the protocol. */
  SERVER_FAILED: { server: string; stage: "init" | "list" | "call" };
  /** No server of the session has that name. */
  SERVER_UNKNOWN: { server: string };
  /** There are more servers or tools than a session may have. */
  TOO_MANY: { what: "servers" | "tools"; limit: number };
  /** An npm package or version that a server names does not exist. */
  PACKAGE_NOT_FOUND: { server: string; package: string };
  /** An npm package that a server names cannot be fetched. */
  PACKAGE_FETCH_FAILED: { server: string; package: string };
  /** No tool of that name is listed. */
  TOOL_UNKNOWN: { tool: string };
  /** A call did not answer within its bound. */
  TOOL_TIMEOUT: { tool: string; afterMs: number };
  /** A tool answered with an error. */
  TOOL_FAILED: { tool: string };
  /** The model string names no known provider, or its options are wrong. */
  MODEL_UNKNOWN: { model: string };
  /** The chosen provider needs a variable that is not set. */
  MODEL_KEY_MISSING: { provider: string; variable: string };
  /**
   * The provider answered with a failure, broke its stream, or cannot be reached. `isTransient`: the
   * same request may well succeed later, after `retryAfterMs` when the provider says so. A wait past
   * the bound is told as well, and is not transient.
   */
  PROVIDER_FAILED: {
    provider: string;
    reason?: ProviderFailureReason;
    status?: number;
    isTransient?: boolean;
    retryAfterMs?: number;
  };
  /** The provider refused the credentials. */
  PROVIDER_AUTH_FAILED: { provider: string; status: number };
  /** The provider does not know the model. */
  PROVIDER_MODEL_NOT_FOUND: { provider: string; model: string };
  /** The request is longer than the model's context window. */
  CONTEXT_TOO_LONG: { provider: string };
  /** A JSON-RPC request for a method that is not there. */
  METHOD_UNKNOWN: { method: string };
  /** A JSON-RPC request whose parameters cannot be used. */
  INVALID_PARAMS: { method: string };
  /** No session has that id. */
  SESSION_UNKNOWN: { sessionId: string };
  /** A prompt is already running in the session. */
  SESSION_BUSY: { sessionId: string };
  /** Somebody else went on with a kept session, or it is there already. */
  SESSION_CONFLICT: { sessionId: string };
  /** A store of sessions cannot be read or written. `isNewer`: a newer skep made it. */
  STORE_FAILED: { place: string; isNewer?: boolean };
  /** No real `deno` program can be found for the children. */
  DENO_NOT_FOUND: Record<string, never>;
  /** The system does not take what is written to stdout: a full disk. */
  OUTPUT_FAILED: Record<string, never>;
  /** Work was given up because its signal was aborted. */
  CANCELLED: Record<string, never>;
  /** A defect in skep itself. */
  DEFECT: Record<string, never>;
}

/**
 * Why a provider failed, where that is known: a rate that was passed, a quota or credit that is used up,
 * too much load, a filter, a request that it refuses (or its images), no connection or one that broke,
 * silence, a reply that cannot be read.
 */
export type ProviderFailureReason =
  | "rate_limited"
  | "quota"
  | "overloaded"
  | "content_filter"
  | "bad_request"
  | "images_refused"
  | "transport"
  | "timeout"
  | "unreadable";

/** A code of {@linkcode ErrorDetails}. */
export type ErrorCode = keyof ErrorDetails;

/**
 * The one error class of skep. Callers branch on `code`, never on the message.
 *
 * @example
 * ```ts
 * import { isSkepError, SkepError } from "./errors.ts";
 *
 * const error = new SkepError("TOOL_UNKNOWN", `Cannot call "x": no such tool`, { tool: "x" });
 * if (isSkepError(error, "TOOL_UNKNOWN")) error.details.tool satisfies string;
 * ```
 */
export class SkepError<C extends ErrorCode = ErrorCode> extends Error {
  /** Always `SkepError`. */
  override readonly name = "SkepError";

  /**
   * An error of skep's.
   *
   * @param code What went wrong, for programs.
   * @param message What went wrong, for people: the thing, its value, and what was wanted.
   * @param details The facts behind the message, typed by the code.
   * @param options `cause` keeps the error that led here.
   */
  constructor(
    readonly code: C,
    message: string,
    readonly details: ErrorDetails[C],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Tells whether `error` is a {@linkcode SkepError} with that code. */
export function isSkepError<C extends ErrorCode>(error: unknown, code: C): error is SkepError<C> {
  return error instanceof SkepError && error.code === code;
}

/** The message of anything that was thrown: an error's message, else its text. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // Deno's advice is for who starts skep's own process: nobody here does.
  return message.replace(
    /^Requires \w+ access to (".*"), run again with the --allow-[\w-]+ flag$/s,
    "Deno opens $1 for nobody",
  );
}
