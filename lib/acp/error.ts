import { type ErrorCode, messageOf, SkepError } from "../errors.ts";
import { RPC_CODES, type RpcError } from "./rpc.ts";

/** Codes that are not simply an agent that failed. */
const NUMBERS: { readonly [Code in ErrorCode]?: number } = {
  INVALID_PARAMS: RPC_CODES.invalidParams,
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
  const number = thrown instanceof SkepError
    ? NUMBERS[thrown.code as ErrorCode] ?? RPC_CODES.agentFailed
    : RPC_CODES.internalError;
  return { code: isBuzz ? number : inAcp(number, hasLogins), message: messageOf(thrown) };
}

function inAcp(number: number, hasLogins: boolean): number {
  if (number === RPC_CODES.authFailed && hasLogins) return RPC_CODES.authRequired;
  const isBuzz = number === RPC_CODES.agentFailed || number === RPC_CODES.authFailed;
  return isBuzz ? RPC_CODES.internalError : number;
}
