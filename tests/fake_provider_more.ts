import {
  commonStep,
  type FakePart,
  type FakeStep,
  type FakeStream,
  type FakeUsage,
  halves,
  type Json,
} from "./fake_provider_sse.ts";

/**
 * A reply as OpenAI's Responses API streams it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function* responsesSteps(reply: FakeStream, model: string): Generator<FakeStep> {
  let sequence = 0;
  const event = (type: string, data: Json = {}): FakeStep => ({
    send: `event: ${type}\ndata: ${
      JSON.stringify({ type, sequence_number: sequence++, ...data })
    }\n\n`,
  });
  const head = { id: "resp_1", object: "response", created_at: 1, model, status: "in_progress" };
  yield event("response.created", { response: head });
  yield event("response.in_progress", { response: head });
  for (const [output_index, part] of reply.parts.entries()) {
    const item = responsesItem(part, output_index);
    if (item === undefined) {
      yield commonStep(
        part,
        (error) => event("error", { error: { code: null, param: null, ...error } }),
      );
      continue;
    }
    yield event("response.output_item.added", { output_index, item: item.start });
    for (const { type, ...data } of item.deltas) {
      yield event(String(type), { output_index, item_id: item.start.id, ...data });
    }
    yield event("response.output_item.done", { output_index, item: item.end });
  }
  const { usage } = reply;
  const isWhole = reply.stop === undefined || reply.stop === "completed";
  const end = {
    ...head,
    status: isWhole ? "completed" : "incomplete",
    incomplete_details: isWhole ? null : { reason: reply.stop },
    ...(usage === undefined ? {} : { usage: responsesUsage(usage) }),
  };
  yield event(isWhole ? "response.completed" : "response.incomplete", { response: end });
}

function responsesItem(
  part: FakePart,
  index: number,
): { start: Json; deltas: Json[]; end: Json } | undefined {
  if ("text" in part) {
    const head = { id: `msg_${index}`, type: "message", role: "assistant" };
    const content = { type: "output_text", text: part.text, annotations: [] };
    const at = { content_index: 0 };
    return {
      start: { ...head, status: "in_progress", content: [] },
      deltas: [
        { type: "response.content_part.added", ...at, part: { ...content, text: "" } },
        ...halves(part.text).map((delta) => (
          { type: "response.output_text.delta", ...at, delta, logprobs: [] }
        )),
        { type: "response.content_part.done", ...at, part: content },
      ],
      end: { ...head, status: "completed", content: [content] },
    };
  }
  if ("reasoning" in part) {
    const head = { id: `rs_${index}`, type: "reasoning" };
    const sealed = { encrypted_content: part.signature ?? null };
    const at = { summary_index: 0 };
    const said = { type: "summary_text", text: part.reasoning };
    return {
      start: { ...head, summary: [], encrypted_content: null },
      deltas: [
        { type: "response.reasoning_summary_part.added", ...at, part: { ...said, text: "" } },
        ...halves(part.reasoning).map((delta) => (
          { type: "response.reasoning_summary_text.delta", ...at, delta }
        )),
        { type: "response.reasoning_summary_part.done", ...at, part: said },
      ],
      end: { ...head, ...sealed, summary: [said] },
    };
  }
  if ("call" in part) {
    const call_id = part.id ?? `call_${index + 1}`;
    const head = { id: `fc_${index}`, type: "function_call", call_id, name: part.call };
    return {
      start: { ...head, status: "in_progress", arguments: "" },
      deltas: [
        ...halves(part.input).map((delta) => (
          { type: "response.function_call_arguments.delta", delta }
        )),
        { type: "response.function_call_arguments.done", arguments: part.input },
      ],
      end: { ...head, status: "completed", arguments: part.input },
    };
  }
  return undefined;
}

function responsesUsage({ input = 0, output = 0, cached, reasoning }: FakeUsage): Json {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { input_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

/**
 * A reply as the Gemini API streams it with `alt=sse`. A call's arguments are an object there: an
 * `input` that is none is sent as `{}`.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export function* googleSteps(reply: FakeStream, model: string): Generator<FakeStep> {
  const data = (value: Json): FakeStep => ({ send: `data: ${JSON.stringify(value)}\n\n` });
  const chunk = (parts: Json[], more: Json = {}) =>
    data({
      candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
      modelVersion: model,
      responseId: "r-1",
    });
  for (const part of reply.parts) {
    if ("text" in part) {
      yield* halves(part.text).map((text) => chunk([{ text }]));
    } else if ("reasoning" in part) {
      yield* halves(part.reasoning).map((text) => chunk([{ text, thought: true }]));
    } else if ("call" in part) {
      const call = { name: part.call, args: objectOf(part.input), ...optionalId(part.id) };
      const signed = part.signature === undefined ? {} : { thoughtSignature: part.signature };
      yield chunk([{ functionCall: call, ...signed }]);
    } else {
      yield commonStep(part, ({ type, message }) => {
        const code = type === "overloaded_error" ? 503 : 400;
        return data({ error: { code, status: type, message } });
      });
    }
  }
  const { usage } = reply;
  yield data({
    candidates: [{
      content: { role: "model", parts: [] },
      finishReason: reply.stop ?? "STOP",
      index: 0,
    }],
    ...(usage === undefined ? {} : { usageMetadata: googleUsage(usage) }),
    modelVersion: model,
    responseId: "r-1",
  });
}

function googleUsage({ input = 0, output = 0, cached, reasoning }: FakeUsage): Json {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - (reasoning ?? 0),
    totalTokenCount: input + output,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
    ...(reasoning === undefined ? {} : { thoughtsTokenCount: reasoning }),
  };
}

function objectOf(input: string): unknown {
  try {
    return input === "" ? {} : JSON.parse(input);
  } catch {
    return {};
  }
}

function optionalId(id: string | undefined): Json {
  return id === undefined ? {} : { id };
}
