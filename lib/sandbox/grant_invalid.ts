import { SkepError } from "../errors.ts";

/** Where an entry stands: what asks for it and in which list, or in the operator's policy under which key. */
export interface GrantPlace {
  readonly server: string;
  readonly entry: string;
  /** The policy file that holds the entry; absent: the server asks for it. */
  readonly policy?: string;
}

/**
 * The error for an entry that cannot be used, which names it, its value and `why`: a `GRANT_INVALID` of
 * the server that asks, a `CONFIG_INVALID` of the policy.
 */
export function grantInvalid(at: GrantPlace, value: string, why: string): SkepError {
  const { server, entry, policy } = at;
  const written = JSON.stringify(value);
  if (policy !== undefined) {
    const message = `Cannot use the policy ${policy}: ${entry} ${written}: ${why}`;
    return new SkepError("CONFIG_INVALID", message, { source: policy });
  }
  const message = `Cannot grant ${entry} ${written} to server "${server}": ${why}`;
  return new SkepError("GRANT_INVALID", message, { server, entry, value });
}
