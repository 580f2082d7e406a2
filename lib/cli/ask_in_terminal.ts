import type { Answer, Approver, Question } from "../approval/approvals.ts";
import type { Host } from "../host/host.ts";
import type { Elicitor } from "../mcp/elicitation.ts";

/** A terminal with a person in front of it. */
export interface AskingTerminal extends Pick<Host, "warn"> {
  /** The next line that is typed from now on; undefined when the person has left, or the signal is aborted. */
  ask(signal: AbortSignal): Promise<string | undefined>;
}

/** What asks the person of a terminal, once that is there. */
export interface TerminalQuestions {
  approver?: Approver;
  elicitor?: Elicitor;
}

/** Asks about a call in the terminal. Only an answer in words allows; one that is not understood is asked for again. */
export function terminalApprover({ warn, ask }: AskingTerminal): Approver {
  return async (question, signal) => {
    for (const line of describe(question)) warn(line);
    for (;;) {
      const line = await ask(signal);
      if (line === undefined) return { kind: "deny" };
      const answer = readAnswer(line, question);
      if (answer !== undefined) return answer;
      warn(`Answer with ${optionsOf(question).map(([letter]) => letter).join(", ")}`);
    }
  };
}

function describe(question: Question): string[] {
  const options = optionsOf(question).map(([letter, meaning]) => `${letter} = ${meaning}`);
  return [
    `May ${question.tool} run? (${question.reason})`,
    ...question.shown.split("\n").map((line) => `  ${line}`),
    `  ${options.join(" · ")}`,
  ];
}

function optionsOf({ scope, canBeKept }: Question): [letter: string, meaning: string][] {
  return [
    ["y", "yes, once"],
    ...(scope === undefined ? [] : [["s", `${scope.text}, this session`] as [string, string]]),
    ...(canBeKept ? [["a", `${scope?.text}, always`] as [string, string]] : []),
    ["n", "no"],
  ];
}

function readAnswer(line: string, { scope, canBeKept }: Question): Answer | undefined {
  switch (line.trim().toLowerCase()) {
    case "y":
    case "yes":
      return { kind: "once" };
    case "s":
      return scope === undefined ? undefined : { kind: "session" };
    case "a":
      return canBeKept ? { kind: "always" } : undefined;
    case "n":
    case "no":
      return { kind: "deny" };
    default:
      return undefined;
  }
}
