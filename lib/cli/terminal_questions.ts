import {
  type AskingTerminal,
  terminalApprover,
  type TerminalQuestions,
} from "./ask_in_terminal.ts";
import { terminalElicitor } from "./elicit_in_terminal.ts";
import { oneAtATime } from "./one_at_a_time.ts";

/**
 * Whatever is asked in one terminal, one question at a time: a line answers the question above it. One that was
 * taken back while it waited is not shown.
 */
export function terminalQuestions(terminal: AskingTerminal): Required<TerminalQuestions> {
  const approver = terminalApprover(terminal);
  const elicitor = terminalElicitor(terminal);
  const inTurn = oneAtATime();
  return {
    approver: (question, signal) =>
      inTurn(async () => signal.aborted ? { kind: "deny" } : await approver(question, signal)),
    elicitor: {
      modes: elicitor.modes,
      ask: (question, signal) =>
        inTurn(async () =>
          signal.aborted ? { action: "cancel" } : await elicitor.ask(question, signal)
        ),
    },
  };
}
