import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Dialect } from "./dialect.ts";
import { isRecord } from "./is_record.ts";
import type { Image, Message, Text, ToolCall, ToolResult } from "./message.ts";
import type { ModelRequest } from "./model.ts";
import { parseModelId } from "./model_id.ts";

type AssistantMessage = Extract<Message, { role: "assistant" }>;
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/**
 * A request's history as the AI SDK's packages take it. Blank texts are left out, and messages that
 * hold nothing else, since providers refuse them. Reasoning and metadata go back only to the provider
 * that gave them. Adjacent tool messages become one, and images that cannot stand in a result follow
 * all results of it in one user message.
 */
export function toPrompt(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  modelId: string,
  dialect: Dialect,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = isBlank(system)
    ? []
    : [{ role: "system", content: system }];
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  let results: ToolResult[] = [];
  messages.forEach((message, index) => {
    if (message.role === "tool") {
      results.push(...message.results);
      if (messages[index + 1]?.role === "tool") return;
      prompt.push(...fromResults(results, dialect));
      results = [];
    } else {
      const content = message.role === "user"
        ? { role: message.role, content: message.content.flatMap(fromBlock) }
        : {
          role: message.role,
          content: fromAssistant(message, modelId, dialect, index > lastUser),
        };
      if (content.content.length > 0) prompt.push(content);
    }
  });
  return prompt;
}

function fromAssistant(
  message: AssistantMessage,
  modelId: string,
  dialect: Dialect,
  isThisTurn: boolean,
): AssistantPart[] {
  const isOwn = message.model !== undefined &&
    (dialect.replayedReasoning === "signed_by_model"
      ? message.model === modelId
      : parseModelId(message.model).provider === parseModelId(modelId).provider);
  const parts = message.content.flatMap((part): AssistantPart[] => {
    switch (part.type) {
      case "text":
        return fromBlock(part);
      case "call":
        return [{
          type: "tool-call",
          toolCallId: part.id,
          toolName: part.name,
          input: callInput(part),
          ...(isOwn ? optionsOf(part.metadata) : {}),
        }];
      case "reasoning": {
        const isWanted = dialect.replayedReasoning === "this_turn"
          ? isThisTurn
          : dialect.replayedReasoning !== "none" && part.metadata !== undefined;
        if (!isOwn || !isWanted) return [];
        return [{ type: "reasoning", text: part.text, ...optionsOf(part.metadata) }];
      }
      default:
        return part satisfies never;
    }
  });
  // Reasoning at the end was cut off before it led to anything, and providers refuse it there.
  return parts.slice(0, parts.findLastIndex((part) => part.type !== "reasoning") + 1);
}

function fromResults(results: readonly ToolResult[], dialect: Dialect): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [
    { role: "tool", content: results.map((result) => fromResult(result, dialect)) },
  ];
  const lifted = results.flatMap((result) => {
    if (!areImagesLifted(result, dialect)) return [];
    return result.content.filter((block) => block.type === "image").flatMap((image) => [
      { type: "text" as const, text: `From the result of call ${result.callId}, ${result.name}:` },
      ...fromBlock(image),
    ]);
  });
  if (lifted.length > 0) prompt.push({ role: "user", content: lifted });
  return prompt;
}

function fromResult(result: ToolResult, dialect: Dialect): LanguageModelV4ToolResultPart {
  const part = { type: "tool-result", toolCallId: result.callId, toolName: result.name } as const;
  const hasImages = result.content.some((block) => block.type === "image");
  if (hasImages && !areImagesLifted(result, dialect)) {
    return { ...part, output: { type: "content", value: result.content.flatMap(fromBlock) } };
  }
  const text = result.content.map((block) =>
    block.type === "text" ? block.text : `[${block.mediaType}: see the next user message]`
  ).filter((text) => !isBlank(text)).join("\n");
  const noted = (said: string) => result.note === undefined ? said : `${said}\n${result.note}`;
  if (!result.isError) return { ...part, output: { type: "text", value: noted(text) } };
  const value = noted(text === "" ? "The tool failed and gave no reason" : text);
  return { ...part, output: { type: "error-text", value } };
}

/** The packages mark an error only on a result of text. */
function areImagesLifted(result: ToolResult, dialect: Dialect): boolean {
  return result.isError || dialect.resultImages === "after_results";
}

function fromBlock(block: Text | Image): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (block.type === "text") return isBlank(block.text) ? [] : [{ type: "text", text: block.text }];
  const { data, mediaType } = block;
  return [{ type: "file", data: { type: "data", data }, mediaType }];
}

/** The arguments as an object, which is what servers parse them to: what a model wrote may be none. */
function callInput({ input }: ToolCall): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = input.trim() === "" ? {} : JSON.parse(input);
    return isRecord(value) ? value : { invalid_arguments: input };
  } catch {
    return { invalid_arguments: input };
  }
}

/** Metadata came from the package that it goes back to, so it has the package's own form. */
function optionsOf(
  metadata: Readonly<Record<string, unknown>> | undefined,
): { providerOptions?: SharedV4ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
