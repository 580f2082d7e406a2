import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { toPrompt } from "./ai_sdk_prompt.ts";
import type { Dialect, Shaping } from "./dialect.ts";
import { fitHistory } from "./fit_history.ts";
import type { Message, ToolDefinition } from "./message.ts";
import type { ModelRequest } from "./model.ts";

/** Whom a request goes to. */
export interface RequestTarget extends Shaping {
  /** `provider:model`. */
  readonly modelId: string;
  readonly dialect: Dialect;
  readonly takesImages: boolean;
}

/** A request as the AI SDK's packages take it, shaped for its dialect and model. */
export function toCallOptions(
  { system, messages, tools, maxOutputTokens, isThinking = true }: ModelRequest,
  target: RequestTarget,
): LanguageModelV4CallOptions {
  const { dialect, modelId, facts } = target;
  const { fitName = (name) => name } = dialect;
  const history = withNames(fitHistory(messages, target), dialect);
  const { toolChoice, ...options } = dialect.options;
  const declared = tools.length > 0 || !dialect.wantsToolsForCalls ? tools : toolsOf(history);
  const call: LanguageModelV4CallOptions = {
    ...options,
    prompt: toPrompt({ system, messages: history }, modelId, dialect),
    ...(declared.length === 0 ? {} : {
      tools: declared.map(({ name, description, inputSchema }) => (
        { type: "function", name: fitName(name), description, inputSchema }
      )),
      ...(tools.length === 0
        ? { toolChoice: { type: "none" } }
        : toolChoice === undefined
        ? {}
        : { toolChoice }),
    }),
    ...(target.settings.temperature === undefined
      ? {}
      : { temperature: target.settings.temperature }),
    maxOutputTokens: Math.min(maxOutputTokens, facts.maxOutputTokens ?? Infinity),
    includeRawChunks: dialect.readEvents !== undefined,
  };
  const settings = isThinking ? target.settings : { ...target.settings, effort: undefined };
  return dialect.shape?.(call, { ...target, settings }) ?? call;
}

/** The history with the tools' names as the provider takes them. */
function withNames(history: readonly Message[], { fitName }: Dialect): readonly Message[] {
  if (fitName === undefined) return history;
  return history.map((message) => {
    if (message.role === "user") return message;
    if (message.role === "tool") {
      const results = message.results.map((each) => ({ ...each, name: fitName(each.name) }));
      return { ...message, results };
    }
    const content = message.content.map((part) =>
      part.type === "call" ? { ...part, name: fitName(part.name) } : part
    );
    return { ...message, content };
  });
}

/** The tools that a history calls, for providers that refuse it without any. */
function toolsOf(history: readonly Message[]): ToolDefinition[] {
  const names = new Set(
    history.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => part.type === "call" ? [part.name] : [])
        : []
    ),
  );
  return [...names].map((name) => ({
    name,
    description: "Was called before; it cannot be called now.",
    inputSchema: { type: "object", properties: {} },
  }));
}

/** The request again, to go on behind a text at which a connection broke. */
export function continued(request: ModelRequest, said: string, modelId: string): ModelRequest {
  if (said === "") return request;
  const text =
    "[The connection broke while you were writing, and your text above was cut off. Go on " +
    "exactly where it stops, without repeating any of it.]";
  const messages: Message[] = [
    ...request.messages,
    { role: "assistant", content: [{ type: "text", text: said }], model: modelId },
    { role: "user", content: [{ type: "text", text }] },
  ];
  return { ...request, messages };
}
