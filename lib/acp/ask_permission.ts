import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { SkepError } from "../errors.ts";
import type { Answer, Question } from "../approval/approvals.ts";
import { describeCall } from "./describe_call.ts";
import { isRecord } from "./is_record.ts";
import type { Answered } from "./requests.ts";

/** What it takes to put a question in ACP's words. */
export interface PermissionContext {
  readonly sessionId: string;
  /** The call's id as the client knows it. */
  readonly toolCallId: string;
  readonly maxTitleBytes: number;
}

/**
 * A question as `session/request_permission`. The title may be cut, so everything that will be used
 * stands in the content, whole; what a person may allow for longer is named in its option.
 */
export function toPermissionRequest(
  { tool, args, shown, reason, scope, canBeKept }: Question,
  { sessionId, toolCallId, maxTitleBytes }: PermissionContext,
): RequestPermissionRequest {
  const options: RequestPermissionRequest["options"] = [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
  ];
  if (scope !== undefined) {
    const name = `Allow ${scope.text} for this session`;
    options.push({ optionId: "session", name, kind: "allow_always" });
  }
  if (scope !== undefined && canBeKept) {
    const name = `Allow ${scope.text} always`;
    options.push({ optionId: "always", name, kind: "allow_always" });
  }
  options.push({ optionId: "deny", name: "Deny", kind: "reject_once" });
  const text = `${tool}\n${shown}\n\nAsked because of: ${reason}`;
  return {
    sessionId,
    toolCall: {
      toolCallId,
      ...describeCall(tool, args, maxTitleBytes),
      status: "pending",
      rawInput: args,
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options,
  };
}

/**
 * What a client answered. An error says that nobody was asked; anything else but one of the options that
 * allow is a denial.
 *
 * @throws {SkepError} `CANCELLED` when the person or the client cancelled.
 */
export function readPermission(answered: Answered): Answer {
  if (!("result" in answered)) return { kind: "unasked" };
  const result = isRecord(answered.result) ? answered.result : {};
  const outcome = isRecord(result.outcome) ? result.outcome : {};
  if (outcome.outcome === "cancelled") {
    throw new SkepError("CANCELLED", "The question was cancelled", {});
  }
  const { optionId } = outcome;
  const isAllowed = outcome.outcome === "selected" &&
    (optionId === "once" || optionId === "session" || optionId === "always");
  return isAllowed ? { kind: optionId } : { kind: "deny" };
}
