import { SkepError } from "../errors.ts";
import { unsafeReason } from "./entries.ts";
import type { Entry, Grant } from "./grant.ts";
import { netFlagValues, parseNetEntry } from "./net.ts";
import { isWithin, type Os, relativeTo } from "./paths.ts";

/**
 * A grant as flags of `deno run`: the one place that builds them. The workspace is `.`, since the
 * child's working directory is set to it, so that no name of a folder can be read as more than one
 * entry. An empty list makes no flag, and then Deno grants nothing of that kind.
 *
 * @param hidesRefusedFiles Refused files read as missing: packages of npm look around and take a refusal ill.
 * @throws {SkepError} `DEFECT` for a value that a list in a flag cannot carry; a computed grant has none.
 */
export function flags(
  grant: Grant,
  { os, hidesRefusedFiles = false }: { readonly os: Os; readonly hidesRefusedFiles?: boolean },
): string[] {
  const paths = (entries: readonly Entry[]) =>
    withSockets(entries, grant.net, os).map((path) => flagPath(path, grant.workspace, os));
  const values = (entries: readonly Entry[]) => entries.map(({ value }) => value);
  const net = grant.net.flatMap(({ value }) =>
    netFlagValues(parseNetEntry(value, { server: grant.server, entry: "net" }, os))
  );
  return [
    ...flag("--allow-read", paths(grant.read)),
    ...flag("--allow-write", paths(grant.write)),
    ...flag("--allow-net", net),
    ...flag("--allow-run", values(grant.run)),
    ...flag("--allow-sys", values(grant.sys)),
    ...flag("--allow-env", values(grant.env)),
    // A variable outside the grant reads as not set, where it would throw.
    "--ignore-env",
    ...(hidesRefusedFiles ? ["--ignore-read"] : []),
  ];
}

/** A path as a flag names it: `.` for the workspace, `./sub` for what lies in it, else absolute. */
export function flagPath(path: string, workspace: string, os: Os): string {
  const below = relativeTo(path, workspace, os);
  if (below === undefined) return path;
  return below === "" ? "." : `./${below}`;
}

/** Deno wants read and write of a unix socket's path besides the network. */
function withSockets(entries: readonly Entry[], net: readonly Entry[], os: Os): string[] {
  const paths = entries.map(({ value }) => value);
  const sockets = net.filter(({ value }) => value.startsWith("unix:"))
    .map(({ value }) => value.slice("unix:".length))
    .filter((socket) => !paths.some((folder) => isWithin(socket, folder, os)));
  return [...paths, ...sockets];
}

function flag(name: string, values: readonly string[]): string[] {
  for (const value of values) {
    const reason = unsafeReason(value);
    if (reason === undefined) continue;
    throw new SkepError("DEFECT", `Cannot pass ${JSON.stringify(value)} in ${name}: ${reason}`, {});
  }
  return values.length === 0 ? [] : [`${name}=${values.join(",")}`];
}
