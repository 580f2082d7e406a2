import { type FakeStep, type FakeStream, halves, type Json } from "./fake_provider_sse.ts";

/** What the server does next with a body of bytes. */
export type FakeBytes = { readonly bytes: Uint8Array } | Exclude<FakeStep, { send: string }>;

/**
 * A reply as Bedrock's ConverseStream sends it: frames of AWS's event stream. Errors are frames too.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export function* bedrockSteps(reply: FakeStream): Generator<FakeBytes> {
  const event = (type: string, data: Json): FakeBytes => (
    { bytes: frame({ ":message-type": "event", ":event-type": type }, data) }
  );
  yield event("messageStart", { role: "assistant" });
  for (const [contentBlockIndex, part] of reply.parts.entries()) {
    const delta = (delta: Json) => event("contentBlockDelta", { contentBlockIndex, delta });
    if ("text" in part) yield* halves(part.text).map((text) => delta({ text }));
    else if ("reasoning" in part) {
      yield* halves(part.reasoning).map((text) => delta({ reasoningContent: { text } }));
      const { signature } = part;
      if (signature !== undefined) yield delta({ reasoningContent: { signature } });
    } else if ("call" in part) {
      const toolUse = { toolUseId: part.id ?? `tooluse_${contentBlockIndex}`, name: part.call };
      yield event("contentBlockStart", { contentBlockIndex, start: { toolUse } });
      yield* halves(part.input).map((input) => delta({ toolUse: { input } }));
    } else if ("raw" in part) {
      yield { bytes: new TextEncoder().encode(part.raw) };
      continue;
    } else if ("error" in part) {
      const type = part.error.type === "overloaded_error"
        ? "serviceUnavailableException"
        : "validationException";
      const headers = { ":message-type": "exception", ":exception-type": type };
      yield { bytes: frame(headers, { message: part.error.message }) };
      continue;
    } else if ("waitMs" in part) {
      yield part;
      continue;
    } else {
      yield { end: "break" in part ? "broken" : "properly" };
    }
    yield event("contentBlockStop", { contentBlockIndex });
  }
  const hasCall = reply.parts.some((part) => "call" in part);
  yield event("messageStop", { stopReason: reply.stop ?? (hasCall ? "tool_use" : "end_turn") });
  const { usage } = reply;
  if (usage === undefined) return;
  yield event("metadata", {
    usage: {
      inputTokens: usage.input ?? 0,
      outputTokens: usage.output ?? 0,
      totalTokens: (usage.input ?? 0) + (usage.output ?? 0),
      ...(usage.cached === undefined ? {} : { cacheReadInputTokens: usage.cached }),
      ...(usage.cacheWrite === undefined ? {} : { cacheWriteInputTokens: usage.cacheWrite }),
    },
    metrics: { latencyMs: 1 },
  });
}

const PRELUDE_BYTES = 12;
const STRING = 7;

/** One frame: lengths, their checksum, headers, the body, and the checksum of it all. */
function frame(headers: Readonly<Record<string, string>>, body: Json): Uint8Array {
  const encoder = new TextEncoder();
  const lines = { ...headers, ":content-type": "application/json" };
  const head = Object.entries(lines).flatMap(([name, value]) => [
    name.length,
    ...encoder.encode(name),
    STRING,
    value.length >> 8,
    value.length & 0xff,
    ...encoder.encode(value),
  ]);
  const payload = encoder.encode(JSON.stringify(body));
  const bytes = new Uint8Array(PRELUDE_BYTES + head.length + payload.length + 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(bytes.subarray(0, 8)));
  bytes.set(head, PRELUDE_BYTES);
  bytes.set(payload, PRELUDE_BYTES + head.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, bytes.length - 4)));
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
