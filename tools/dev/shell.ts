import { LIMITS } from "../../lib/limits.ts";
import { CommandOutput } from "./command_output.ts";
import { endNotes, withNotes } from "./end_notes.ts";
import { bashFailed, workFolder } from "./paths.ts";
import { type GroupResult, runInGroup } from "./run_in_group.ts";
import { defineTool, failed, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

/** Runs one shell command. */
export const shell: Tool = defineTool({
  name: "shell",
  description:
    "Runs one command with bash, in a process of its own: no state is kept between calls. " +
    "stdout and stderr come together, in order; of a long output the middle is left out, and the " +
    `whole is kept in a file. It may take ${LIMITS.shellTimeoutMs.value} ms unless timeout_ms says ` +
    "otherwise; give builds and tests 300000 or more. What it leaves running is ended when it " +
    "returns: for a server use background, and shell_job. rg and tree are there as commands too.",
  schema: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command line, in the shell's syntax" },
      workdir: { type: "string", description: "The folder to run in" },
      timeout_ms: {
        type: "integer",
        description: `The most milliseconds it may take, up to ${LIMITS.maxShellTimeoutMs.value}`,
        minimum: 1,
        default: LIMITS.shellTimeoutMs.value,
      },
      stdin: { type: "string", description: "What it gets to read; nothing when left out" },
      background: {
        type: "boolean",
        description:
          "Return at once with a job for shell_job; it ends with the session at the latest",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  annotations: {
    title: "Run a shell command",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  run: async ({ command, workdir, timeout_ms, stdin = "", background }, context, signal) => {
    const { limits } = context;
    checkTexts(command, stdin, context);
    const request = { command, cwd: await workFolder(workdir, context), input: stdin };
    if (background === true) return startJob(request, timeout_ms, context);
    const wantedMs = timeout_ms ?? limits.shellTimeoutMs;
    const timeoutMs = Math.min(wantedMs, limits.maxShellTimeoutMs);
    using output = new CommandOutput(limits, context.state.artifacts);
    using _progress = tellProgress(output, context);
    const result = await runCommand(request, output, timeoutMs, context, signal);
    const { text, notes, ...whole } = output.show();
    const over = wantedMs > timeoutMs
      ? [`timeout_ms=${wantedMs} is over the limit: ${timeoutMs} was used`]
      : [];
    return {
      text: withNotes(text, [...endNotes(result, timeoutMs), ...over, ...notes]),
      isError: result.endedBy !== "itself",
      ...whole,
    };
  },
});

interface Request {
  readonly command: string;
  readonly cwd: string;
  readonly input: string;
}

function checkTexts(command: string, stdin: string, context: ToolContext): void {
  const { maxCommandBytes, maxShellInputBytes } = context.limits;
  if (command.trim() === "") throw failed(context, "The command is empty: give one to run");
  const bytes = new TextEncoder().encode(command).length;
  if (bytes > maxCommandBytes) {
    const advice = `the limit is ${maxCommandBytes}; write a script to a file and run that`;
    throw failed(context, `Cannot run a command of ${bytes} bytes: ${advice}`);
  }
  if (command.includes("\0")) throw failed(context, "Cannot run a command with a NUL character");
  const inputBytes = new TextEncoder().encode(stdin).length;
  if (inputBytes <= maxShellInputBytes) return;
  const advice = `the limit is ${maxShellInputBytes}; write it to a file and read that`;
  throw failed(context, `Cannot give a command ${inputBytes} bytes of stdin: ${advice}`);
}

/** Unlike other commands, one in the background may run until the session ends. */
function startJob(
  request: Request,
  timeoutMs: number | undefined,
  context: ToolContext,
): ToolOutput {
  if (context.isWithoutJobs) {
    const why =
      "shell_job, which gives its output and ends it, is switched off; leave background out";
    throw failed(context, `Cannot run a command in the background: ${why}`);
  }
  const { jobs, artifacts } = context.state;
  if (jobs.isFull) {
    const running = jobs.list().filter((job) => job.result() === undefined).map(({ id }) => id);
    const advice = `${running.join(", ")} still run; wait for one or kill it with shell_job`;
    throw failed(context, `Cannot start another job: ${advice}`);
  }
  const output = new CommandOutput(context.limits, artifacts);
  const job = jobs.start(
    request.command,
    output,
    (signal) => runCommand(request, output, timeoutMs, context, signal),
  );
  const text =
    `[${job.id} runs in the background: shell_job gives its output, waits for it, kills it]`;
  return { text, structured: { job: job.id } };
}

async function runCommand(
  request: Request,
  output: CommandOutput,
  timeoutMs: number | undefined,
  context: ToolContext,
  signal: AbortSignal,
): Promise<GroupResult> {
  const { limits, world, state } = context;
  const { stopShellMs: stopMs } = limits;
  try {
    return await runInGroup({ ...request, timeoutMs, stopMs, output }, state.guards, world, signal);
  } catch (error) {
    throw bashFailed("run bash", error, context);
  }
}

/** A host may give up a call that says nothing for long, and what it cancels is not answered: so it has the output. */
function tellProgress(output: CommandOutput, { progress, limits }: ToolContext): Disposable {
  const startMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    progress(`running for ${seconds} s, ${output.size}\n${output.end}`.trimEnd());
  }, limits.shellProgressMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
