import { join } from "@std/path";
import { pathToFileURL } from "node:url";
import type { SpawnCommand } from "../../host/process.ts";
import type { Launch } from "../launch.ts";
import type { ProbePlace } from "./probe_result.ts";

/** One start of the probe. */
export interface Entry {
  readonly name: string;
  readonly from: ProbePlace;
  /** The file of the probe that is started in the server's place. */
  readonly file: string;
  /** True when it makes one attempt by being started at all, named as the entry is. */
  readonly isAttempt: boolean;
}

/** What the probe starts with, in order. A static import is tried by a program of its own: it cannot be caught. */
export const ENTRIES: readonly Entry[] = [
  ...(["js", "bash", "deno", "python"] as const)
    .map((from) => ({ name: from, from, file: "probe.js", isAttempt: false })),
  ...(["json", "text"] as const).map((type) => ({
    name: `static-import-${type}`,
    from: "js" as const,
    file: `static_${type}.js`,
    isAttempt: true,
  })),
];

/** The first one on PATH may be a shim that leads nowhere inside: what does not run is no broken grant. */
const PYTHON = [
  'for each in python3 /usr/bin/python3; do "$each" -c "" && exec "$each" "$0" "$@"; done',
  `printf '%s\\n' '{"probe":"python","expected":"denied","outcome":"skipped","detail":"no Python runs inside"}'`,
].join("\n");

/** The one start that uses what the grant names: the server itself, or what stands for a native one. */
export function usesGrant({ from, isAttempt }: Entry, kind: Launch["kind"]): boolean {
  return !isAttempt && from === (kind === "native" ? "bash" : "js");
}

/** The folder of the probe's files, in the server's private one. */
export function probeFolder({ grant }: Pick<Launch, "grant">): string {
  return join(grant.tmp, "probe");
}

/** A native server has no JavaScript of its own, and no Deno beside it. */
export function isPossible({ from }: Pick<Entry, "from">, { kind }: Pick<Launch, "kind">): boolean {
  return kind !== "native" || from === "bash" || from === "python";
}

/** The command that starts the probe as the server would be started. */
export function standIn({ from, file }: Entry, launch: Launch): SpawnCommand {
  const { command, kind } = launch;
  const folder = probeFolder(launch);
  if (kind === "native") {
    const args = from === "python"
      ? ["-c", PYTHON, join(folder, "probe.py"), folder]
      : ["-c", 'exec bash "$0" "$@"', join(folder, "probe.sh"), folder];
    return { ...command, program: "/bin/sh", args };
  }
  // `run`, then Deno's flags, then the server's own program and its arguments.
  const place = command.args.findIndex((arg, index) => index > 0 && !arg.startsWith("-"));
  const main = join(folder, file);
  const entry = kind === "script" ? retarget(command.args[place] ?? "", main) : main;
  return { ...command, args: [...command.args.slice(0, place), entry, from, folder] };
}

/** A script starts through an entry of ours, which imports it. */
function retarget(entry: string, main: string): string {
  const url = new URL(entry);
  url.searchParams.set("target", pathToFileURL(main).href);
  return url.href;
}
