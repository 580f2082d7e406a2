import type { GroupResult } from "./run_in_group.ts";

const SHOWN_NAMES = 5;

/** How a command ended, and what had to be ended with it, in words. */
export function endNotes(result: GroupResult, timeoutMs: number | undefined): string[] {
  const { report, endedBy, hasEscaped } = result;
  const left = report.left.length === 0 ? [] : [
    endedBy === "itself"
      ? `ended what it left running: ${named(report.left)}`
      : `killed, since TERM did not end it: ${named(report.left)}`,
  ];
  return [
    endNote(result, timeoutMs),
    ...left,
    ...(report.escaped.length === 0
      ? []
      : [`ended what had left the command's group: ${named(report.escaped)}`]),
    ...(report.isShellMissing ? ["SKEP_SHELL names no program: bash was used"] : []),
    ...(hasEscaped
      ? ["a process left the command's group, or cannot be ended: it may still run"]
      : []),
  ];
}

/** An output with notes in brackets below it, a line each. */
export function withNotes(output: string, notes: readonly string[]): string {
  const separator = output === "" || output.endsWith("\n") ? "" : "\n";
  return output + separator + notes.map((note) => `[${note}]`).join("\n");
}

function endNote(
  { endedBy, exitCode, durationMs }: GroupResult,
  timeoutMs: number = Math.round(durationMs),
): string {
  const seconds = `${(durationMs / 1000).toFixed(2)} s`;
  const signal = exitCode !== undefined && exitCode > 128 ? SIGNALS[exitCode - 128] : undefined;
  const by = signal === undefined ? "" : ` (${signal})`;
  if (endedBy === "timeout") {
    return `timed out after ${timeoutMs} ms: the command and all it started were ended`;
  }
  if (endedBy === "cancel") return `killed${by} after ${seconds}`;
  if (exitCode === undefined) return `ended by an unknown cause after ${seconds}`;
  return `exit code ${exitCode}${by} after ${seconds}`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).join(", ");
  return names.length > SHOWN_NAMES ? `${shown} and ${names.length - SHOWN_NAMES} more` : shown;
}

/** Signals by number on Linux, as shells count them above 128. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  5: "SIGTRAP",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  10: "SIGUSR1",
  11: "SIGSEGV",
  12: "SIGUSR2",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
  16: "SIGSTKFLT",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  31: "SIGSYS",
};
