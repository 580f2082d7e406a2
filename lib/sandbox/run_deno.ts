import { SkepError } from "../errors.ts";
import { type Process, stopProcess } from "../host/process.ts";
import type { LaunchContext, ServerPlaces } from "./context.ts";
import { certificateValues } from "./certificates.ts";
import { denoValues } from "./environment.ts";

/** What the fetching Deno gets of the runtime's environment: the way to the registry, and who asks. */
const PASSED: readonly string[] = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "LOCALAPPDATA",
  "SystemRoot",
  "TMPDIR",
  "TEMP",
  "LANG",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "NPM_CONFIG_REGISTRY",
];

/** The end of a run: its exit code, and the last of what it wrote to stderr. */
export interface DenoResult {
  readonly code: number;
  /** The lines that matter, joined by spaces. */
  readonly stderr: string;
}

/**
 * Runs a `deno` subcommand of our own, such as `cache`, to its end. Lines of its stderr go to
 * `context.progress` as they come.
 *
 * @throws {SkepError} `CANCELLED` when the signal was aborted. Past `fetchPackageTimeoutS` the run is stopped
 * and ends with code 124.
 */
export async function runDeno(
  args: readonly string[],
  cwd: string,
  context: LaunchContext,
  places: Pick<ServerPlaces, "deno" | "denoDir">,
): Promise<DenoResult> {
  const { host, limits, signal } = context;
  const certificates = await certificateValues(context);
  if (signal?.aborted) throw cancelled();
  const env = Object.fromEntries(
    PASSED.map((name) => [name, host.env(name)]).filter(([, value]) => value !== undefined),
  );
  const child = host.spawn({
    program: places.deno,
    args,
    cwd,
    env: {
      ...env,
      ...certificates,
      ...denoValues(places.denoDir),
      NO_COLOR: "1",
    },
  });
  const finished = Promise.all([
    child.exited,
    lastLines(child, context.progress),
    child.stdout.pipeTo(new WritableStream()),
    child.stdin.close().catch(() => {}), // a child that ended at once has closed it
  ]);
  const timer = new AbortController();
  const stop = signal === undefined ? timer.signal : AbortSignal.any([timer.signal, signal]);
  const late = host.sleep(limits.fetchPackageTimeoutS * 1000, stop)
    .then(() => "late" as const, () => "stopped" as const);
  try {
    const first = await Promise.race([finished, late]);
    if (Array.isArray(first)) return { code: first[0].code, stderr: first[1] };
    await stopProcess(child, () => Promise.resolve(), limits.stopServerMs, host);
    await finished;
    if (first === "stopped") throw cancelled();
    return { code: 124, stderr: `it took longer than ${limits.fetchPackageTimeoutS} s` };
  } finally {
    timer.abort();
  }
}

async function lastLines(
  child: Pick<Process, "stderr">,
  progress: (line: string) => void,
): Promise<string> {
  const kept: string[] = [];
  let rest = "";
  const take = (line: string) => {
    const text = line.trim();
    // A stack of Deno's own says nothing to a person.
    if (text === "" || text === "Stack backtrace:" || /^\d+: </.test(text)) return;
    if (text.startsWith("Download ")) return progress(text);
    kept.push(text);
    if (kept.length > KEPT_LINES) kept.shift();
  };
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = (lines.pop() ?? "").slice(-LONGEST_LINE);
    for (const line of lines) take(line);
  }
  take(rest);
  return kept.join(" ").replace(/^error: /, "");
}

/** What of a run's stderr goes into an error: lines, and characters of one. */
const KEPT_LINES = 5;
const LONGEST_LINE = 2000;

function cancelled(): SkepError<"CANCELLED"> {
  return new SkepError("CANCELLED", "Fetching was given up", {});
}
