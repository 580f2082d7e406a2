import { join } from "@std/path";
import type { SpawnCommand } from "../../host/process.ts";
import type { Launch } from "../launch.ts";

/** What only a server with every permission may look at. */
export const SYSTEM: readonly string[] = ["/proc", "/sys", "/dev"];

/** Where a server's accesses are recorded: in the workspace, which outlives it, and is thrown away. */
export function recordOf({ grant }: Pick<Launch, "grant">): string {
  return join(grant.workspace, ".skep-accesses.jsonl");
}

/**
 * A server's command with Deno's flags open for files, variables and system information, so that it
 * goes on and its accesses are recorded. Its confinement holds it; the network and programs stay as granted.
 */
export function permissive(launch: Launch): SpawnCommand {
  const { command } = launch;
  const [run = "run", ...rest] = command.args;
  const isOpened = (arg: string) =>
    /^--(allow-(read|write|env|sys)|ignore-(env|read))(=|$)/.test(arg);
  // The first word that is no flag is the server's own program: what follows is its own.
  const own = rest.findIndex((arg) => !arg.startsWith("-"));
  const flags = rest.slice(0, own).filter((arg) => !isOpened(arg));
  // Scoped, since Deno records a read as a write, too, where all is allowed.
  const open = ["--allow-read=/", "--allow-write=/", "--allow-env", "--allow-sys"];
  // What no grant has, Deno refuses with a failure here, too: to a package it then is not there.
  if (rest.slice(0, own).includes("--ignore-read")) open.push(`--ignore-read=${SYSTEM.join(",")}`);
  return {
    ...command,
    args: [run, ...flags, ...open, ...rest.slice(own)],
    env: { ...command.env, DENO_AUDIT_PERMISSIONS: recordOf(launch) },
  };
}
