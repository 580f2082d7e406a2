import { basename } from "@std/path";
import { flags } from "./flags.ts";
import type { Entry, Grant } from "./grant.ts";
import type { Os } from "./paths.ts";
import { relativeTo } from "./paths.ts";

/**
 * A grant's flags as a task of `deno.json` writes them, where only `$NAME` expands and an unquoted value
 * would be split at its spaces: `$INIT_CWD` for the workspace, `$SKEP_TMP` and `$SKEP_HOME` for the
 * private folders, bare names for programs. What holds a `$` stands in quotes.
 */
export function taskFlags(grant: Grant, { os }: { readonly os: Os }): string[] {
  const named = (entries: readonly Entry[]): Entry[] =>
    entries.map(({ value, origin }) => ({ value: taskPath(value, grant, os), origin }));
  const rendered = flags({
    ...grant,
    // No path is relative to this one: the task names the workspace by its variable.
    workspace: "\0",
    read: named(grant.read),
    write: named(grant.write),
    run: grant.run.map(({ value, origin }) => ({ value: basename(value), origin })),
  }, { os });
  return rendered.map((each) => each.includes("$") ? `"${each}"` : each);
}

function taskPath(path: string, { workspace, tmp, home }: Grant, os: Os): string {
  const names = [[tmp, "$SKEP_TMP"], [home, "$SKEP_HOME"], [workspace, "$INIT_CWD"]] as const;
  for (const [folder, name] of names) {
    const below = relativeTo(path, folder, os);
    if (below !== undefined) return below === "" ? name : `${name}/${below}`;
  }
  return path;
}
