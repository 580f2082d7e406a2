import type { BackendName } from "./backend.ts";
import { leaks } from "./enforcement.ts";
import type { Grant } from "./grant.ts";
import type { Launch } from "./launch.ts";
import { steeringVariables } from "./steering.ts";

/**
 * What a person must be told before a server starts, a line each: what its grant does not hold, its
 * dangers, variables that steer what it starts, and what was cut from it. Cuts of one list that share their reason are told together.
 */
export function launchNotices(
  kind: Launch["kind"],
  grant: Grant,
  backend: BackendName | undefined,
  dangers: readonly string[],
): string[] {
  const name = `Server "${grant.server}"`;
  const isHeld = backend === "bwrap" || backend === "unshare"; // what is open then, the audit shows
  const isBare = kind === "native" && backend === undefined; // a danger says so
  const open = isHeld || isBare ? [] : leaks(kind, grant, backend);
  const held = backend === undefined
    ? "runs under Deno's flags alone"
    : `is confined by ${backend} alone`;
  return [
    ...(open.length === 0 ? [] : [`${name} ${held}: ${open.join("; ")}`]),
    ...dangers.map((danger) => `${name} ${danger}`),
    ...steeringVariables(grant).map((text) => `${name} ${text}`),
    ...cutLines(name, grant),
  ];
}

function cutLines(name: string, { cut }: Grant): string[] {
  const byReason = Map.groupBy(cut, ({ list, reason }) => `${list}\0${reason}`);
  return [...byReason.values()].map((same) => {
    const values = same.map(({ value }) => value).join(", ");
    const [{ list = "", reason = "" } = {}] = same;
    return `${name} is not granted ${list} ${values}: ${reason}`;
  });
}
