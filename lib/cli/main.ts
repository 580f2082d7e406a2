import { type ErrorCode, messageOf, SkepError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { nearest } from "../suggest.ts";
import { VERSION } from "../version.ts";
import { COMMANDS } from "./commands.ts";
import { exitCodeOf } from "./exit_codes.ts";
import { readFlags } from "./flags.ts";
import { commandHelp, overview } from "./help.ts";
import { outputHost } from "./output_host.ts";

/** What a shell shows for a program that SIGPIPE ended: nobody reads its output any more. */
const BROKEN_PIPE = 141;

/**
 * Runs skep on a command line and gives the exit code: 0 done, 1 usage or configuration, 2 a peer or
 * the network, 3 denied, 4 a defect in skep, 128 + n after signal n. A failure is one line on stderr;
 * with --json every line there is an object with a `message`, a failure's with its `code`.
 */
export async function main(args: readonly string[], host: Host): Promise<number> {
  const isJson = args.includes("--json");
  const output = outputHost(host, isJson);
  try {
    return await dispatch(args, output);
  } catch (error) {
    if (error instanceof Error && error.name === "BrokenPipe") return BROKEN_PIPE;
    const { code, message } = described(error);
    if (isJson) host.warn(JSON.stringify({ code, message }));
    else output.warn(`skep: ${message}`);
    return exitCodeOf(code);
  }
}

async function dispatch(args: readonly string[], host: Host): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    await host.print(overview(COMMANDS));
    return 0;
  }
  if (name === "--version" || name === "-V") {
    await host.print(`skep ${VERSION}\n`);
    return 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) throw unknownCommand(name);
  const invocation = readFlags(command, rest);
  if (invocation.has("help")) {
    await host.print(commandHelp(command));
    return 0;
  }
  const { run } = await command.load();
  return await run(invocation, host);
}

function unknownCommand(name: string): SkepError {
  const near = nearest(name, COMMANDS.map((command) => command.name));
  const hint = near === undefined ? "see skep --help" : `did you mean "skep ${near}"?`;
  return new SkepError("USAGE", `There is no command "${name}": ${hint}`, { argument: name });
}

/** A failure as a person reads it. What is no {@linkcode SkepError} is a defect, and says where it arose. */
function described(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof SkepError) return { code: error.code, message: error.message };
  const stack = error instanceof Error ? error.stack?.split("\n").slice(1, 3).join(" ") ?? "" : "";
  return {
    code: "DEFECT",
    message: `this is a defect in skep: ${messageOf(error)} ${stack}`.trim(),
  };
}
