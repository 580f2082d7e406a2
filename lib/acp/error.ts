import { type ErrorCode, messageOf, SkepError } from "../errors.ts";
import { RPC_CODES, type RpcError } from "./rpc.ts";

/** Codes that are not simply an agent that failed. */
const NUMBERS: { readonly [Code in ErrorCode]?: number } = {
  INVALID_PARAMS: RPC_CODES.invalidParams,
  USAGE: RPC_CODES.invalidParams, // of a session: a folder that no server can have
  METHOD_UNKNOWN: RPC_CODES.methodNotFound,
  SESSION_UNKNOWN: RPC_CODES.invalidParams,
  SESSION_CONFLICT: RPC_CODES.invalidParams,
  SESSION_BUSY: RPC_CODES.invalidParams,
  SERVER_UNKNOWN: RPC_CODES.invalidParams,
  TOO_MANY: RPC_CODES.invalidParams,
  MODEL_UNKNOWN: RPC_CODES.invalidParams,
  MODEL_KEY_MISSING: RPC_CODES.authFailed,
  PROVIDER_AUTH_FAILED: RPC_CODES.authFailed,
  PROVIDER_MODEL_NOT_FOUND: RPC_CODES.modelNotFound,
  CANCELLED: RPC_CODES.cancelled,
  DEFECT: RPC_CODES.internalError,
};

/**
 * Codes for which ACP v1 has another number. Buzz-agent's -32002 is a model that its provider does not
 * know; ACP's is a session that is gone, upon which clients begin a new one.
 */
const V1_NUMBERS: { readonly [Code in ErrorCode]?: number } = {
  SESSION_UNKNOWN: RPC_CODES.resourceNotFound,
  PROVIDER_MODEL_NOT_FOUND: RPC_CODES.internalError,
};

/**
 * What a client is told of an error: the one map from codes to JSON-RPC numbers. An error that is no
 * `SkepError` is a defect.
 *
 * A client that agreed on version 2 gets buzz-agent's numbers. In ACP v1 one of them, -32000, means that
 * a person must log in, and editors show a page for that: it is given where logging in is what helps.
 */
export function toRpcError(
  thrown: unknown,
  { isBuzz, hasLogins }: { readonly isBuzz: boolean; readonly hasLogins: boolean } = {
    isBuzz: true,
    hasLogins: false,
  },
): RpcError {
  return {
    code: isBuzz ? numberOf(thrown) : inAcp(thrown, hasLogins),
    message: messageOf(thrown),
  };
}

function numberOf(thrown: unknown): number {
  if (!(thrown instanceof SkepError)) return RPC_CODES.internalError;
  return NUMBERS[thrown.code as ErrorCode] ?? RPC_CODES.agentFailed;
}

function inAcp(thrown: unknown, hasLogins: boolean): number {
  const own = thrown instanceof SkepError ? V1_NUMBERS[thrown.code as ErrorCode] : undefined;
  if (own !== undefined) return own;
  const number = numberOf(thrown);
  if (number === RPC_CODES.authFailed && hasLogins) return RPC_CODES.authRequired;
  const isBuzz = number === RPC_CODES.agentFailed || number === RPC_CODES.authFailed;
  return isBuzz ? RPC_CODES.internalError : number;
}
