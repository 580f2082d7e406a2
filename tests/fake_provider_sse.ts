/** A piece of a scripted reply, in the order in which it is sent. */
export type FakePart =
  /** Sent as two increments, to be joined. */
  | { readonly text: string }
  /**
   * Anthropic: a thinking block; Responses: a summary, the signature its encrypted content; chat:
   * `reasoning_content`, which has no signature.
   */
  | { readonly reasoning: string; readonly signature?: string }
  /** Anthropic alone: a block of hidden thinking. */
  | { readonly redacted: string }
  /** `input` is sent as it is, as two increments: it may be no JSON. Gemini alone signs calls. */
  | {
    readonly call: string;
    readonly input: string;
    readonly id?: string;
    readonly signature?: string;
  }
  /** Nothing is sent for so long. */
  | { readonly waitMs: number }
  /** Bytes as they are: garbage, or an event of one's own. */
  | { readonly raw: string }
  /** An error event in the stream. */
  | { readonly error: { readonly type: string; readonly message: string } }
  /** The connection breaks. */
  | { readonly break: true }
  /** The body ends, properly, here. */
  | { readonly end: true };

/** What the provider says the reply cost. */
export interface FakeUsage {
  readonly input?: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  readonly reasoning?: number;
  /** Chat Completions alone: input and output together unless given; null is not told. */
  readonly total?: number | null;
}

/** What a stream is made of. */
export interface FakeStream {
  readonly parts: readonly FakePart[];
  readonly usage?: FakeUsage;
  /** The dialect's own word; what fits the parts when absent. */
  readonly stop?: string;
}

/** What the server does next with the response's body. */
export type FakeStep =
  | { readonly send: string }
  | { readonly waitMs: number }
  | { readonly end: "properly" | "broken" };

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * A reply as Anthropic's Messages API streams it.
 *
 * @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export function* anthropicSteps(reply: FakeStream, model: string): Generator<FakeStep> {
  const { usage = {}, parts } = reply;
  const event = (type: string, data: Json = {}): FakeStep => ({
    send: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
  });
  const start = {
    input_tokens: usage.input ?? 0,
    ...optional("cache_read_input_tokens", usage.cached),
    ...optional("cache_creation_input_tokens", usage.cacheWrite),
    output_tokens: 1,
  };
  const head = { id: "msg_1", type: "message", role: "assistant", model, content: [] };
  const open = { stop_reason: null, stop_sequence: null, usage: start };
  yield event("message_start", { message: { ...head, ...open } });
  yield event("ping");
  for (const [index, part] of parts.entries()) {
    const block = anthropicBlock(part, index);
    if (block === undefined) {
      yield commonStep(part, (error) => event("error", { error }));
      continue;
    }
    yield event("content_block_start", { index, content_block: block.start });
    for (const delta of block.deltas) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  const stop = reply.stop ?? (hasCall(parts) ? "tool_use" : "end_turn");
  const thinking = optional("thinking_tokens", usage.reasoning);
  const end = {
    output_tokens: usage.output ?? 0,
    ...(usage.reasoning === undefined ? {} : { output_tokens_details: thinking }),
  };
  yield event("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: end });
  yield event("message_stop");
}

function anthropicBlock(
  part: FakePart,
  index: number,
): { start: Json; deltas: Json[] } | undefined {
  if ("text" in part) {
    const deltas = halves(part.text).map((text) => ({ type: "text_delta", text }));
    return { start: { type: "text", text: "" }, deltas };
  }
  if ("reasoning" in part) {
    const deltas: Json[] = halves(part.reasoning).map((thinking) => (
      { type: "thinking_delta", thinking }
    ));
    const { signature } = part;
    if (signature !== undefined) deltas.push({ type: "signature_delta", signature });
    return { start: { type: "thinking", thinking: "", signature: "" }, deltas };
  }
  if ("redacted" in part) {
    return { start: { type: "redacted_thinking", data: part.redacted }, deltas: [] };
  }
  if ("call" in part) {
    const id = part.id ?? `toolu_${index + 1}`;
    const deltas = halves(part.input).map((partial_json) => (
      { type: "input_json_delta", partial_json }
    ));
    return { start: { type: "tool_use", id, name: part.call, input: {} }, deltas };
  }
  return undefined;
}

/**
 * A reply as the Chat Completions API streams it. `sendsUsage`: the request asked for it.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export function* chatSteps(
  reply: FakeStream,
  model: string,
  sendsUsage: boolean,
): Generator<FakeStep> {
  const { parts, usage } = reply;
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model };
  const data = (value: Json): FakeStep => ({ send: `data: ${JSON.stringify(value)}\n\n` });
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    data({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  yield chunk({ role: "assistant", content: "" });
  let calls = 0;
  for (const [place, part] of parts.entries()) {
    if ("text" in part) yield* halves(part.text).map((content) => chunk({ content }));
    else if ("reasoning" in part) {
      yield* halves(part.reasoning).map((reasoning_content) => chunk({ reasoning_content }));
    } else if ("call" in part) {
      const index = calls++;
      const id = part.id ?? `call_${place + 1}`;
      const start = { name: part.call, arguments: "" };
      yield chunk({ tool_calls: [{ index, id, type: "function", function: start }] });
      for (const text of halves(part.input)) {
        yield chunk({ tool_calls: [{ index, function: { arguments: text } }] });
      }
    } else {
      yield commonStep(part, (error) => data({ error }));
    }
  }
  yield chunk({}, reply.stop ?? (hasCall(parts) ? "tool_calls" : "stop"));
  if (sendsUsage && usage !== undefined) {
    yield data({ ...head, choices: [], usage: chatUsage(usage) });
  }
  yield { send: "data: [DONE]\n\n" };
}

function chatUsage({ input = 0, output = 0, cached, reasoning, total }: FakeUsage): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    ...(total === null ? {} : { total_tokens: total ?? input + output }),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/** What the parts that every dialect has come to. */
export function commonStep(part: FakePart, errorEvent: (error: Json) => FakeStep): FakeStep {
  if ("waitMs" in part) return part;
  if ("raw" in part) return { send: part.raw };
  if ("error" in part) return errorEvent(part.error);
  if ("end" in part) return { end: "properly" };
  if ("break" in part) return { end: "broken" };
  throw new TypeError(`The dialect has no such part: ${JSON.stringify(part)}`);
}

/** The text as two increments. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}

function hasCall(parts: readonly FakePart[]): boolean {
  return parts.some((part) => "call" in part);
}

function optional(name: string, count: number | undefined): Json {
  return count === undefined ? {} : { [name]: count };
}
