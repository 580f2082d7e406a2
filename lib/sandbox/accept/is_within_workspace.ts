import type { GrantRequest } from "./grant_request.ts";

/**
 * True when a server asks for no more than any server gets unasked: the workspace and its private folders,
 * nothing of the network, no programs, no secrets. What it sets of the environment is its own.
 */
export function isWithinWorkspace(
  { read, write, net, run, sys, secrets, sandbox, limits }: GrantRequest,
): boolean {
  const isOwn = (path: string) =>
    /^\$\{(WORKSPACE|TMP|HOME|PACK)\}($|[\\/])/.test(path) && !/(^|[\\/])\.\.([\\/]|$)/.test(path);
  return [...read, ...write].every(isOwn) && sandbox === "require" &&
    net.length + run.length + sys.length + secrets.length + Object.keys(limits).length === 0;
}
