import type { CallIdRule, Dialect } from "./dialect.ts";
import type { Image, Message, Text, ToolCall, ToolResult } from "./message.ts";
import { parseModelId } from "./model_id.ts";

type AssistantMessage = Extract<Message, { role: "assistant" }>;

/** Whom a history is made to fit. */
export interface HistoryFit {
  /** `provider:model`. */
  readonly modelId: string;
  readonly dialect: Pick<Dialect, "callIds">;
  /** False when images are put into words. */
  readonly takesImages: boolean;
}

/**
 * A history as the next provider takes it, whoever wrote it: every call has exactly one result right
 * after it, no result is without its call, ids have the provider's form, images are words where none
 * are taken. The same history gives the same messages, so that caches hold.
 */
export function fitHistory(messages: readonly Message[], fit: HistoryFit): Message[] {
  const seen = paired(fit.takesImages ? messages : messages.map(withoutImages));
  return withIds(seen, fit);
}

/** Puts one result to each call, those that are missing too: the call was cut off by whatever happened. */
function paired(messages: readonly Message[]): Message[] {
  const fitting: Message[] = [];
  let waiting: ToolCall[] = [];
  const settle = () => {
    if (waiting.length > 0) fitting.push({ role: "tool", results: waiting.map(interrupted) });
    waiting = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      settle();
      fitting.push(message);
      if (message.role === "assistant") {
        waiting = message.content.filter((part) => part.type === "call");
      }
      continue;
    }
    const results: ToolResult[] = [];
    for (const result of message.results) {
      const place = waiting.findIndex((call) => call.id === result.callId);
      if (place === -1) continue; // its call is gone, or has its result
      waiting.splice(place, 1);
      results.push(result);
    }
    if (results.length > 0) fitting.push({ role: "tool", results });
  }
  settle();
  return fitting;
}

function interrupted({ id, name }: ToolCall): ToolResult {
  const text = "The call was interrupted before it had a result; whether it took effect is unknown";
  return { callId: id, name, isError: true, content: [{ type: "text", text }] };
}

/** Gives new ids to the calls whose ids the provider would refuse, and to their results. */
function withIds(messages: readonly Message[], fit: HistoryFit): Message[] {
  const rule = fit.dialect.callIds;
  const provider = parseModelId(fit.modelId).provider;
  const taken = new Set(callsOf(messages).map(({ id }) => id));
  const renamed = new Map<string, string>();
  let number = 0;
  const idFor = (id: string): string => {
    const known = renamed.get(id);
    if (known !== undefined) return known;
    let made: string;
    do made = rule.make(++number); while (taken.has(made));
    renamed.set(id, made);
    return made;
  };
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const isKept = rule.keepsOwn && isOf(provider, message);
    for (const part of message.content) {
      if (part.type === "call" && !isKept && !fitsRule(rule, part.id)) idFor(part.id);
    }
  }
  if (renamed.size === 0) return [...messages];
  return messages.map((message) => {
    if (message.role === "assistant") {
      const content = message.content.map((part) =>
        part.type === "call" ? { ...part, id: renamed.get(part.id) ?? part.id } : part
      );
      return { ...message, content };
    }
    if (message.role === "user") return message;
    const results = message.results.map((result) => (
      { ...result, callId: renamed.get(result.callId) ?? result.callId }
    ));
    return { ...message, results };
  });
}

function fitsRule({ fits }: CallIdRule, id: string): boolean {
  return fits.test(id);
}

function isOf(provider: string, { model }: AssistantMessage): boolean {
  return model !== undefined && parseModelId(model).provider === provider;
}

function callsOf(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "call") : []
  );
}

function withoutImages(message: Message): Message {
  switch (message.role) {
    case "user":
      return { ...message, content: message.content.map(inWords) };
    case "tool": {
      const results = message.results.map((result) => (
        { ...result, content: result.content.map(inWords) }
      ));
      return { ...message, results };
    }
    case "assistant":
      return message;
    default:
      return message satisfies never;
  }
}

function inWords(block: Text | Image): Text {
  if (block.type === "text") return block;
  const bytes = Math.floor(block.data.length * 3 / 4);
  const text =
    `[An image (${block.mediaType}, about ${bytes} bytes) was left out: this model takes ` +
    `no images. Go on without it, or say that you cannot see it]`;
  return { type: "text", text };
}

/** Tells whether there is an image in a history. */
export function hasImages(messages: readonly Message[]): boolean {
  return messages.some((message) => {
    if (message.role === "assistant") return false;
    const blocks = message.role === "user"
      ? message.content
      : message.results.flatMap(({ content }) => content);
    return blocks.some(({ type }) => type === "image");
  });
}
