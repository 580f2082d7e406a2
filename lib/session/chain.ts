import { createHash } from "node:crypto";

/**
 * The check of a record and of all before it: what two sessions have in common ends where their chains
 * differ, and a record that was changed on the disk does not fit its own.
 *
 * @param before The check of the record before it; empty for the first.
 * @returns 32 hex digits, half of a SHA-256.
 */
export function nextChain(before: string, body: string): string {
  return createHash("sha256").update(`${before}\n${body}`).digest("hex").slice(0, 32);
}
