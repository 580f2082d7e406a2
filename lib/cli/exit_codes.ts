import type { ErrorCode } from "../errors.ts";

/** What each exit code says, for help and the README. */
export const EXIT_MEANINGS: Readonly<Record<string, string>> = {
  "0": "done",
  "1": "usage or configuration",
  "2": "a peer or the network, or output that nobody takes: a full disk",
  "3": "denied by a grant, an approval, a hook or what this machine cannot enforce",
  "4": "a defect in skep",
  "128 + n": "ended by signal n: 129 HUP, 130 INT, 141 when nobody reads the output, 143 TERM",
};

/** What the exit code of a failed command says. Codes that are not here are defects of skep: 4. */
const EXIT_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  USAGE: 1,
  CONFIG_INVALID: 1,
  PERSONA_INVALID: 1,
  PERSONA_NOT_FOUND: 1,
  GRANT_INVALID: 1,
  TOOL_UNKNOWN: 1,
  SERVER_UNKNOWN: 1,
  TOO_MANY: 1,
  MODEL_UNKNOWN: 1,
  MODEL_KEY_MISSING: 1,
  DENO_NOT_FOUND: 1,
  SESSION_UNKNOWN: 1,
  INVALID_PARAMS: 1,
  SERVER_SPAWN_FAILED: 2,
  SERVER_FAILED: 2,
  PACKAGE_NOT_FOUND: 2,
  PACKAGE_FETCH_FAILED: 2,
  TOOL_TIMEOUT: 2,
  TOOL_FAILED: 2,
  PROVIDER_FAILED: 2,
  PROVIDER_AUTH_FAILED: 2,
  PROVIDER_MODEL_NOT_FOUND: 2,
  CONTEXT_TOO_LONG: 2,
  FRAME_TOO_LARGE: 2,
  OUTPUT_FAILED: 2,
  STORE_FAILED: 2,
  SESSION_CONFLICT: 2,
  GRANT_REFUSED: 3,
  GRANT_NOT_ACCEPTED: 3,
  ACCESS_DENIED: 3,
  PROMPT_DENIED: 3,
};

/** The exit code for a failure: the one map from error codes to exit codes. */
export function exitCodeOf(code: ErrorCode): number {
  return EXIT_CODES[code] ?? 4;
}
