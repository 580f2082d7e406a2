import { frames } from "../../host/frames.ts";
import { stopProcess } from "../../host/process.ts";
import type { Launch } from "../launch.ts";
import type { Entry } from "./entry.ts";
import { parseProbeLine, type ProbeResult } from "./probe_result.ts";
import type { ProbeContext } from "./run_probes.ts";

/** A result without what all results of one start share. */
type Attempt = Pick<ProbeResult, "probe" | "expected" | "outcome" | "detail">;

const MAX_LINE_BYTES = 64 * 1024;
const MAX_DETAIL = 300;

/**
 * Starts the probe once, and gives its attempts as they come. The last one tells whether it came to its
 * end: one that was cut short would look as if the rest had been denied.
 */
export async function* runEntry(
  entry: Entry,
  launch: Launch,
  { host, limits }: Pick<ProbeContext, "host" | "limits">,
): AsyncGenerator<Attempt, void, void> {
  const child = host.spawn(launch.command);
  const stderr = new Response(child.stderr).text();
  const over = new AbortController();
  const watching = host.sleep(limits.probeTimeoutS * 1000, over.signal)
    .then(() => void child.signalGroup("SIGKILL"), () => {}); // it ended in time
  let isDone = false;
  let count = 0;
  let skipped: Attempt | undefined;
  try {
    await child.stdin.close().catch(() => {}); // it may have ended at once
    for await (const frame of frames(child.stdout, MAX_LINE_BYTES)) {
      const line = frame.kind === "text" ? parseProbeLine(frame.text) : undefined;
      if (line === undefined) continue;
      if ("done" in line) isDone = true;
      else {
        count++;
        if (line.outcome === "skipped" && line.probe === entry.name) skipped = line;
        else yield line;
      }
    }
  } finally {
    await stopProcess(child, () => Promise.resolve(), limits.stopServerMs, host);
    over.abort();
    await watching;
  }
  const words = (await stderr).trim().slice(-MAX_DETAIL);
  if (skipped !== undefined) {
    yield { ...skipped, detail: [skipped.detail, ...words === "" ? [] : [words]].join(": ") };
  } else if (!entry.isAttempt) {
    const outcome = isDone ? "allowed" : "denied";
    const detail = isDone ? "" : words;
    yield { probe: `${entry.name}-to-the-end`, expected: "allowed", outcome, detail };
  } else if (count === 0) {
    yield { probe: entry.name, expected: "denied", outcome: "denied", detail: words };
  }
}
