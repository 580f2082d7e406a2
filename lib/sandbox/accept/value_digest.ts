/**
 * A digest of something that is not recorded itself, since it may be a secret: enough to notice another value, too
 * short to confirm a guess of one.
 *
 * @param of What the value is, such as its server's and its own name: the same value elsewhere has another digest.
 * @returns 8 hex digits of a SHA-256.
 *
 * @example
 * ```ts
 * import { valueDigest } from "./value_digest.ts";
 *
 * const [a, b] = await Promise.all(["s A", "s B"].map((of) => valueDigest(of, "x")));
 * if (a === b) throw new Error("they tell that two values are one");
 * ```
 */
export async function valueDigest(of: string, value: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([of, value]));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 8);
}
