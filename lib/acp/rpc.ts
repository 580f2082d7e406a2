/** What a request is known by. JSON-RPC allows null, and a request that has it is answered with it. */
export type RpcId = string | number | null;

/** Why a request failed, as its sender reads it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** A message that wants a reply. */
export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: unknown;
}

/** A message that wants none. */
export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: unknown;
}

/** A reply: a result or an error. */
export type RpcResponse =
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly result: unknown }
  | { readonly jsonrpc: "2.0"; readonly id: RpcId; readonly error: RpcError };

/** Anything that goes over the wire, one a line. */
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/**
 * The numbers of failures: JSON-RPC's own, then those that clients of buzz-agent know.
 *
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  cancelled: -32800,
  /** In ACP v1: a person must log in. */
  authRequired: -32000,
  /** In ACP v1: a session or a file that is not there. */
  resourceNotFound: -32002,
  /** In buzz-agent: whatever else goes wrong. */
  agentFailed: -32000,
  authFailed: -32001,
  /** In buzz-agent: the provider does not know the model. */
  modelNotFound: -32002,
} as const;
