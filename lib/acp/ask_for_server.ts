import type { Elicitation, ElicitationAnswer } from "../mcp/elicitation.ts";
import { isRecord } from "./is_record.ts";
import type { Answered } from "./requests.ts";

/**
 * The parameters of `elicitation/create`: what a server asks, with the server's name, since a person must know
 * who it is that wants to know.
 *
 * @see ACP, elicitation, https://agentclientprotocol.com/protocol/v1/elicitation
 */
export function toElicitRequest(
  question: Elicitation,
  sessionId: string,
): Readonly<Record<string, unknown>> {
  const { server, mode } = question;
  const message = `Server "${server}" asks: ${question.message}`;
  return mode === "form"
    ? { sessionId, mode, message, requestedSchema: { type: "object", ...question.schema } }
    : { sessionId, mode, message, url: question.url, elicitationId: question.id };
}

/** The client's answer. One that cannot be used, an error too, is a question that nobody answered. */
export function readElicitAnswer(answered: Answered): ElicitationAnswer {
  const result = "result" in answered && isRecord(answered.result) ? answered.result : {};
  const { action, content } = result;
  if (action === "accept") return { action, ...(isRecord(content) ? { content } : {}) };
  return { action: action === "decline" ? "decline" : "cancel" };
}
