import { LIMITS } from "../../lib/limits.ts";
import { endNotes, withNotes } from "./end_notes.ts";
import type { Job } from "./jobs.ts";
import { defineTool, failed, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

/** Looks after a command in the background. */
export const shellJob: Tool = defineTool({
  name: "shell_job",
  description: "Looks after a shell command that runs in the background: `output` gives what it " +
    "wrote since the last look, `wait` waits for its end first, `kill` ends it.",
  schema: {
    type: "object",
    properties: {
      job: { type: "string", description: "The job, as shell named it" },
      action: { type: "string", description: "What to do", enum: ["output", "wait", "kill"] },
      timeout_ms: {
        type: "integer",
        description: `The longest to wait, up to ${LIMITS.maxShellTimeoutMs.value}`,
        minimum: 1,
        default: LIMITS.shellTimeoutMs.value,
      },
    },
    required: ["job", "action"],
    additionalProperties: false,
  },
  annotations: {
    title: "Look after a background command",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  run: async ({ job: id, action, timeout_ms }, context, signal) => {
    const { jobs } = context.state;
    const { shellTimeoutMs, maxShellTimeoutMs } = context.limits;
    const job = jobs.get(id);
    if (job === undefined) throw failed(context, `There is no job "${id}": ${known(context)}`);
    if (action === "kill") job.kill();
    const wantedMs = timeout_ms ?? shellTimeoutMs;
    const waitMs = Math.min(wantedMs, maxShellTimeoutMs);
    if (action !== "output") await waitFor(job, waitMs, context, signal);
    const isOver = action !== "output" && wantedMs > waitMs;
    return shown(
      job,
      isOver ? [`timeout_ms=${wantedMs} is over the limit: ${waitMs} was used`] : [],
    );
  },
});

function known({ state }: ToolContext): string {
  const ids = state.jobs.list().map(({ id }) => id);
  return ids.length === 0
    ? "no command was started in the background"
    : `there are ${ids.join(", ")}`;
}

async function waitFor(
  job: Job,
  ms: number,
  { progress, limits }: ToolContext,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const telling = setInterval(
    () => progress(`${stillRunning(job)}\n${job.output.end}`.trimEnd()),
    limits.shellProgressMs,
  );
  const stop = () => resolve();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([job.ended, promise]);
  } finally {
    clearTimeout(timer);
    clearInterval(telling);
    signal.removeEventListener("abort", stop);
  }
}

function shown(job: Job, further: readonly string[]): ToolOutput {
  const result = job.result();
  const { text, notes, ...whole } = job.output.show();
  const isRefused = typeof result === "string";
  const states = result === undefined
    ? [stillRunning(job)]
    : isRefused
    ? [result]
    : endNotes(result, undefined);
  return {
    text: withNotes(text, [...states, ...further, ...notes]),
    isError: isRefused,
    ...whole,
  };
}

function stillRunning({ id, startMs, output }: Job): string {
  const seconds = Math.round((performance.now() - startMs) / 1000);
  return `${id} has been running for ${seconds} s, ${output.size}`;
}
