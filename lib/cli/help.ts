import type { Command, Flag } from "./command.ts";
import { COMMON_FLAGS } from "./commands.ts";
import { EXIT_MEANINGS } from "./exit_codes.ts";

const VERSION_FLAG: Flag = { name: "version", short: "V", summary: "show the version" };

/** The text of `skep --help`. */
export function overview(commands: readonly Command[]): string {
  return [
    "skep runs AI agents, and every MCP server of theirs behind its own grant.",
    "",
    "Usage: skep COMMAND [flags]",
    "",
    "Commands:",
    ...table(commands.map((command) => [command.usage, command.summary])),
    "",
    "Flags of every command:",
    ...flagTable([...COMMON_FLAGS, VERSION_FLAG]),
    "",
    "Exit codes:",
    ...table(Object.entries(EXIT_MEANINGS)),
    "",
  ].join("\n");
}

/** The text of `skep COMMAND --help`. */
export function commandHelp(command: Command): string {
  const own = command.flags.length === 0 ? [] : ["", "Flags:", ...flagTable(command.flags)];
  return [
    `skep ${command.name}: ${command.summary}`,
    "",
    `Usage: skep ${command.usage} [flags]`,
    ...own,
    "",
    "Flags of every command:",
    ...flagTable(COMMON_FLAGS),
    "",
  ].join("\n");
}

function flagTable(flags: readonly Flag[]): string[] {
  return table(flags.map((flag) => {
    const short = flag.short === undefined ? "" : `-${flag.short}, `;
    const value = flag.value === undefined ? "" : ` ${flag.value}`;
    return [`${short}--${flag.name}${value}`, flag.summary];
  }));
}

function table(rows: readonly (readonly [string, string] | string[])[]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
}
