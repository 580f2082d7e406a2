import type { ApprovalCall, Rule } from "./rules.ts";
import { shellCommands } from "./shell_commands.ts";
import { showExactly } from "./show_exactly.ts";

/** What a person may allow from now on, with a question answered once. */
export interface Scope {
  /** A line that says it, as the rules would. */
  readonly text: string;
  readonly rules: readonly Rule[];
}

/** Programs whose second word says what they do, such as `git log`. */
const WITH_SUBCOMMANDS = new Set(
  ("git gh hg svn npm pnpm yarn deno bun cargo go rustup docker podman kubectl helm terraform aws gcloud az " +
    "apt apt-get brew pip pip3 uv poetry gem bundle systemctl dotnet gradle mvn swift flutter")
    .split(" "),
);
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;

/**
 * The scope that is offered with a question: for a shell line its commands by program and subcommand
 * (`git log *`), else the tool. Undefined where no scope would be honest: a line that cannot be read, or that
 * sets variables for its programs.
 */
export function scopeOf({ tool, args }: ApprovalCall): Scope | undefined {
  const { command: line } = args;
  if (typeof line !== "string") {
    return { text: `every call of ${tool}`, rules: [{ action: "allow", tool, args: {} }] };
  }
  const commands = shellCommands(line)?.filter(({ isCertain }) => isCertain);
  if (commands === undefined || commands.length === 0) return undefined;
  if (commands.some(({ sets }) => sets.length > 0)) return undefined;
  const patterns = [...new Set(commands.map(({ words }) => prefix(words)))];
  if (patterns.some((pattern) => pattern === undefined)) return undefined;
  // The words are the model's: nothing in them may hide what the answer would allow.
  const shown = patterns.map((pattern) => showExactly(pattern!));
  return {
    text: `commands of ${tool} like ${shown.join(" and ")}`,
    rules: patterns.map((command) => ({ action: "allow", tool, command: command!, args: {} })),
  };
}

/** No prefix for a word with a `*`, which would be any. */
function prefix([program = "", second = ""]: readonly string[]): string | undefined {
  const isSubcommand = WITH_SUBCOMMANDS.has(program) && SUBCOMMAND.test(second);
  const words = isSubcommand ? `${program} ${second}` : program;
  return words.includes("*") ? undefined : `${words} *`;
}
