import { join } from "@std/path";
import { LOOKING_GIT } from "./looking_git.ts";
import type { World } from "./world.ts";

/**
 * The script that runs the system's ripgrep, or our own search where there is none. It may lie on PATH
 * itself, so it looks for the system's beyond its own folder. Ours is told whether something stands on
 * stdin, which it may not look at.
 *
 * @param own The words that run our own search.
 */
export function rgScript(own: readonly string[]): string {
  return `PATH=\${PATH#"\${0%/*}:"}
if found=$(type -P rg); then exec "$found" "$@"; fi
if [ -p /dev/fd/0 ] || [ -f /dev/fd/0 ]; then set -- --has-input "$@"; fi
exec ${own.map(quoted).join(" ")} "$@"
`;
}

/**
 * Lays the commands that the shell finds on its PATH: `rg` and `tree`, and where git only looks, `git`.
 *
 * @param scratch The server's own folder.
 */
export async function layCommands(
  scratch: string,
  own: {
    readonly rg: readonly string[];
    readonly tree: readonly string[];
    readonly isGitLooking: boolean;
  },
  world: Pick<World, "mkdir" | "writeTextFile">,
): Promise<void> {
  const bin = join(scratch, "bin");
  const scripts = {
    rg: rgScript(own.rg),
    tree: `exec ${own.tree.map(quoted).join(" ")} "$@"\n`,
    ...(own.isGitLooking ? { git: LOOKING_GIT } : {}),
  };
  await world.mkdir(bin, { recursive: true, mode: 0o700 });
  await Promise.all(
    Object.entries(scripts).map(([name, script]) =>
      world.writeTextFile(join(bin, name), `#!/usr/bin/env bash\n${script}`, { mode: 0o700 })
    ),
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
