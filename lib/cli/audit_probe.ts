import type { Host } from "../host/host.ts";
import { inWorkspace } from "../persona/interpolate.ts";
import type { LaunchContext } from "../sandbox/context.ts";
import { keyValues } from "../sandbox/keys.ts";
import { isSurprise, type ProbeResult } from "../sandbox/probe/probe_result.ts";
import { runProbes } from "../sandbox/probe/run_probes.ts";
import { printable } from "../sandbox/render_audit.ts";
import type { ServerSpec } from "../sandbox/spec.ts";
import type { Run } from "./prepare_run.ts";

/**
 * Tries to break one server's grant, from everywhere that its code can reach.
 *
 * @param onResult Called with each attempt as it comes.
 */
export async function probeServer(
  spec: ServerSpec,
  run: Run,
  host: Host,
  signal: AbortSignal,
  isAccepted: NonNullable<LaunchContext["isAccepted"]>,
  onResult: (result: ProbeResult) => void,
): Promise<ProbeResult[]> {
  const context = await run.context(run.settings.cwd, signal);
  // What the probe tries to reach is refused: that is its result, and no news.
  const quiet = { ...context, isAccepted, onRefused: () => {} };
  return await runProbes(
    (workspace) => inWorkspace(spec, workspace),
    quiet,
    { canaries: keyValues(host.env), onResult },
  );
}

/** One attempt as a line: how it went, from where, what, and what was seen. */
export function probeLine(result: ProbeResult): string {
  const { probe, from, backend, outcome, expected, detail } = result;
  const verdict = expected === "open" && outcome === "allowed"
    ? "open"
    : !isSurprise(result)
    ? expected === "allowed" && outcome === "allowed" ? "works" : outcome
    : outcome === "allowed"
    ? "GOT OUT"
    : "BROKEN";
  const line = [verdict.padEnd(8), from.padEnd(7), backend.padEnd(9), probe.padEnd(34), detail];
  return `    ${printable(line.join(" ").trimEnd())}\n`;
}

/** What all the attempts come to, a line each. */
export function probeSummary(results: readonly ProbeResult[]): string[] {
  const of = (expected: ProbeResult["expected"], outcome: ProbeResult["outcome"]) =>
    results.filter((each) => each.expected === expected && each.outcome === outcome).length;
  const tried = of("denied", "denied") + of("denied", "allowed");
  const [out, open, works, broken] = [
    of("denied", "allowed"),
    of("open", "allowed"),
    of("allowed", "allowed"),
    of("allowed", "denied"),
  ];
  const [skips, unused] = [of("denied", "skipped"), of("allowed", "skipped")];
  return [
    `${tried} attempts to get out: ${out === 0 ? "none got through" : `${out} GOT THROUGH`}`,
    `${works + broken} uses of what is granted: ${
      broken === 0 ? "all work" : `${broken} DO NOT WORK`
    }`,
    ...(open === 0 ? [] : [`${open} came to what is said to be not confined`]),
    ...(skips === 0 ? [] : [`${skips} could not be tried here, and are not counted as attempts`]),
    ...(unused === 0 ? [] : [`${unused} of what is asked for were not used: see skipped`]),
  ];
}
