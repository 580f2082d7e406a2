import { denoDir, findDeno } from "../../host/deno_binary.ts";
import type { Limits } from "../../limits.ts";
import type { LaunchContext } from "../context.ts";
import { type Launch, prepareLaunch } from "../launch.ts";
import type { ServerSpec } from "../spec.ts";
import { type Bait, layBait } from "./bait.ts";
import { isDeclaredOpen } from "./declared_open.ts";
import { ENTRIES, type Entry, isPossible, standIn, usesGrant } from "./entry.ts";
import {
  type GrantedEntries,
  grantedEntries,
  makeGrantedFolders,
  NO_ENTRIES,
} from "./granted_entries.ts";
import { writeProbe } from "./probe_files.ts";
import type { ProbeResult } from "./probe_result.ts";
import { runEntry } from "./run_entry.ts";

/** What probing takes: all that a launch does, and a bound on one place. */
export type ProbeContext = LaunchContext & {
  readonly limits: Pick<Limits, "probeTimeoutS">;
};

/** What a caller may add. */
export interface ProbeOptions {
  /** A home folder of a test's own, in which credentials are laid. */
  readonly testHome?: string;
  /** Text that no server may see, beside what the probe brings. */
  readonly canaries?: readonly string[];
  /** Called with each result as it comes. */
  readonly onResult?: (result: ProbeResult) => void;
}

/**
 * Tries to break a server's grant: starts a probe in the server's place, under its very grant and
 * backend, in a workspace of its own that is laid out as a hostile repository. Tried from the server's
 * JavaScript, from bash, from a Deno with all permissions and from Python; what was tried is then
 * looked at from outside. Nothing of the person's is changed where an attempt gets through.
 *
 * @param specIn The server, for the workspace that the probe makes.
 * @returns Each attempt, and beside what must be denied what the grant allows.
 * @throws {SkepError} what {@linkcode prepareLaunch} throws, and `DEFECT` when the probe itself fails.
 */
export async function runProbes(
  specIn: (workspace: string) => ServerSpec,
  context: ProbeContext,
  options: ProbeOptions = {},
): Promise<ProbeResult[]> {
  const { host } = context;
  const places = { deno: await findDeno(host), denoDir: denoDir(host) };
  const results: ProbeResult[] = [];
  const add = (result: ProbeResult) => {
    results.push(result);
    options.onResult?.(result);
  };
  await using bait = await layBait(options.testHome, context, places);
  const { workspace } = bait.laid;
  const [within, spec] = [{ ...context, workspace }, specIn(workspace)];
  const launch = await prepareLaunch(spec, within);
  try {
    await makeGrantedFolders(launch, context.workspace, host);
  } finally {
    await launch.release();
  }
  for (const entry of ENTRIES) await probeFrom(entry, spec, within, bait, options, add);
  return results;
}

async function probeFrom(
  entry: Entry,
  spec: ServerSpec,
  context: ProbeContext,
  bait: Bait,
  options: ProbeOptions,
  told: (result: ProbeResult) => void,
): Promise<void> {
  const launch = await prepareLaunch(spec, context, (own) => standIn(entry, own));
  const add = (result: ProbeResult) =>
    told(isDeclaredOpen(result.probe, launch) ? { ...result, expected: "open" } : result);
  try {
    const at = { from: entry.from, backend: launch.confined?.backend ?? "flags" } as const;
    if (!isPossible(entry, launch)) {
      const detail = "the server does not run in Deno";
      add({ probe: entry.name, ...at, expected: "denied", outcome: "skipped", detail });
      return;
    }
    const { used, untried } = usesGrant(entry, launch.kind)
      ? await grantedEntries(launch, context.host)
      : { used: { ...NO_ENTRIES, ...programsFor(entry, launch) }, untried: [] };
    for (const result of untried) add({ ...at, ...result });
    await writeProbe(launch, { ...bait.laid, ...used }, options.canaries ?? [], context);
    for await (const result of runEntry(entry, launch, context)) add({ ...at, ...result });
    for (const [probe, found] of Object.entries(await bait.check())) {
      const outcome = found.length === 0 ? "denied" : "allowed";
      add({ probe, ...at, expected: "denied", outcome, detail: found.join("; ") });
    }
  } finally {
    await launch.release();
  }
}

/** Deno tells whether a program may be started; bash, whether it is there to be. */
function programsFor({ from }: Entry, { grant }: Launch): Pick<GrantedEntries, "grantedRun"> {
  return { grantedRun: from === "bash" ? grant.run.map(({ value }) => value) : [] };
}
