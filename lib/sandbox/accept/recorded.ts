import { maskArguments } from "../mask_arguments.ts";
import type { GrantRequest } from "./grant_request.ts";
import { valueDigest } from "./value_digest.ts";

/**
 * Requests as they are written down: a lock goes into repositories, and no file holds a secret of a command line, but
 * a digest to tell another one by.
 *
 * @param digest Of a command, and of whose it is.
 */
export function recorded(
  requests: readonly GrantRequest[],
  digest: (of: string, command: string) => Promise<string> = valueDigest,
): Promise<GrantRequest[]> {
  return Promise.all(requests.map(async (each) => {
    const command = maskArguments(each.command);
    if (command.every((word, place) => word === each.command[place])) return each;
    const masked = await digest(each.server, JSON.stringify(each.command));
    return { ...each, command, masked };
  }));
}
