import type { ApprovalOptions } from "../approval/approvals.ts";
import type { KeptSession } from "./keep_session.ts";
import type { Approver } from "../approval/approvals.ts";
import type { ToolResult } from "../model/message.ts";
import type { TurnJournal } from "../turn/run.ts";
import type { Journal } from "./journal.ts";

/** A session's journal, as its turns write to it. */
export function turnJournal(journal: Journal): TurnJournal {
  /** What is recorded already, to be referred to and not written twice. */
  const recorded = new Map<string, ToolResult>();
  return {
    message: (message, isHidden) => {
      if (message.role !== "tool" || isHidden) {
        return journal.append({ type: "message", message, ...(isHidden ? { isHidden } : {}) });
      }
      const results = message.results.map((result) => {
        const { callId, note, content } = result;
        if (recorded.get(callId)?.content !== content) return result;
        return { callId, ...(note === undefined ? {} : { note }) };
      });
      recorded.clear();
      return journal.append({ type: "answers", results });
    },
    said: (text) => journal.draft(text),
    call: ({ id, name }) => journal.tryAppend({ type: "call", callId: id, tool: name }),
    result: (result, structured) => {
      recorded.set(result.callId, result);
      return journal.append({ type: "result", result, ...(structured && { structured }) });
    },
  };
}

/** An approver whose answers for the session come back with it. */
export function keptApprover(approver: Approver, journal: Journal): Approver {
  return async (question, signal) => {
    const answer = await approver(question, signal);
    const { scope } = question;
    if (answer.kind === "session" && scope !== undefined && !signal.aborted) {
      await journal.tryAppend({ type: "approval", rules: scope.rules });
    }
    return answer;
  };
}

/** Approvals with what a kept session allowed before, and keeping what is allowed from now on. */
export function keptApprovals(
  approvals: ApprovalOptions,
  { state, journal }: KeptSession,
): ApprovalOptions {
  const { approver, kept = [] } = approvals;
  return {
    ...approvals,
    kept: [...kept, ...state.allowed],
    ...(approver === undefined ? {} : { approver: keptApprover(approver, journal) }),
  };
}
