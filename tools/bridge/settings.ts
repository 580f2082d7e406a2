import { fillMarks, headersOf, isPrivate, remoteAddress } from "../../lib/sandbox/remote.ts";

/** What a bridge is started with. */
export interface BridgeSettings {
  readonly address: URL;
  /** Undefined: streamable HTTP, and the older way for a server that does not know it. */
  readonly type: "http" | "sse" | undefined;
  /** Headers of every request, secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
  /** A login may be used: nothing can read it on the way, and no header of the owner's stands in its place. */
  readonly takesLogin: boolean;
}

/**
 * Reads the arguments and the environment of a bridge.
 *
 * @returns A line that says what is wrong, when they cannot be used.
 */
export function readSettings(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): BridgeSettings | string {
  const wrong = args.find((arg) => !/^--(http|sse)$/.test(arg));
  if (wrong !== undefined) return `there is no argument "${wrong}"`;
  const address = remoteAddress(env);
  if (address === undefined) return "BRIDGE_URL names no address of a server";
  const missing = new Set<string>();
  const valueOf = (name: string): string => {
    if (!env[name]) missing.add(name);
    return env[name] ?? "";
  };
  const headers = Object.fromEntries(
    Object.entries(headersOf(env)).map(([name, value]) => [name, fillMarks(value, valueOf)]),
  );
  if (missing.size > 0) return `its headers need ${[...missing].join(", ")}, which is not set`;
  return {
    address,
    type: (["http", "sse"] as const).find((each) => args.includes(`--${each}`)),
    headers,
    takesLogin: isPrivate(address) && headers["authorization"] === undefined,
  };
}
