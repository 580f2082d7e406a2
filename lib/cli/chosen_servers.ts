import { SkepError } from "../errors.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import { nearest } from "../suggest.ts";

/**
 * The servers of that name, or all.
 *
 * @throws {SkepError} `USAGE` when there is none of that name, with those that there are.
 */
export function chosenServers(
  servers: readonly ServerSpec[],
  name: string | undefined,
): readonly ServerSpec[] {
  if (name === undefined) return servers;
  const found = servers.filter((server) => server.name === name);
  if (found.length > 0) return found;
  const names = servers.map((server) => server.name);
  const near = nearest(name, names);
  const hint = near !== undefined
    ? `did you mean ${near}?`
    : names.length === 0
    ? "there is none"
    : `there are ${names.join(", ")}`;
  throw new SkepError("USAGE", `There is no server "${name}": ${hint}`, { argument: name });
}
