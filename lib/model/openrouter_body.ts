import { isRecord } from "./is_record.ts";
import type { ChatBody } from "./openai_compatible.ts";

const CACHED = { cache_control: { type: "ephemeral" } };

/** User messages that are marked for the cache, the last ones. */
const MARKED_MESSAGES = 2;

/**
 * A Chat Completions body as OpenRouter takes it. The models of Anthropic get their marks for the cache:
 * on the system prompt, the last tool, and the last two user messages of text.
 */
export function openRouterBody(body: ChatBody, model: string, isCaching: boolean): ChatBody {
  if (!isCaching || !model.startsWith("anthropic/")) return body;
  const messages = Array.isArray(body.messages) ? body.messages.map(withMark(body.messages)) : [];
  const tools = Array.isArray(body.tools) ? body.tools : undefined;
  return { ...body, messages, ...(tools === undefined ? {} : { tools: tools.map(markLast) }) };
}

/** Marks the message at a place, when it is one of those that get a mark. */
function withMark(messages: readonly unknown[]): (message: unknown, index: number) => unknown {
  const users = messages.flatMap((message, index) => isTextOf("user", message) ? [index] : [])
    .slice(-MARKED_MESSAGES);
  return (message, index) => {
    if (!isTextOf("system", message) && !users.includes(index)) return message;
    const { content, ...rest } = message as Readonly<Record<string, unknown>>;
    return { ...rest, content: [{ type: "text", text: content, ...CACHED }] };
  };
}

function isTextOf(role: string, message: unknown): boolean {
  return isRecord(message) && message.role === role && typeof message.content === "string";
}

function markLast(tool: unknown, index: number, { length }: readonly unknown[]): unknown {
  if (index < length - 1 || !isRecord(tool) || !isRecord(tool.function)) return tool;
  return { ...tool, function: { ...tool.function, ...CACHED } };
}
