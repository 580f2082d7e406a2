import type { HookAnswer } from "./hooks.ts";

/**
 * What hooks that may forbid something say: undefined when none does, else who and why. A hook says so
 * as `{"decision": "deny", "reason": "…"}`, and nothing or `{"decision": "allow"}` otherwise. One that fails, is
 * missing or says anything else counts as silent, unless it is a security hook: then it forbids.
 */
export function hookVerdict(
  answers: readonly HookAnswer[],
): { readonly server: string; readonly reason: string } | undefined {
  for (const answer of answers) {
    const reason = objection(answer);
    if (reason !== undefined) return { server: answer.server, reason };
  }
  return undefined;
}

function objection(answer: HookAnswer): string | undefined {
  if ("failure" in answer) return answer.isClosed ? answer.failure : undefined;
  if (answer.text.trim() === "") return undefined;
  const said = parse(answer.text);
  switch (said?.decision) {
    case "allow":
      return undefined;
    case "deny":
      return typeof said.reason === "string" && said.reason.trim() !== ""
        ? said.reason
        : "it gave no reason";
    default:
      return answer.isClosed ? "its answer is no decision" : undefined;
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined; // no decision
  }
}
